const MARK = Symbol.for('spatium.secret');

/** A value that must never be printed. Only `reveal()` gives it out, so every use can be found by that word. */
export class Secret {
  readonly #value: string;
  // Each face is a chunk with a class of its own, and secrets pass between chunks: this mark tells them, not the class.
  readonly [MARK] = true;

  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && MARK in value;
  }

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
