/** The last log lines, numbered, for `GET /v1/log`. */
import type { LogLine } from '#model/status.ts';

export const LOG_RING_LINES = 2000;
const LOG_TEXT_CHARS = 1000;

export type NewLogLine = Omit<LogLine, 't' | 'id'>;

/** Keeps the newest lines and tells each new one to its listeners. */
export class LogRing {
  readonly #lines: LogLine[] = [];
  readonly #listeners = new Set<(line: LogLine) => void>();
  readonly #capacity: number;
  #next = 1;

  constructor(capacity = LOG_RING_LINES) {
    this.#capacity = capacity;
  }

  add(line: NewLogLine): void {
    const text = line.text.length > LOG_TEXT_CHARS ? `${line.text.slice(0, LOG_TEXT_CHARS - 3)}...` : line.text;
    const entry: LogLine = { t: 'log', id: this.#next, ...line, text };
    this.#next += 1;
    this.#lines.push(entry);
    if (this.#lines.length > this.#capacity) this.#lines.shift();
    for (const listener of this.#listeners) listener(entry);
  }

  /** Lines after `sinceId`, at most the last `limit`. */
  after(sinceId: number, limit: number): LogLine[] {
    const all = this.#lines.filter((l) => l.id > sinceId);
    return limit >= all.length ? all : all.slice(all.length - limit);
  }

  onLine(listener: (line: LogLine) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
