/** Processes from two looks at /proc: who uses the processor and the memory. Pure; names only, since arguments may hold secrets. */

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

export interface ProcessSample {
  readonly atMs: number;
  readonly ticksPerS: number;
  readonly list: readonly ProcessFacts[];
}

export interface ProcessRow extends Omit<ProcessFacts, 'ticks' | 'startTicks'> {
  /** Of one processor, since the look before; null: not seen then. */
  readonly cpuPct: number | null;
}

export interface ProcessTable {
  readonly rows: readonly ProcessRow[];
  readonly total: number;
  readonly running: number;
  /** Waiting for a disk. */
  readonly blocked: number;
  readonly zombies: number;
}

/** Busiest first; until there are two looks, largest first. */
export function processTable(before: ProcessSample | null, now: ProcessSample): ProcessTable {
  const earlier = new Map((before?.list ?? []).map((p) => [p.pid, p]));
  const seconds = before === null ? 0 : (now.atMs - before.atMs) / 1000;
  const rows = now.list.map(({ ticks, startTicks, ...rest }): ProcessRow => {
    const was = earlier.get(rest.pid);
    // A number that was given out again is another process.
    const isSame = was !== undefined && was.startTicks === startTicks && seconds > 0;
    return { ...rest, cpuPct: isSame ? Math.max(0, (100 * (ticks - was.ticks)) / now.ticksPerS / seconds) : null };
  });
  rows.sort((a, b) => (b.cpuPct ?? 0) - (a.cpuPct ?? 0) || b.memoryBytes - a.memoryBytes || a.pid - b.pid);
  const count = (state: string): number => rows.filter((r) => r.state === state).length;
  return { rows, total: rows.length, running: count('R'), blocked: count('D'), zombies: count('Z') };
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
