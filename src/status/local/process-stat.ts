/** One line of /proc/PID/stat. Pure; the name only, since arguments may hold secrets. */

/** One process at one moment, as /proc tells it. */
export interface ProcessFacts {
  readonly pid: number;
  readonly name: string;
  /** `R`, `S`, `D`, `Z`, ... */
  readonly state: string;
  readonly user: string;
  /** Processor time since its start, in clock ticks. */
  readonly ticks: number;
  readonly startTicks: number;
  readonly memoryBytes: number;
  readonly threads: number;
}

/** The fields of /proc/PID/stat; the name stands in brackets and may hold any character. null: not such a line. */
export function parseStat(text: string, user: string, pageBytes: number): ProcessFacts | null {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const rest = text.slice(close + 2).split(' ');
  const field = (n: number): number => Number(rest[n - 3]);
  if (open < 1 || close < open || rest.length < 22) return null;
  return {
    pid: Number(text.slice(0, open)),
    name: text.slice(open + 1, close),
    state: rest[0] ?? '?',
    user,
    ticks: field(14) + field(15),
    threads: field(20),
    startTicks: field(22),
    memoryBytes: Math.max(0, field(24)) * pageBytes,
  };
}
