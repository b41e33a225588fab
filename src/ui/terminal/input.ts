/**
 * Ink's standard input. Emits every key as a `key` event, and passes on to Ink what Ink understands:
 * function keys, Ctrl-L and cursor reports stay here, since Ink cannot tell F1 from F12.
 * Other events: `cursor` (a CursorReport), `repaint` (Ctrl-L was pressed), `hangup` (the line is gone).
 */
import { PassThrough } from 'node:stream';
import { decodeKeys, type InputEvent, type Key } from '#ui/terminal/keys.ts';

/** The part of a tty read stream that is used. */
export interface RawInput {
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', listener: (text: string) => void): unknown;
  on(event: 'end' | 'error', listener: () => void): unknown;
  off(event: 'data', listener: (text: string) => void): unknown;
  off(event: 'end', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
  setRawMode?(on: boolean): unknown;
  ref?(): unknown;
  unref?(): unknown;
}

/** How long a lone Esc may still become another key. Longest pause inside one key's bytes on a jittery serial-over-LAN link (measured: Ink alone fails from 25 ms). */
const ESCAPE_WAIT_MS = 60;
/** A sequence that has begun is no key that a person pressed alone, so its rest is waited for on every line. */
const TORN_WAIT_MS = 600;
/** A paste whose end mark got lost is taken after this pause. */
const PASTE_WAIT_MS = 1000;

const isFunctionKey = (key: Key | null): boolean => key !== null && /^f\d/.test(key.name);
const isRepaint = (key: Key | null): boolean => key?.name === 'ctrl' && key.text === 'l';

export class TtyInput extends PassThrough {
  readonly isTTY = true;
  readonly #source: RawInput;
  readonly #waitMs: number;
  #held = '';
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(source: RawInput, escapeWaitMs: number = ESCAPE_WAIT_MS) {
    super({ encoding: 'utf8' });
    this.#source = source;
    this.#waitMs = escapeWaitMs;
    source.setEncoding('utf8');
    source.on('data', this.#onData);
    source.on('end', this.#onEnd);
    // A terminal that is gone reads as an error (EIO).
    source.on('error', this.#onEnd);
    // An earlier reader of the same terminal has paused it and let go of it; a listener alone does not undo that.
    source.ref?.();
    source.resume();
  }

  setRawMode(on: boolean): this {
    this.#source.setRawMode?.(on);
    return this;
  }

  ref(): this {
    this.#source.ref?.();
    return this;
  }

  unref(): this {
    this.#source.unref?.();
    return this;
  }

  /** Stops listening and gives the line back cooked. */
  close(): void {
    clearTimeout(this.#timer);
    this.#isOver = true;
    this.#source.off('data', this.#onData);
    this.#source.off('end', this.#onEnd);
    this.#source.setRawMode?.(false);
    this.#source.pause();
    this.#source.unref?.();
  }

  readonly #onEnd = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#take('', true);
    this.emit('hangup');
  };

  readonly #onData = (text: string): void => {
    this.#take(text, false);
    if (this.#held === '') return;
    const waitMs = this.#waitFor(this.#held);
    const waiting = this.#held;
    // A busy event loop may fire the timer before it reads bytes that are already there, so look once more.
    this.#timer = setTimeout(() => setImmediate(() => this.#held === waiting && this.#take('', true)), waitMs);
  };

  #waitFor(held: string): number {
    if (held.startsWith('\x1b[200~')) return PASTE_WAIT_MS;
    return held === '\x1b' ? this.#waitMs : Math.max(this.#waitMs, TORN_WAIT_MS);
  }

  #take(text: string, final: boolean): void {
    clearTimeout(this.#timer);
    const { events, rest } = decodeKeys(this.#held + text, final);
    this.#held = rest;
    for (const event of events) this.#deliver(event);
  }

  #deliver(event: InputEvent): void {
    if (event.cursor) this.emit('cursor', event.cursor);
    else if (isRepaint(event.key)) this.emit('repaint');
    else {
      if (event.key) this.emit('key', event.key);
      // Without a reader the stream would keep everything for ever.
      const isRead = this.listenerCount('readable') + this.listenerCount('data') > 0;
      if (isRead && !isFunctionKey(event.key)) this.push(event.raw);
    }
  }
}
