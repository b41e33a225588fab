/** Lines from a terminal without cursor movement, a screen reader or a script. The terminal itself echoes and erases. */
import type { RawInput } from '#ui/terminal/input.ts';

export interface LineOutput {
  write(text: string): unknown;
}

/** Longest line taken; an SSH key of 16384 bits is 2.8 kB. */
const MAX_LINE_LENGTH = 8192;

export class LineReader {
  readonly #input: RawInput;
  readonly #output: LineOutput;
  readonly #lines: string[] = [];
  #partial = '';
  #waiting: ((line: string | null) => void) | null = null;
  #isOver = false;
  #isSecret = false;
  /** Ctrl-C while nothing is echoed; a terminal that echoes sends a signal instead. */
  onInterrupt: () => void = () => undefined;

  constructor(input: RawInput, output: LineOutput) {
    this.#input = input;
    this.#output = output;
    input.setEncoding('utf8');
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
    for (const character of text) this.#take(character);
  };

  #take(character: string): void {
    if (character === '\n' || character === '\r') {
      const line = this.#partial;
      this.#partial = '';
      if (this.#waiting) this.#answer(line);
      else this.#lines.push(line);
    } else if (character === '\x7f' || character === '\b') this.#partial = [...this.#partial].slice(0, -1).join('');
    else if (character === '\x03') {
      this.#partial = '';
      this.onInterrupt();
    } else if (character === '\x04' && this.#isSecret && this.#partial === '') this.#onEnd();
    else if (character >= ' ' && this.#partial.length < MAX_LINE_LENGTH) this.#partial += character;
  }

  #answer(line: string | null): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (this.#isSecret) {
      this.#isSecret = false;
      this.#input.setRawMode?.(false);
      this.#output.write('\n');
    }
    waiting?.(line);
  }

  /** Asks for one line. A secret is not echoed. Resolves to null when the line was hung up. */
  ask(prompt: string, isSecret = false): Promise<string | null> {
    if (isSecret) this.#input.setRawMode?.(true);
    this.#output.write(prompt);
    const ready = this.#lines.shift();
    if (ready !== undefined || this.#isOver) {
      if (isSecret) {
        this.#input.setRawMode?.(false);
        this.#output.write('\n');
      }
      return Promise.resolve(ready ?? null);
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
    this.#input.pause();
    this.#input.unref?.();
  }
}
