/** The progress bar: weights of what is done, and a guess of the time left from the longest step's own speed. */
import type { EngineEvent, Step } from '#model/plan.ts';
import type { Progress } from './context.ts';

/** A guess needs a little to go on. */
const MIN_SECONDS = 3;
const MIN_FRACTION = 0.02;

/** Turns what the steps report into fractions of the whole, which never go back, and a time left in seconds. */
export class Pace {
  readonly #emit: (event: EngineEvent) => void;
  readonly #totalWeight: number;
  readonly #clockMs: () => number;
  #doneWeight = 0;
  #next: readonly Step[];
  #startedMs: number;
  #shown = 0;

  constructor(steps: readonly Step[], emit: (event: EngineEvent) => void, clockMs: () => number = () => performance.now()) {
    this.#emit = emit;
    this.#next = steps;
    this.#clockMs = clockMs;
    this.#totalWeight = steps.reduce((sum, s) => sum + s.weight, 0);
    this.#startedMs = clockMs();
  }

  /** Part of the current step that is done. */
  within(progress: Progress): void {
    const current = this.#next[0];
    if (current === undefined) return;
    this.#say(this.#doneWeight + current.weight * Math.min(1, Math.max(0, progress.fraction)), progress);
  }

  done(step: Step): void {
    this.#doneWeight += step.weight;
    this.#next = this.#next.filter((s) => s.id !== step.id);
    this.#say(this.#doneWeight, { fraction: 1 });
  }

  #say(weight: number, { bytesPerSecond, detail }: Progress): void {
    // Never backwards: a bar that jumps back reads as a fault.
    const fraction = Math.max(this.#shown, Math.min(1, weight / this.#totalWeight));
    this.#shown = fraction;
    const seconds = (this.#clockMs() - this.#startedMs) / 1000;
    const canGuess = seconds >= MIN_SECONDS && fraction >= MIN_FRACTION;
    this.#emit({
      type: 'progress',
      fraction,
      bytesPerSecond: bytesPerSecond ?? null,
      secondsLeft: canGuess ? Math.round((seconds * (1 - fraction)) / fraction) : null,
      detail: detail ?? null,
    });
  }
}
