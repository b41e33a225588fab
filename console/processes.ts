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
  /** Of the order: see `stepOf`. */
  readonly step: number;
}

export interface ProcessTable {
  readonly rows: readonly ProcessRow[];
  readonly total: number;
  readonly running: number;
  /** Waiting for a disk. */
  readonly blocked: number;
  readonly zombies: number;
}

/**
 * Shares that are told apart when rows are ordered: each step is half as much again. Rows of one step keep their places, so that
 * a list at rest does not move under the reader's eyes, nor over a slow line.
 */
const stepOf = (cpuPct: number | null): number =>
  cpuPct === null || cpuPct < 0.5 ? 0 : 1 + Math.floor(Math.log(cpuPct / 0.5) / Math.log(1.5));

/** A process that is one step off its neighbours stays; it moves when it is two steps off. */
function settled(rows: readonly ProcessRow[], last: ProcessTable | null): ProcessRow[] {
  const places = new Map((last?.rows ?? []).map((r, i) => [r.pid, { at: i, step: r.step }]));
  return rows
    .map((r) => {
      const was = places.get(r.pid);
      const step = was !== undefined && Math.abs(was.step - r.step) <= 1 && (r.step > 0 || was.step === 0) ? was.step : r.step;
      return { ...r, step, place: was?.at ?? Number.MAX_SAFE_INTEGER };
    })
    .sort((a, b) => b.step - a.step || a.place - b.place || b.memoryBytes - a.memoryBytes || a.pid - b.pid)
    .map(({ place: _, ...r }) => r);
}

/** Busiest first, in steps; until there are two looks, largest first. `last` is the table before. */
export function processTable(before: ProcessSample | null, now: ProcessSample, last: ProcessTable | null = null): ProcessTable {
  const earlier = new Map((before?.list ?? []).map((p) => [p.pid, p]));
  const seconds = before === null ? 0 : (now.atMs - before.atMs) / 1000;
  const rows = now.list.map(({ ticks, startTicks, ...rest }): ProcessRow => {
    const was = earlier.get(rest.pid);
    // A number that was given out again is another process.
    const isSame = was !== undefined && was.startTicks === startTicks && seconds > 0;
    const cpuPct = isSame ? Math.max(0, (100 * (ticks - was.ticks)) / now.ticksPerS / seconds) : null;
    return { ...rest, cpuPct, step: stepOf(cpuPct) };
  });
  const count = (state: string): number => rows.filter((r) => r.state === state).length;
  // The first look knows no shares, so its order says nothing.
  const kept = last?.rows.some((r) => r.cpuPct !== null) ? last : null;
  return { rows: settled(rows, kept), total: rows.length, running: count('R'), blocked: count('D'), zombies: count('Z') };
}
