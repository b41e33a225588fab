/** Copies parts of one device to the same places on another, in large pieces. */
import fs from 'node:fs/promises';

export interface ByteRange {
  readonly startBytes: number;
  readonly lengthBytes: number;
}

const PIECE_BYTES = 4 * 1024 * 1024;

export interface CopyOptions {
  readonly onBytes?: (doneBytes: number) => void;
  readonly signal?: AbortSignal;
}

/** Copies and flushes. Throws what reading or writing throws, a short read included: the source ended before its file system did. */
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
        const { bytesRead } = await source.read(buffer, 0, length, startBytes + at);
        if (bytesRead === 0) throw new Error(`${from} ends at byte ${startBytes + at}`);
        for (let written = 0; written < bytesRead; )
          written += (await target.write(buffer, written, bytesRead - written, startBytes + at + written)).bytesWritten;
        at += bytesRead;
        doneBytes += bytesRead;
        options.onBytes?.(doneBytes);
      }
    }
    await target.sync();
  } finally {
    await source.close();
    await target.close();
  }
}
