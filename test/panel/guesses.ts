/** Wrong pairing codes shut the door: ten from one address, or a hundred in all, within 15 minutes. A right one counts for nothing. */
const WINDOW_MS = 900_000;
const FROM_ONE = 10;
const IN_ALL = 100;

interface Guess {
  readonly from: string;
  readonly atMs: number;
}

/** Milliseconds until fewer than `limit` of them lie within the window. */
function waitMs(guesses: readonly Guess[], limit: number, nowMs: number): number {
  const oldest = guesses.at(-limit);
  return oldest === undefined ? 0 : oldest.atMs + WINDOW_MS - nowMs;
}

export class Guesses {
  #wrong: readonly Guess[] = [];

  wrong(from: string, nowMs: number): void {
    this.#wrong = [...this.#wrong, { from, atMs: nowMs }];
  }

  /** Milliseconds until another try is heard; 0: now. */
  waitMs(from: string, nowMs: number): number {
    this.#wrong = this.#wrong.filter((g) => nowMs - g.atMs < WINDOW_MS);
    const ofThis = this.#wrong.filter((g) => g.from === from);
    return Math.max(waitMs(ofThis, FROM_ONE, nowMs), waitMs(this.#wrong, IN_ALL, nowMs));
  }
}
