/** Terminals by path: opened without becoming their slave, closed for good, and handed to a login. */
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ReadStream, WriteStream } from 'node:tty';
import { readTextIfExists, writeInPlace } from './files.ts';
import { TOOL_PATH } from './run.ts';

export interface OpenTty {
  readonly input: ReadStream;
  readonly output: WriteStream;
  /** Reads the size from the kernel again; a terminal that is not our controlling one sends no signal. */
  refreshSize(): void;
  close(): void;
}

/** The part of Node's terminal stream that reads the window size; used because SIGWINCH reaches only the controlling terminal. */
interface Resizable {
  _refreshSize?(): void;
}

/**
 * Opens a terminal for reading and writing. Does not wait for a carrier and does not make it the controlling terminal.
 * Throws the errno of the failure; `EIO` when the other side is gone.
 */
export function openTty(path: string): OpenTty {
  const flags = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;
  const readFd = openSync(path, flags);
  let writeFd: number;
  try {
    writeFd = openSync(path, flags);
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
  const input = new ReadStream(readFd);
  const output = new WriteStream(writeFd);
  return {
    input,
    output,
    refreshSize: () => (output as Resizable)._refreshSize?.(),
    close: () => {
      input.destroy();
      output.destroy();
    },
  };
}

/** The terminal of standard input and output; null when either is none (a pipe, a file, a service). */
export function ownTerminal(): { readonly input: ReadStream; readonly output: WriteStream } | null {
  return process.stdin.isTTY && process.stdout.isTTY ? { input: process.stdin, output: process.stdout } : null;
}

const LOGIN_TIMEOUT_S = 60;

/** `/dev/ttyS0` as getty programs write it. */
const shortName = (path: string): string => path.replace(/^\/dev\//, '');

/**
 * Gives a terminal to agetty and waits until the login is over, or nobody logged in within a minute.
 * The terminal has to be closed before, and opened again afterwards. `signal` ends the login early.
 */
export function loginOn(path: string, term: string, signal: AbortSignal): Promise<void> {
  const argv = ['--noclear', '--keep-baud', '--timeout', String(LOGIN_TIMEOUT_S), '-o', '-p -- \\u', shortName(path), term];
  return new Promise((resolve, reject) => {
    const child = spawn('agetty', argv, { stdio: 'ignore', detached: true, env: { PATH: TOOL_PATH, TERM: term } });
    const stop = (): void => void child.kill('SIGTERM');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    child.on('error', reject);
    child.on('exit', () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}

const IDLE_LOOK_MS = 15_000;
/** Character set, scroll region and colours as a terminal has them when it is switched on; then an empty screen. */
const SOFT_RESET = '\x1b(B\x0f\x1b[r\x1b[m\x1b[2J\x1b[H';

/** Milliseconds since somebody typed on a terminal: the kernel keeps it as the time of its last reading. */
async function idleMs(path: string): Promise<number> {
  const facts = await stat(path).catch(() => null);
  return facts === null ? 0 : Date.now() - Math.max(facts.atimeMs, facts.mtimeMs);
}

/**
 * Gives a terminal to a program, in a session of its own with that terminal, and waits until it ends. It is ended when
 * nobody typed for `idleLimitMs`, or by `signal`. The terminal has to be closed before, and opened again afterwards.
 * Rejects when the terminal or the program cannot be opened.
 */
export async function programOn(
  path: string,
  argv: readonly string[],
  term: string,
  idleLimitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY);
  let look: NodeJS.Timeout | undefined;
  try {
    writeSync(fd, `${SOFT_RESET}\x1b[?25h`);
    const child = spawn('setsid', ['--ctty', '--wait', ...argv], {
      stdio: [fd, fd, 'inherit'],
      env: { PATH: TOOL_PATH, TERM: term, LANG: 'C.UTF-8', HOME: '/root' },
    });
    const stop = (): void => void child.kill('SIGTERM');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    const startedMs = Date.now();
    look = setInterval(async () => {
      if (Date.now() - startedMs > idleLimitMs && (await idleMs(path)) > idleLimitMs) stop();
    }, IDLE_LOOK_MS);
    await new Promise<void>((resolve, reject) => {
      child.on('error', reject);
      child.on('exit', () => resolve());
    });
    signal.removeEventListener('abort', stop);
  } finally {
    clearInterval(look);
    // The line may be gone by now.
    try {
      writeSync(fd, SOFT_RESET);
    } catch {}
    closeSync(fd);
  }
}

const PRINTK = '/proc/sys/kernel/printk';

/**
 * Keeps kernel messages below an emergency off the screens; they are still in the log. Returns what undoes it.
 * Without the right to do so nothing happens.
 */
export async function quietKernel(): Promise<() => Promise<void>> {
  const before = (await readTextIfExists(PRINTK))?.trim() ?? '';
  const level = Number(before.split(/\s+/)[0]);
  if (!Number.isInteger(level) || level <= 1) return async () => undefined;
  try {
    await writeInPlace(PRINTK, '1');
  } catch {
    return async () => undefined;
  }
  return async () => writeInPlace(PRINTK, String(level)).catch(() => undefined);
}
