/** Processes from two looks at /proc: who uses the processor and the memory. Pure; names only, since arguments may hold secrets. */
import type { ProcessFacts } from '#status/local/process-stat.ts';

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
