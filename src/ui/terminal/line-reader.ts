/**
 * Lines from a terminal without cursor movement, a screen reader or a script. On a terminal the echo is ours, from the first moment on:
 * what is typed before its question is shown only once that question is asked, and never when the question is for a secret.
 */
import type { RawInput } from '#ui/terminal/input.ts';
import { sanitise, widthOf } from '#ui/text.ts';

export interface LineOutput {
  write(text: string): unknown;
}

/** Longest line taken; an SSH key of 16384 bits is 2.8 kB. */
const MAX_LINE_LENGTH = 8192;
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

export class LineReader {
  readonly #input: RawInput;
  readonly #output: LineOutput;
  /** A pipe has no echo to take over. */
  readonly #isTerminal: boolean;
  readonly #lines: string[] = [];
  #partial = '';
  #waiting: ((line: string | null) => void) | null = null;
  #isOver = false;
  #isSecret = false;
  #before = '';
  /** Inside the bytes of a cursor or function key: nothing that a line can hold. */
  #escape: 'none' | 'begun' | 'sequence' = 'none';
  /** Ctrl-C on a terminal; a script sends a signal instead. */
  onInterrupt: () => void = () => undefined;

  constructor(input: RawInput, output: LineOutput) {
    this.#input = input;
    this.#output = output;
    this.#isTerminal = input.setRawMode !== undefined;
    input.setEncoding('utf8');
    input.setRawMode?.(true);
    input.on('data', this.#onData);
    input.on('end', this.#onEnd);
    // A terminal that is gone reads as an error (EIO).
    input.on('error', this.#onEnd);
    input.resume();
  }

  readonly #onEnd = (): void => {
    this.#isOver = true;
    this.#answer(this.#partial === '' ? null : this.#partial);
  };

  readonly #onData = (text: string): void => {
    for (const character of text) {
      // CR LF ends one line.
      const isSecondHalf = character === '\n' && this.#before === '\r';
      this.#before = character;
      if (!isSecondHalf && !this.#isOfKey(character)) this.#take(character);
    }
  };

  #isOfKey(character: string): boolean {
    const was = this.#escape;
    if (character === '\x1b') this.#escape = 'begun';
    else if (was === 'begun') this.#escape = character === '[' || character === 'O' ? 'sequence' : 'none';
    else if (was === 'sequence' && character >= '@') this.#escape = 'none';
    return was === 'sequence' || this.#escape !== 'none';
  }

  #echo(text: string): void {
    if (this.#isTerminal && this.#waiting && !this.#isSecret) this.#output.write(text);
  }

  /** Takes the last `count` characters of the line back. */
  #erase(count: number): void {
    const characters = [...this.#partial];
    const kept = characters.slice(0, Math.max(0, characters.length - count)).join('');
    this.#echo('\b \b'.repeat(widthOf(sanitise(this.#partial.slice(kept.length)))));
    this.#partial = kept;
  }

  #take(character: string): void {
    switch (character) {
      case '\n':
      case '\r':
        this.#endLine();
        break;
      case '\x7f':
      case '\b':
        this.#erase(1);
        break;
      case '\x15':
        this.#erase(this.#partial.length);
        break;
      case '\x17':
        this.#erase([...(/\S*\s*$/.exec(this.#partial)?.[0] ?? '')].length);
        break;
      case '\x03':
        this.#partial = '';
        this.#lines.length = 0;
        this.onInterrupt();
        break;
      case '\x04':
        if (this.#partial === '' && this.#isTerminal) this.#onEnd();
        break;
      default:
        if (CONTROL.test(character) || this.#partial.length >= MAX_LINE_LENGTH) break;
        this.#partial += character;
        this.#echo(sanitise(character));
    }
  }

  #endLine(): void {
    const line = this.#partial;
    this.#partial = '';
    if (this.#waiting) this.#answer(line);
    else this.#lines.push(line);
  }

  #answer(line: string | null): void {
    const waiting = this.#waiting;
    if (waiting && this.#isTerminal) this.#output.write('\n');
    this.#waiting = null;
    this.#isSecret = false;
    waiting?.(line);
  }

  /** Asks for one line. A secret is not echoed. Resolves to null when the line was hung up. */
  ask(prompt: string, isSecret = false): Promise<string | null> {
    const typed = this.#lines.shift();
    const shown = typed ?? this.#partial;
    this.#output.write(this.#isTerminal && !isSecret ? `${prompt}${sanitise(shown)}` : prompt);
    if (typed !== undefined || this.#isOver) {
      if (this.#isTerminal) this.#output.write('\n');
      return Promise.resolve(typed ?? null);
    }
    this.#isSecret = isSecret;
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Ends a question that is waiting, as an empty line would; what was typed of it is dropped. False: none is waiting. */
  cancel(): boolean {
    this.#partial = '';
    const isWaiting = this.#waiting !== null;
    this.#answer('');
    return isWaiting;
  }

  close(): void {
    this.#input.off('data', this.#onData);
    this.#input.off('end', this.#onEnd);
    this.#isOver = true;
    this.#answer(null);
    this.#input.setRawMode?.(false);
    this.#input.pause();
    this.#input.unref?.();
  }
}
