/** A value that must never be printed. Only `reveal()` gives it out, so every use can be found by that word. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  // Node's util.inspect calls this; the symbol is registered globally, so no import is needed.
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'Secret(***)';
  }
}
