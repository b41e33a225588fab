/** Plain lines on several consoles at once, for a run that nobody may be watching. A dead line never holds it up. */
import fs from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { printableLine } from './log.ts';

/** How long one line may wait for one console. 80 characters need 7 ms at 115200 baud. */
const LINE_BUDGET_MS = 1_000;
const RETRY_MS = 10;

const isBusy = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAGAIN';

interface Open {
  readonly fd: number;
  /** False after an error or a time-out: nothing more is sent there. */
  isAlive: boolean;
}

async function send(target: Open, text: string): Promise<void> {
  let rest = Buffer.from(text, 'utf8');
  const endMs = performance.now() + LINE_BUDGET_MS;
  while (rest.length > 0 && target.isAlive) {
    try {
      rest = rest.subarray(fs.writeSync(target.fd, rest));
    } catch (error) {
      if (!isBusy(error) || performance.now() > endMs) target.isAlive = false;
      else await delay(RETRY_MS);
    }
  }
}

export class ConsoleLines {
  readonly #open: Open[] = [];

  /** Devices that cannot be opened are left out: the others still get every line. No device: standard output. */
  constructor(devices: readonly string[]) {
    for (const device of devices) {
      try {
        const fd = fs.openSync(device, fs.constants.O_WRONLY | fs.constants.O_NOCTTY | fs.constants.O_NONBLOCK);
        this.#open.push({ fd, isAlive: true });
      } catch {
        // Listed as a console, but no such line in this box.
      }
    }
    if (devices.length === 0) this.#open.push({ fd: 1, isAlive: true });
  }

  /** Writes whole lines; control characters are shown, not sent. Resolves when every live console took them or gave up. */
  async lines(texts: readonly string[]): Promise<void> {
    const block = texts.map((text) => `${printableLine(text)}\r\n`).join('');
    await Promise.all(this.#open.map((target) => send(target, block)));
  }

  close(): void {
    for (const { fd } of this.#open) if (fd > 2) fs.closeSync(fd);
    this.#open.length = 0;
  }
}
