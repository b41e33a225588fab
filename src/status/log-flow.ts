/** Log lines at the pace of a reader. A flood must not cost a slow line its status, so what is over the budget is counted, not sent. */
import type { LogLine } from '#model/status.ts';

/** Lines a second to one follower, if it does not ask for fewer. */
export const MAX_LINES_PER_S = 50;
const FLUSH_MS = 250;
/** Waiting lines that are kept: the newest, for they say what happens now. */
const MAX_WAITING = 100;

export interface LogFlow {
  add(line: LogLine): void;
  /** Forgets what waits. */
  clear(): void;
}

/** A line that stands for those that were left out. It has the number of the last of them. */
const leftOut = (count: number, last: LogLine): LogLine => ({
  t: 'log',
  id: last.id,
  at: last.at,
  src: 'supervisor',
  unit: 'supervisor',
  sev: 'warn',
  text: `${count} ${count === 1 ? 'line' : 'lines'} left out`,
});

export interface Pace {
  /** Lines a second in the long run. */
  readonly perS: number;
  /** Lines at once after a pause. */
  readonly burst: number;
  readonly monoMs: () => number;
}

/**
 * Gives lines to `send` in their order and at that pace. A quiet log is not delayed: a line that finds budget and an empty
 * queue goes out at once.
 */
export function logFlow({ perS, burst, monoMs }: Pace, send: (line: LogLine) => void): LogFlow {
  const waiting: LogLine[] = [];
  let dropped = 0;
  let lastDropped: LogLine | null = null;
  let budget = burst;
  let refilledMs = monoMs();
  let timer: NodeJS.Timeout | null = null;

  const refill = (): void => {
    const nowMs = monoMs();
    budget = Math.min(burst, budget + ((nowMs - refilledMs) / 1000) * perS);
    refilledMs = nowMs;
  };
  const flush = (): void => {
    timer = null;
    refill();
    if (lastDropped && budget >= 1) {
      send(leftOut(dropped, lastDropped));
      [dropped, lastDropped] = [0, null];
      budget -= 1;
    }
    const now = waiting.splice(0, Math.floor(budget));
    budget -= now.length;
    for (const line of now) send(line);
    if (waiting.length > 0 || lastDropped) timer = setTimeout(flush, FLUSH_MS);
  };
  return {
    add: (line) => {
      if (timer === null) refill();
      if (timer === null && waiting.length === 0 && budget >= 1) {
        budget -= 1;
        send(line);
        return;
      }
      waiting.push(line);
      if (waiting.length > MAX_WAITING) {
        lastDropped = waiting.shift() ?? null;
        dropped += 1;
      }
      timer ??= setTimeout(flush, FLUSH_MS);
    },
    clear: () => {
      if (timer) clearTimeout(timer);
      timer = null;
      waiting.length = 0;
      [dropped, lastDropped] = [0, null];
    },
  };
}
