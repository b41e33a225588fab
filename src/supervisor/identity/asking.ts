/** How the enrolment under way goes: what the panel said last, how often it was asked, and when it is asked again. */
import type { IdentityDeps } from './deps.ts';
import type { Pending } from './document.ts';
import { enrolDelayMs } from './pace.ts';
import type { Outcome } from './replies.ts';
import type { StandingBook } from './standing-book.ts';
import { CLEAN, standingAfterHeader } from './strikes.ts';
import { wordsOf } from './words.ts';

export type Trouble = Outcome & { readonly kind: 'not_yet' };

/** Attempts of the enrolment under way, for the console. */
export interface Attempts {
  readonly count: number;
  readonly lastAtMs: number | null;
  readonly nextAtMs: number | null;
  readonly status: number | null;
}

const NO_ATTEMPTS: Attempts = { count: 0, lastAtMs: null, nextAtMs: null, status: null };

export class Asking {
  readonly #deps: IdentityDeps;
  readonly #book: StandingBook;
  #trouble: Trouble | null = null;
  /** Hash of the voucher that the panel has refused for good. */
  #refused: string | null = null;
  #attempts = NO_ATTEMPTS;
  #failures = 0;
  #refusedSinceMs: number | null = null;

  constructor(deps: IdentityDeps, book: StandingBook) {
    this.#deps = deps;
    this.#book = book;
  }

  get trouble(): Trouble | null {
    return this.#trouble;
  }
  get attempts(): Attempts {
    return this.#attempts;
  }
  isRefused(voucherSha256: string): boolean {
    return this.#refused === voucherSha256;
  }
  /** How long the panel has answered 401. */
  refusedForMs(): number {
    return this.#refusedSinceMs === null ? 0 : this.#deps.clock.monoMs() - this.#refusedSinceMs;
  }

  /** Nothing is asked for, or with something new: what the panel said before does not count. `voucherSha256` null: nothing. */
  turnTo(voucherSha256: string | null): void {
    if (voucherSha256 === null || (this.#refused !== null && this.#refused !== voucherSha256)) this.calm();
  }

  calm(): void {
    this.#trouble = null;
    this.#refused = null;
    this.#failures = 0;
    this.#refusedSinceMs = null;
  }

  startOver(): void {
    this.calm();
    this.#attempts = NO_ATTEMPTS;
  }

  /** An answer, or none. */
  asked(status: number | null): void {
    const { clock } = this.#deps;
    this.#attempts = { ...this.#attempts, count: this.#attempts.count + 1, lastAtMs: clock.wallMs(), status };
    this.#refusedSinceMs = status === 401 ? (this.#refusedSinceMs ?? clock.monoMs()) : null;
  }

  /** Was this enrolment refused on purpose? Remembered over a restart. */
  isRevoked(pending: Pending | null): boolean {
    if (pending === null || pending.source !== 'code') return false;
    return this.#book.of(pending.enrollment_id, this.#deps.clock.monoMs()).verdict === 'revoked';
  }

  async #judge(outcome: Trouble, pending: Pending): Promise<boolean> {
    if (pending.source !== 'code') return false;
    const { clock, log } = this.#deps;
    const before = this.#book.of(pending.enrollment_id, clock.monoMs());
    const after = outcome.state === 'awaiting_approval' ? CLEAN : standingAfterHeader(before, outcome.revocation);
    if (after !== before) await this.#book.put(pending.enrollment_id, after, clock.monoMs()).catch((error: unknown) => log(String(error)));
    return after.verdict === 'revoked';
  }

  /** Not yet: gives the milliseconds until the next attempt. */
  async notYet(outcome: Trouble, pending: Pending, retryAfter: string | undefined): Promise<number> {
    const isRevoked = await this.#judge(outcome, pending);
    this.#trouble = isRevoked ? { ...outcome, ...wordsOf('revoked'), code: 'ENR-REVOKED', state: 'revoked' } : outcome;
    if (outcome.pace === 'stop') this.#refused = pending.voucher_sha256;
    // Waiting for an operator is no failure; it goes on at the pace that the panel names.
    this.#failures = outcome.state === 'awaiting_approval' ? 1 : this.#failures + 1;
    const { clock, random } = this.#deps;
    const ms = enrolDelayMs(isRevoked ? 'cap' : outcome.pace, this.#failures, retryAfter, clock.wallMs(), random);
    this.#attempts = { ...this.#attempts, nextAtMs: outcome.pace === 'stop' ? null : clock.wallMs() + ms };
    return ms;
  }
}
