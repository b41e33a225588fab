/** One-time words that turn a plan into a yes. */
import { randomBytes } from 'node:crypto';
import { CONFIRM_SECONDS } from '#status/action-run.ts';

interface Open {
  /** Action and its words. */
  readonly what: string;
  readonly typed: string | null;
  readonly untilMs: number;
}

/** Each is good for one action with the same words, once, and for a short time. */
export class Confirmations {
  readonly #open = new Map<string, Open>();
  readonly #monoMs: () => number;

  constructor(monoMs: () => number) {
    this.#monoMs = monoMs;
  }

  /** @param typed what has to be typed to confirm; null: nothing */
  issue(what: string, typed: string | null): string {
    for (const [token, c] of this.#open) if (c.untilMs < this.#monoMs()) this.#open.delete(token);
    const token = randomBytes(16).toString('hex');
    this.#open.set(token, { what, typed, untilMs: this.#monoMs() + CONFIRM_SECONDS * 1000 });
    return token;
  }

  /** True once, for what it was made for, in time. */
  redeem(what: string, token: string, typed: string | null): boolean {
    const c = this.#open.get(token);
    if (!c || c.what !== what) return false;
    this.#open.delete(token);
    return c.untilMs >= this.#monoMs() && (c.typed === null || c.typed === typed);
  }
}
