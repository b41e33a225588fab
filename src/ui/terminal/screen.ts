/**
 * Ink's standard output, cell by cell.
 * In debug mode (`inkOptions` of terminal.ts) Ink hands over whole frames as plain lines; only the cells that changed reach the line.
 */
import { EventEmitter } from 'node:events';
import type { TerminalProfile } from '#ui/profile.ts';
import { type Grid, parseFrame } from '#ui/terminal/cells.ts';
import { diffGrids } from '#ui/terminal/diff.ts';
import { FALLBACK_SIZE, type TerminalSize } from '#ui/terminal/size.ts';

/** The part of a tty write stream that is used. */
export interface RawOutput {
  write(text: string, done?: () => void): boolean;
  readonly columns?: number;
  readonly rows?: number;
  on(event: 'resize', listener: () => void): unknown;
  off(event: 'resize', listener: () => void): unknown;
}

export interface ScreenOptions {
  readonly profile: TerminalProfile;
  /** Size to use while the terminal itself reports none. Never 0. */
  readonly size?: TerminalSize;
}

/** Private-mode sequences that Ink writes beside its frames. */
const MODE_SEQUENCES = /^(?:\x1b\[[?>][0-9;]*[a-z])+$/;

export class Screen extends EventEmitter {
  readonly isTTY = true;
  /** Totals since the start, for measurements. */
  bytesWritten = 0;
  framesWritten = 0;
  columns: number;
  rows: number;
  readonly #out: RawOutput;
  readonly #profile: TerminalProfile;
  #shown: Grid | null = null;
  #latest: string | null = null;
  #pending: string | null = null;
  #busy = false;
  #started = false;
  #ended = false;

  constructor(out: RawOutput, options: ScreenOptions) {
    super();
    this.setMaxListeners(0);
    this.#out = out;
    this.#profile = options.profile;
    const assumed = options.size ?? FALLBACK_SIZE;
    this.columns = out.columns || assumed.columns;
    this.rows = out.rows || assumed.rows;
    out.on('resize', this.#onResize);
  }

  readonly #onResize = (): void => {
    if (this.#out.columns && this.#out.rows) this.resize({ columns: this.#out.columns, rows: this.#out.rows });
  };

  /** A new size, from the terminal or from an answer to CSI 6n. Ink lays out again. */
  resize(size: TerminalSize): void {
    this.columns = size.columns;
    this.rows = size.rows;
    this.#shown = null;
    this.emit('resize');
  }

  /** Ctrl-L: everything is drawn again over whatever is on the screen. */
  repaint(): void {
    this.#shown = null;
    this.#pending = this.#latest;
    this.#flush();
  }

  /** Ink's entry. Frames are coalesced: while the line is busy only the newest one waits. */
  write(text: string, done?: unknown): boolean {
    if (!this.#ended) {
      if (MODE_SEQUENCES.test(text)) this.#passModes(text);
      else if (text !== '' && text !== '\n') {
        this.#latest = text;
        this.#pending = text;
        this.#flush();
      }
    }
    if (typeof done === 'function') done();
    return true;
  }

  /** Leaves the terminal as a shell expects it: default colours, visible cursor, below the last frame. Safe to call twice. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#out.off('resize', this.#onResize);
    if (!this.#started) return;
    const leave = this.#profile.alternateScreen ? '\x1b[?1049l' : `\x1b[${this.rows};1H\r\n`;
    const paste = this.#profile.bracketedPaste ? '\x1b[?2004l' : '';
    this.#out.write(`\x1b[m${paste}\x1b[?25h${leave}`);
  }

  #passModes(text: string): void {
    // The cursor stays hidden until end(), whatever Ink thinks.
    const rest = text.replace(/\x1b\[\?25[hl]/g, '');
    if (rest !== '') this.#out.write(rest);
  }

  #flush(): void {
    if (this.#busy || this.#pending === null || this.#ended) return;
    const { columns, rows } = this;
    const next = parseFrame(this.#pending, { columns, rows, colour: this.#profile.colour, glyphs: this.#profile.glyphs });
    this.#pending = null;
    const bytes = this.#prologue() + diffGrids(this.#shown, next, columns);
    this.#shown = next;
    if (bytes === '') return;
    this.bytesWritten += Buffer.byteLength(bytes);
    this.framesWritten++;
    this.#busy = true;
    this.#out.write(bytes, () => {
      this.#busy = false;
      this.#flush();
    });
  }

  #prologue(): string {
    if (this.#started) return '';
    this.#started = true;
    return `${this.#profile.alternateScreen ? '\x1b[?1049h' : ''}${this.#profile.bracketedPaste ? '\x1b[?2004h' : ''}\x1b[?25l`;
  }
}
