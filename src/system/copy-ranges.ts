/** Copies parts of one device to the same places on another, in large pieces. */
import fs from 'node:fs/promises';
import { messageOf } from './complain.ts';

export interface ByteRange {
  readonly startBytes: number;
  readonly lengthBytes: number;
}

const PIECE_BYTES = 4 * 1024 * 1024;

export interface CopyOptions {
  readonly onBytes?: (doneBytes: number) => void;
  readonly signal?: AbortSignal;
}

/** Gives an error of the device the name of the device: the system's own text says neither which one nor where. */
async function on<T>(doing: string, action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (error) {
    throw new Error(`${doing}: ${messageOf(error)}`, { cause: error });
  }
}

/** Copies and flushes. Throws what failed, with device and byte; a short read too: the source ended before its file system did. */
export async function copyRanges(from: string, to: string, ranges: readonly ByteRange[], options: CopyOptions = {}): Promise<void> {
  const source = await fs.open(from, 'r');
  const target = await fs.open(to, 'r+');
  const buffer = new Uint8Array(PIECE_BYTES);
  let doneBytes = 0;
  try {
    for (const { startBytes, lengthBytes } of ranges) {
      for (let at = 0; at < lengthBytes; ) {
        options.signal?.throwIfAborted();
        const length = Math.min(PIECE_BYTES, lengthBytes - at);
        const { bytesRead } = await on(`reading ${from} at byte ${startBytes + at}`, source.read(buffer, 0, length, startBytes + at));
        if (bytesRead === 0) throw new Error(`${from} ends at byte ${startBytes + at}`);
        for (let written = 0; written < bytesRead; ) {
          const offset = startBytes + at + written;
          const piece = target.write(buffer, written, bytesRead - written, offset);
          written += (await on(`writing ${to} at byte ${offset}`, piece)).bytesWritten;
        }
        at += bytesRead;
        doneBytes += bytesRead;
        options.onBytes?.(doneBytes);
      }
    }
    await on(`flushing ${to}`, target.sync());
  } finally {
    await source.close();
    await target.close();
  }
}
