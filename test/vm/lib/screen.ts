/** A serial line as the screen that a person at its other end sees. */
import fs from 'node:fs';
import type net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import xterm from '@xterm/headless';

const KEYS = {
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  enter: '\r',
  escape: '\x1b',
  tab: '\t',
  'ctrl-e': '\x05',
  'ctrl-x': '\x18',
} as const;
export type Key = keyof typeof KEYS;

const POLL_MS = 50;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class Screen {
  readonly #terminal = new xterm.Terminal({ cols: 80, rows: 24, scrollback: 5000, allowProposedApi: true });
  readonly #socket: net.Socket;
  #raw = '';
  #lastByteMs = 0;

  /** `socket` is read from here on, always: QEMU stops the guest when nobody takes its output. */
  constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      this.#raw += chunk;
      this.#lastByteMs = Date.now();
      this.#terminal.write(Buffer.from(chunk, 'latin1'));
    });
    // A real terminal answers queries of size and type; systemd and the programs ask.
    this.#terminal.onData((reply) => socket.write(reply));
  }

  /** Every byte that ever came, for what a screen no longer shows. */
  get raw(): string {
    return this.#raw;
  }

  /** The lines now on the screen, right-trimmed, joined by line ends. */
  text(): string {
    const buffer = this.#terminal.buffer.active;
    const lines: string[] = [];
    for (let y = 0; y < this.#terminal.rows; y++) lines.push(buffer.getLine(buffer.baseY + y)?.translateToString(true) ?? '');
    return lines.join('\n');
  }

  /** UEFI firmware draws on 50 rows or so; everything after the boot menu keeps to 24. */
  setRows(rows: number): void {
    this.#terminal.resize(80, rows);
  }

  key(...keys: readonly Key[]): void {
    for (const k of keys) this.#socket.write(KEYS[k]);
  }

  type(text: string): void {
    this.#socket.write(text);
  }

  /** Waits until the screen shows `wanted`; the error holds the screen it had instead. */
  async waitFor(wanted: RegExp, timeoutMs: number, what = String(wanted)): Promise<string> {
    const deadlineMs = Date.now() + timeoutMs;
    for (;;) {
      const text = this.text();
      if (wanted.test(text)) return text;
      if (Date.now() > deadlineMs)
        throw new Error(
          `${what}: not seen within ${timeoutMs / 1000} s; the serial line shows:\n${text}\n--- last bytes (all: ${this.#keep()}):\n${this.#raw.slice(-1500)}`,
        );
      await sleep(POLL_MS);
    }
  }

  /** What was there for a moment only is in the bytes. */
  #keep(): string {
    const file = path.join(os.tmpdir(), `spatium-serial-${process.pid}-${Date.now()}.txt`);
    fs.writeFileSync(file, this.#raw, 'latin1');
    return file;
  }

  /** Waits until `quietMs` passed without a byte. */
  async settle(quietMs: number, timeoutMs: number): Promise<void> {
    const deadlineMs = Date.now() + timeoutMs;
    while (Date.now() < deadlineMs && Date.now() - this.#lastByteMs < quietMs) await sleep(POLL_MS);
  }
}
