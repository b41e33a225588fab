/** One slow reader must cost nothing: what it has not taken yet is counted, and past a limit it is let go. */
import type { ServerResponse } from 'node:http';

/** Above this no further frame is written; the newest state is sent once the reader has caught up. */
const HIGH_WATER_BYTES = 64 * 1024;
/** A reader that takes nothing for this long is dropped. */
const STUCK_MS = 30_000;

export interface NdjsonWriter {
  /** False: the reader is behind; call again after `onReady`. */
  readonly ready: boolean;
  write(frame: unknown): void;
}

/**
 * Answers a request with newline-delimited JSON that goes on until either side ends it.
 * `onReady` is called when a reader that was behind has caught up, `onClose` once.
 */
export function ndjsonWriter(res: ServerResponse, onReady: () => void, onClose: () => void): NdjsonWriter {
  res.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  res.flushHeaders();
  let stuck: NodeJS.Timeout | null = null;
  const clear = (): void => {
    if (stuck) clearTimeout(stuck);
    stuck = null;
  };
  res.on('drain', () => {
    clear();
    onReady();
  });
  res.on('close', () => {
    clear();
    onClose();
  });
  // An error is always followed by close.
  res.on('error', () => undefined);
  const isBehind = (): boolean => res.writableLength > HIGH_WATER_BYTES;
  return {
    get ready() {
      return !isBehind() && stuck === null;
    },
    write(frame) {
      if (res.destroyed) return;
      res.write(`${JSON.stringify(frame)}\n`);
      if (isBehind() && stuck === null) stuck = setTimeout(() => res.destroy(), STUCK_MS);
    },
  };
}
