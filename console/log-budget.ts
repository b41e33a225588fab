/**
 * How often the log may be drawn on a line with few bytes a second. A new line moves all the others up, so it costs the
 * whole pane; what is spent is earned back over time, and meanwhile lines are collected, counted and not drawn.
 */

export interface Rate {
  readonly bytesPerS: number;
  /** May be spent at once after a quiet time. */
  readonly burstBytes: number;
}

/** The log as one pane of the first page: with clock and figures below 200 bytes a second. */
export const GLANCE: Rate = { bytesPerS: 100, burstBytes: 400 };
/** A page that is there to be read: what a 115200-baud line carries beside its answers to keys. */
export const READING: Rate = { bytesPerS: 1200, burstBytes: 4000 };

export class LogBudget {
  readonly #rate: Rate;
  #credit: number;
  #atMs: number;

  constructor(rate: Rate, nowMs: number) {
    this.#rate = rate;
    this.#credit = rate.burstBytes;
    this.#atMs = nowMs;
  }

  #earn(nowMs: number): void {
    const earned = (Math.max(0, nowMs - this.#atMs) / 1000) * this.#rate.bytesPerS;
    this.#credit = Math.min(this.#rate.burstBytes, this.#credit + earned);
    this.#atMs = nowMs;
  }

  mayDraw(nowMs: number): boolean {
    this.#earn(nowMs);
    return this.#credit > 0;
  }

  spend(bytes: number): void {
    this.#credit -= bytes;
  }
}

/** More than this many lines a second cannot be read anyway; the title then says how many come. */
const FLOOD_PER_S = 20;

/** Lines that wait to be drawn: the newest `kept`, and how many there were. */
export class LineQueue<T> {
  readonly #kept: number;
  #lines: T[] = [];
  #count = 0;
  #sinceMs: number;

  constructor(kept: number, nowMs: number) {
    this.#kept = kept;
    this.#sinceMs = nowMs;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  add(line: T): void {
    this.#count += 1;
    this.#lines.push(line);
    // Now and then, since moving an array at every line of a million is what would make keys wait.
    if (this.#lines.length > 2 * this.#kept) this.#lines = this.#lines.slice(-this.#kept);
  }

  /** All that waits, and a note for the title when it was a flood. */
  take(nowMs: number): { readonly lines: readonly T[]; readonly note: string } {
    const perS = this.#count / Math.max(1, (nowMs - this.#sinceMs) / 1000);
    const lines = this.#lines.slice(-this.#kept);
    this.#lines = [];
    this.#count = 0;
    this.#sinceMs = nowMs;
    return { lines, note: perS > FLOOD_PER_S ? `about ${Math.round(perS)} lines a second` : '' };
  }
}
