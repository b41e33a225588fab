/** Drives a program on a pseudo terminal and reads its screen as a grid, as an operator would. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import headless from '@xterm/headless';

export interface PtyOptions {
  readonly argv: readonly string[];
  readonly term: string;
  /** 0x0: the terminal reports no size, like a serial line. The emulator is then 80x24. */
  readonly columns?: number;
  readonly rows?: number;
  /** What the emulator really has, when the terminal reports 0x0. */
  readonly emulated?: { readonly columns: number; readonly rows: number };
  readonly env?: Readonly<Record<string, string>>;
}

/** For what never comes. */
const WAIT_MS = 50_000;
const POLL_MS = 10;

export const KEYS = {
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  f1: '\x1bOP',
  f2: '\x1bOQ',
  f5: '\x1b[15~',
  ctrlC: '\x03',
  ctrlL: '\x0c',
  ctrlU: '\x15',
} as const;

export class Pty {
  /** Everything the program wrote. */
  output = '';
  bytesReceived = 0;
  readonly exit: Promise<number>;
  readonly #child: ChildProcess;
  readonly #emulator: InstanceType<typeof headless.Terminal>;
  #exited = false;

  constructor(options: PtyOptions) {
    const columns = options.columns ?? 80;
    const rows = options.rows ?? 24;
    const size = options.emulated ?? { columns: columns || 80, rows: rows || 24 };
    this.#emulator = new headless.Terminal({ cols: size.columns, rows: size.rows, allowProposedApi: true, scrollback: 2000 });
    const helper = path.join(import.meta.dirname, 'relay.pl');
    this.#child = spawn('perl', [helper, String(columns), String(rows), ...options.argv], {
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', TZ: 'UTC', LANG: 'C.UTF-8', TERM: options.term, ...options.env },
    });
    (this.#child.stdout as Readable).on('data', (data: Buffer) => this.#receive(data));
    // Answers of the terminal (CSI 6n) go back as if typed.
    this.#emulator.onData((answer) => this.send(answer));
    this.exit = new Promise((resolve) => this.#child.once('close', (code) => resolve(code ?? -1)));
    void this.exit.then(() => {
      this.#exited = true;
    });
  }

  #receive(data: Buffer): void {
    this.bytesReceived += data.length;
    this.output += data.toString('latin1');
    this.#emulator.write(data);
  }

  /** Process number of the helper that holds the terminal; the program is its child. */
  get relayPid(): number {
    return this.#child.pid ?? -1;
  }

  send(text: string): void {
    if (!this.#exited) (this.#child.stdin as Writable).write(text);
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    (this.#child.stdio[3] as Writable).write(`size ${columns} ${rows}\n`);
  }

  /** Sends a signal to the program itself. */
  signalProgram(name: 'TERM' | 'HUP' | 'INT'): void {
    (this.#child.stdio[3] as Writable).write(`signal ${name}\n`);
  }

  hangUp(): void {
    (this.#child.stdio[3] as Writable).write('hangup\n');
  }

  /** Rows of the screen, trailing blanks removed. */
  grid(): string[] {
    const buffer = this.#emulator.buffer.active;
    return Array.from({ length: this.#emulator.rows }, (_, y) => buffer.getLine(buffer.viewportY + y)?.translateToString(true) ?? '');
  }

  text(): string {
    return this.grid().join('\n');
  }

  /** The whole scrollback and the screen. */
  history(): string {
    const buffer = this.#emulator.buffer.active;
    return Array.from({ length: buffer.length }, (_, y) => buffer.getLine(y)?.translateToString(true) ?? '').join('\n');
  }

  /** Waits until the screen shows a text. Rejects with the screen as it is. */
  async waitFor(pattern: string | RegExp, waitMs: number = WAIT_MS): Promise<string> {
    const end = Date.now() + waitMs;
    const matches = (): boolean => (typeof pattern === 'string' ? this.text().includes(pattern) : pattern.test(this.text()));
    while (!matches()) {
      if (Date.now() > end || this.#exited)
        throw new Error(`no ${pattern} on the screen${this.#exited ? ' (program ended)' : ''}:\n${this.text()}`);
      await sleep(POLL_MS);
    }
    return this.text();
  }

  /** Waits until nothing has been written for a while. */
  async settle(quietMs = 80): Promise<void> {
    for (let seen = -1; seen !== this.bytesReceived; ) {
      seen = this.bytesReceived;
      await sleep(quietMs);
    }
  }

  /**
   * Sends keys and gives what they cost: bytes until the line is quiet, and milliseconds until the first byte, infinite when
   * none came within `answerMs`.
   */
  async press(text: string, answerMs = 2000): Promise<{ readonly bytes: number; readonly firstByteMs: number }> {
    await this.settle();
    const before = this.bytesReceived;
    const start = performance.now();
    this.send(text);
    let firstByteMs = Number.POSITIVE_INFINITY;
    for (const end = start + answerMs; performance.now() < end; await sleep(1)) {
      if (this.bytesReceived > before) {
        firstByteMs = performance.now() - start;
        break;
      }
    }
    await this.settle();
    return { bytes: this.bytesReceived - before, firstByteMs };
  }

  close(): void {
    if (!this.#exited) this.signalProgram('HUP');
  }
}
