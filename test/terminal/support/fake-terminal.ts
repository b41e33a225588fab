/** A terminal inside the process: an emulator behind the streams that the wizard takes. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import headless from '@xterm/headless';

export class FakeTerminal {
  readonly input = new PassThrough();
  readonly output: EventEmitter & { columns: number; rows: number; write(text: string, done?: () => void): boolean };
  bytesReceived = 0;
  readonly #emulator: InstanceType<typeof headless.Terminal>;

  constructor(columns = 80, rows = 24) {
    this.#emulator = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
    this.output = Object.assign(new EventEmitter(), {
      columns,
      rows,
      write: (text: string, done?: () => void): boolean => {
        this.bytesReceived += Buffer.byteLength(text);
        this.#emulator.write(text, done);
        return true;
      },
    });
  }

  type(text: string): void {
    this.input.write(text);
  }

  text(): string {
    const buffer = this.#emulator.buffer.active;
    return Array.from({ length: this.#emulator.rows }, (_, y) => buffer.getLine(buffer.viewportY + y)?.translateToString(true) ?? '').join(
      '\n',
    );
  }

  async waitFor(pattern: RegExp | string, waitMs = 5000): Promise<string> {
    for (const end = Date.now() + waitMs; ; await sleep(10)) {
      const text = this.text();
      if (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)) return text;
      if (Date.now() > end) throw new Error(`no ${pattern} on the screen:\n${text}`);
    }
  }
}
