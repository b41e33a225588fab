/** Terminals by path: opened without becoming their slave, closed for good, and handed to a login. */
import { spawn } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
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
