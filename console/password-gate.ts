/** Wrong passwords cost time: three in a row close the gate, each further round for twice as long. */

const TRIES = 3;
const FIRST_MS = 30_000;
const LONGEST_MS = 15 * 60_000;

export class PasswordGate {
  readonly #monoMs: () => number;
  #wrong = 0;
  #rounds = 0;
  #closedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(monoMs: () => number) {
    this.#monoMs = monoMs;
  }

  /** Why nothing is checked now; null when it is. */
  obstacle(): string | null {
    const leftMs = this.#closedUntilMs - this.#monoMs();
    return leftMs > 0 ? `Too many wrong passwords. Wait ${Math.ceil(leftMs / 1000)} s.` : null;
  }

  right(): void {
    this.#wrong = 0;
    this.#rounds = 0;
  }

  /** What to tell the operator. */
  wrong(): string {
    this.#wrong += 1;
    if (this.#wrong < TRIES) return `Wrong password, ${TRIES - this.#wrong} of ${TRIES} tries left.`;
    this.#closedUntilMs = this.#monoMs() + Math.min(LONGEST_MS, FIRST_MS * 2 ** this.#rounds);
    this.#rounds += 1;
    this.#wrong = 0;
    return this.obstacle() ?? 'Wrong password.';
  }
}
