/** Time and chance, as the loops of the pull model see them. Waits are monotonic; the wall clock is for people and for dates on the wire. */
import { timerMs } from './backoff.ts';

export interface PullClock {
  readonly monoMs: () => number;
  readonly wallMs: () => number;
  readonly random: () => number;
  /** Calls `work` once; gives the way to call it off. */
  readonly after: (ms: number, work: () => void) => () => void;
}

export const realClock: PullClock = {
  monoMs: () => performance.now(),
  wallMs: () => Date.now(),
  random: Math.random,
  after: (ms, work) => {
    const timer = setTimeout(work, timerMs(ms));
    return () => clearTimeout(timer);
  },
};

export const isoAt = (wallMs: number): string => new Date(wallMs).toISOString();

/** A wait that `wake` ends early; a wake while nobody waits ends the next wait at once, so that none is lost. */
class Nap {
  readonly #clock: PullClock;
  #end: (() => void) | null = null;
  #isWoken = false;

  constructor(clock: PullClock) {
    this.#clock = clock;
  }

  wake(): void {
    if (this.#end === null) this.#isWoken = true;
    else this.#end();
  }

  /** `ms` null: until it is woken. */
  sleep(ms: number | null): Promise<void> {
    if (this.#isWoken) {
      this.#isWoken = false;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const cancel = ms === null ? () => undefined : this.#clock.after(ms, () => this.#end?.());
      this.#end = () => {
        cancel();
        this.#end = null;
        resolve();
      };
    });
  }
}

/** A loop in the background that naps between its rounds, is woken from outside, and ends when asked to. */
export class Loop {
  readonly nap: Nap;
  readonly #ending = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #stopListening: () => void = () => undefined;

  constructor(clock: PullClock) {
    this.nap = new Nap(clock);
  }

  /** Aborts when the loop is to end: for whatever it waits for. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }
  get isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  /** `stopListening`: what wakes it is not wanted any more once it ends. */
  start(rounds: () => Promise<void>, stopListening: () => void): void {
    this.#stopListening = stopListening;
    this.#running = rounds();
  }

  /** Resolves when the round that is under way is over. */
  async stop(): Promise<void> {
    this.#ending.abort();
    this.#stopListening();
    this.nap.wake();
    await this.#running;
  }
}
