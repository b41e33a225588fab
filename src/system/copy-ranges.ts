/** Copies parts of one device to the same places on another, in large pieces. */
import fs from 'node:fs/promises';
import { messageOf } from './complain.ts';

export interface ByteRange {
  readonly startBytes: number;
  readonly lengthBytes: number;
}

const PIECE_BYTES = 4 * 1024 * 1024;
/** So much is let gather in memory before the disk is set to work on it. */
const FLUSH_EVERY_BYTES = 32 * 1024 * 1024;

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

/**
 * Flushes now and then while the copy goes on, so that reading and the disk's writing overlap. A failure is told once only by the
 * kernel, so it is kept until somebody asks.
 */
export class EarlyFlush {
  readonly #flush: () => Promise<void>;
  #running: Promise<void> | null = null;
  #failure: Error | null = null;
  #waitingBytes = 0;

  constructor(flush: () => Promise<void>) {
    this.#flush = flush;
  }

  /** Never waits for the disk. @throws the failure of an earlier flush */
  wrote(bytes: number): void {
    if (this.#failure !== null) throw this.#failure;
    this.#waitingBytes += bytes;
    if (this.#running !== null || this.#waitingBytes < FLUSH_EVERY_BYTES) return;
    this.#waitingBytes = 0;
    this.#running = this.#flush()
      .catch((error: unknown) => {
        this.#failure = error instanceof Error ? error : new Error(messageOf(error));
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** Until none runs. Never rejects. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** @throws the failure of any flush */
  async end(): Promise<void> {
    await this.settled();
    if (this.#failure !== null) throw this.#failure;
    this.#waitingBytes = 0;
    await this.#flush();
  }
}

/** Copies and flushes. Throws what failed, with device and byte; a short read too: the source ended before its file system did. */
export async function copyRanges(from: string, to: string, ranges: readonly ByteRange[], options: CopyOptions = {}): Promise<void> {
  const source = await fs.open(from, 'r');
  const target = await fs.open(to, 'r+');
  const buffer = new Uint8Array(PIECE_BYTES);
  const early = new EarlyFlush(() => on(`flushing ${to}`, target.sync()));
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
        early.wrote(bytesRead);
        doneBytes += bytesRead;
        options.onBytes?.(doneBytes);
      }
    }
    await early.end();
  } finally {
    await early.settled();
    await source.close();
    await target.close();
  }
}
