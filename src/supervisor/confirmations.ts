/** One-time words that turn a plan into a yes. */
import { randomBytes } from 'node:crypto';
import { CONFIRM_SECONDS } from '#status/action-run.ts';

/** Each is good for one action, once, and for a short time. */
export class Confirmations {
  readonly #open = new Map<string, { readonly name: string; readonly untilMs: number }>();
  readonly #monoMs: () => number;

  constructor(monoMs: () => number) {
    this.#monoMs = monoMs;
  }

  issue(name: string): string {
    for (const [token, c] of this.#open) if (c.untilMs < this.#monoMs()) this.#open.delete(token);
    const token = randomBytes(16).toString('hex');
    this.#open.set(token, { name, untilMs: this.#monoMs() + CONFIRM_SECONDS * 1000 });
    return token;
  }

  /** True once, for the action it was made for, in time. */
  redeem(name: string, token: string): boolean {
    const c = this.#open.get(token);
    if (!c || c.name !== name) return false;
    this.#open.delete(token);
    return c.untilMs >= this.#monoMs();
  }
}
