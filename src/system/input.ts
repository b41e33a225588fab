/** Files that an operator names: regular ones, and pipes that may never say anything. */
import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { InputError, readStdin } from './stdin.ts';

export { InputError, isInputTerminal } from './stdin.ts';

/** A pipe that is silent for so long is given up. */
const SILENCE_MS = 10_000;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

const isBusy = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAGAIN';

/** A pipe without a name was opened by whoever writes into it, so its end is its end, even when nothing came. */
async function isNamelessPipe(fd: number): Promise<boolean> {
  try {
    return (await fs.readlink(`/proc/self/fd/${fd}`)).startsWith('pipe:');
  } catch {
    return false;
  }
}

/** One read; null: no data yet. Of a named pipe without a writer the kernel says "end". */
async function readSome(handle: fs.FileHandle, buffer: Uint8Array): Promise<number | null> {
  try {
    return (await handle.read(buffer, 0, buffer.length, null)).bytesRead;
  } catch (error) {
    if (isBusy(error)) return null;
    throw error;
  }
}

async function drain(handle: fs.FileHandle, maxBytes: number, silenceMs: number): Promise<Uint8Array> {
  const stat = await handle.stat();
  const waitsForWriter = stat.isFIFO() && !(await isNamelessPipe(handle.fd));
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  let pauseMs = FIRST_PAUSE_MS;
  let lastMs = performance.now();
  // A regular file in one piece; what grows, or has no size (pipes, /proc), in further ones.
  let buffer = new Uint8Array(Math.min(maxBytes, stat.isFile() ? stat.size + 1 : 65_536));
  while (sizeBytes < maxBytes) {
    if (buffer.length === 0) buffer = new Uint8Array(Math.min(maxBytes - sizeBytes, 65_536));
    const count = await readSome(handle, buffer);
    if (count === 0 && (sizeBytes > 0 || !waitsForWriter)) break;
    if (count !== null && count > 0) {
      pieces.push(buffer.subarray(0, count));
      buffer = buffer.subarray(count);
      sizeBytes += count;
      [lastMs, pauseMs] = [performance.now(), FIRST_PAUSE_MS];
      continue;
    }
    if (performance.now() - lastMs >= silenceMs) throw new InputError(`no data came within ${silenceMs / 1000} s`);
    await delay(pauseMs);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }
  return Buffer.concat(pieces).subarray(0, maxBytes);
}

/**
 * At most `maxBytes` from the start of a file, a pipe, or standard input (`-`). Never waits for good: a pipe or a device
 * without data for `silenceMs` is an InputError. Other failures are those of the file system.
 */
export async function readInput(file: string, maxBytes: number, silenceMs = SILENCE_MS): Promise<Uint8Array> {
  if (file === '-') return readStdin(maxBytes);
  const handle = await fs.open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    return await drain(handle, maxBytes, silenceMs);
  } finally {
    await handle.close();
  }
}

/** As `readInput`; a file with more than `maxBytes` is an InputError that names the limit. */
export async function readLimitedInput(file: string, maxBytes: number): Promise<Uint8Array> {
  const bytes = await readInput(file, maxBytes + 1);
  if (bytes.length > maxBytes) throw new InputError(`it is larger than ${maxBytes / 1024 ** 2} MiB`);
  return bytes;
}
