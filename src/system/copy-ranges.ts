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

/** The ranges cut into pieces of at most PIECE_BYTES, in order. */
function* piecesOf(ranges: readonly ByteRange[]): Generator<ByteRange> {
  for (const { startBytes, lengthBytes } of ranges)
    for (let at = 0; at < lengthBytes; at += PIECE_BYTES)
      yield { startBytes: startBytes + at, lengthBytes: Math.min(PIECE_BYTES, lengthBytes - at) };
}

/**
 * Copies and flushes; one piece is read while the one before is written.
 * Throws what failed, with device and byte; a short read too: the source ended before its file system did.
 */
export async function copyRanges(from: string, to: string, ranges: readonly ByteRange[], options: CopyOptions = {}): Promise<void> {
  const source = await fs.open(from, 'r');
  const target = await fs.open(to, 'r+');
  const fill = async (buffer: Uint8Array, { startBytes, lengthBytes }: ByteRange) => {
    for (let done = 0; done < lengthBytes; ) {
      const at = startBytes + done;
      const { bytesRead } = await on(`reading ${from} at byte ${at}`, source.read(buffer, done, lengthBytes - done, at));
      if (bytesRead === 0) throw new Error(`${from} ends at byte ${at}`);
      done += bytesRead;
    }
  };
  const store = async (buffer: Uint8Array, { startBytes, lengthBytes }: ByteRange) => {
    for (let done = 0; done < lengthBytes; ) {
      const at = startBytes + done;
      done += (await on(`writing ${to} at byte ${at}`, target.write(buffer, done, lengthBytes - done, at))).bytesWritten;
    }
  };
  let doneBytes = 0;
  let [free, full] = [new Uint8Array(PIECE_BYTES), new Uint8Array(PIECE_BYTES)];
  let storing = Promise.resolve();
  try {
    for (const piece of piecesOf(ranges)) {
      options.signal?.throwIfAborted();
      await Promise.all([fill(free, piece), storing]);
      [free, full] = [full, free];
      storing = store(full, piece).then(() => {
        doneBytes += piece.lengthBytes;
        options.onBytes?.(doneBytes);
      });
      // Its failure is met at the next turn; until then it must not count as one that nobody looks at.
      storing.catch(() => undefined);
    }
    await storing;
    await on(`flushing ${to}`, target.sync());
  } finally {
    await storing.catch(() => undefined);
    await source.close();
    await target.close();
  }
}
