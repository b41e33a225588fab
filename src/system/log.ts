/** A log file: a time on every line, registered secrets never in it, and an end to its growth. */
import fs from 'node:fs';
import type { Secret } from '#model/secret.ts';

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024;
const DROPPED = '[the log reached its limit; later lines are dropped]\n';

export interface LogOptions {
  /** File to append to; its directory must exist. */
  readonly path: string;
  readonly mode?: number;
  /** Start with an empty file instead of appending. */
  readonly truncate?: boolean;
  /** Growth ends here; a last line says so. Default 8 MiB. */
  readonly maxBytes?: number;
  readonly now?: () => Date;
}

/** A replacer that masks every occurrence of the given secrets with `***`. Values shorter than 4 characters are not masked. */
function redactor(): { add(secret: Secret): void; clean(text: string): string } {
  const values: string[] = [];
  return {
    add(secret) {
      const value = secret.reveal();
      if (value.length < 4 || values.includes(value)) return;
      values.push(value);
      // Longest first: one secret may hold another.
      values.sort((a, b) => b.length - a.length);
    },
    clean: (text) => values.reduce((t, value) => t.replaceAll(value, '***'), text),
  };
}

const hex = (character: string): string => character.charCodeAt(0).toString(16);

/** Control and direction characters as visible escapes, so that a log can be printed on any terminal; tabs and line ends stay. */
export const printable = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (c) => `\\x${hex(c).padStart(2, '0')}`)
    .replace(/[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, (c) => `\\u${hex(c)}`);

/** The same for text that is one line: a line end inside it must not forge another. */
export const printableLine = (text: string): string => printable(text).replaceAll('\n', '\\x0a');

/** Appends whole lines synchronously, so that the last line before a crash is there. */
export class Log {
  readonly path: string;
  readonly #fd: number;
  readonly #maxBytes: number;
  readonly #now: () => Date;
  readonly #redactor = redactor();
  #sizeBytes: number;
  #isFull = false;

  constructor(options: LogOptions) {
    this.path = options.path;
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#now = options.now ?? (() => new Date());
    this.#fd = fs.openSync(options.path, options.truncate ? 'w' : 'a', options.mode ?? 0o644);
    this.#sizeBytes = fs.fstatSync(this.#fd).size;
  }

  /** From now on this value is written as `***`. */
  hide(secret: Secret): void {
    this.#redactor.add(secret);
  }

  /** The text without secrets and control characters, as the file would hold it. */
  clean(text: string): string {
    return printable(this.#redactor.clean(text));
  }

  write(text: string): void {
    if (this.#isFull) return;
    const stamp = this.#now().toISOString();
    const lines = text
      .split('\n')
      .map((line) => `${stamp} ${this.clean(line)}\n`)
      .join('');
    const bytes = Buffer.from(this.#sizeBytes + lines.length > this.#maxBytes ? DROPPED : lines);
    if (this.#sizeBytes + lines.length > this.#maxBytes) this.#isFull = true;
    this.#sizeBytes += bytes.length;
    fs.writeSync(this.#fd, bytes);
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}
