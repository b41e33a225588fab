/** The one way a recorded machine, or a listing to make one from, is read from a file. */

import path from 'node:path';
import { MAX_CAPTURE_BYTES } from '#model/limits.ts';
import type { Machine } from '#model/machine.ts';
import { messageOf } from '#system/complain.ts';
import { errnoOf } from '#system/files.ts';
import { InputError, readLimitedInput } from '#system/input.ts';
import { CaptureError, readCapture } from './capture-file.ts';
import { decodeJsonText } from './lsblk-json.ts';

/** A file that cannot be read or written; the message names it. */
export class FileError extends Error {}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
};

function whyUnreadable(error: unknown): string {
  if (error instanceof InputError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return WHY[code] ?? messageOf(error);
}

/** Why a file could not be written. It is made beside itself first, so what the system complains about is its directory. */
export function whyUnwritable(file: string, error: unknown): string {
  const dir = path.dirname(path.resolve(file));
  switch (errnoOf(error)) {
    case 'ENOENT':
      return `the directory ${dir} does not exist`;
    case 'ENOTDIR':
      return `${dir} is not a directory`;
    case 'EACCES':
    case 'EPERM':
      return `no permission to write in ${dir}`;
    case 'EROFS':
      return `${dir} is on a read-only file system`;
    case 'ENOSPC':
      return `no space left in ${dir}`;
    case 'EISDIR':
      return 'it is a directory';
    default:
      return messageOf(error);
  }
}

/** Bytes of a capture or a listing; `-` is standard input. Throws FileError. */
export async function readMachineFile(file: string): Promise<Uint8Array> {
  try {
    return await readLimitedInput(file, MAX_CAPTURE_BYTES);
  } catch (error) {
    throw new FileError(`cannot read ${file}: ${whyUnreadable(error)}`);
  }
}

/** Runs a reader and puts the file's name before what it complains about. */
export function named<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CaptureError) throw new CaptureError(`${file}: ${error.message}`);
    throw error;
  }
}

/** Throws FileError when the file cannot be read, CaptureError when it is no capture. Both messages name the file. */
export async function loadCapture(file: string): Promise<Machine> {
  const bytes = await readMachineFile(file);
  return named(file, () => readCapture(decodeJsonText(bytes)));
}
