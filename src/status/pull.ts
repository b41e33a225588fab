/** One long GET over a unix socket, line by line, with an end for every way it can go wrong. */
import http from 'node:http';

export const MAX_FRAME_BYTES = 1024 * 1024;

/** Some dozens of log lines: what is fed to a reader at once. */
const PIECE_BYTES = 8 * 1024;

/** Cuts a byte stream into lines; a line beyond the limit ends the stream. */
export function lineReader(maxBytes: number, onLine: (line: string) => void, onTooLong: () => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  let broken = false;
  return (chunk) => {
    if (broken) return;
    rest += decoder.decode(chunk, { stream: true });
    let from = 0;
    for (let end = rest.indexOf('\n', from); end >= 0 && !broken; end = rest.indexOf('\n', from)) {
      const line = rest.slice(from, end);
      from = end + 1;
      if (line.trim() !== '') onLine(line);
    }
    rest = rest.slice(from);
    if (rest.length > maxBytes) {
      broken = true;
      rest = '';
      onTooLong();
    }
  };
}

/** Work on what arrived, at one go; then keys and timers have their turn. */
const SLICE_MS = 5;
/** A sender without end gets at most a third of a processor. */
const REST_MS = 10;

interface Readable {
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
}

/**
 * Gives chunks to `feed` in small pieces, with pauses as soon as it takes long. Meanwhile nothing more is read, so that the
 * sender waits. `onEnd` comes after the last piece.
 */
function readPaced(source: Readable, feed: (chunk: Uint8Array) => void, onEnd: () => void): void {
  const waiting: Uint8Array[] = [];
  let isWorking = false;
  let hasEnded = false;
  let spentMs = 0;
  const work = (): void => {
    const startMs = performance.now();
    for (let chunk = waiting.shift(); chunk !== undefined; chunk = waiting.shift()) {
      feed(chunk.subarray(0, PIECE_BYTES));
      if (chunk.length > PIECE_BYTES) waiting.unshift(chunk.subarray(PIECE_BYTES));
      if (waiting.length > 0 && spentMs + performance.now() - startMs > SLICE_MS) break;
    }
    spentMs += performance.now() - startMs;
    if (waiting.length === 0 && spentMs < SLICE_MS) {
      rest();
      return;
    }
    spentMs = 0;
    setTimeout(waiting.length > 0 ? work : rest, REST_MS);
  };
  const rest = (): void => {
    isWorking = false;
    if (hasEnded) onEnd();
    else source.resume();
  };
  source.on('data', (chunk) => {
    waiting.push(chunk);
    source.pause();
    if (isWorking) return;
    isWorking = true;
    work();
  });
  source.on('end', () => {
    hasEnded = true;
    if (!isWorking) onEnd();
  });
}

const NO_SOCKET = 'no socket';
const NOBODY_LISTENS = 'nobody listens on the socket';

/** Nobody is there at all, as against somebody who cannot be understood. */
export const isNobody = (why: string): boolean => why === NO_SOCKET || why === NOBODY_LISTENS;

/** A failure of the socket in words. */
export const reasonOf = (error: Error): string => {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ENOENT') return NO_SOCKET;
  if (code === 'ECONNREFUSED') return NOBODY_LISTENS;
  if (code === 'EACCES') return 'no permission for the socket';
  if (code.startsWith('HPE_')) return 'what answers there does not speak HTTP';
  return code === 'ECONNRESET' ? 'connection lost' : error.message;
};

const BUSY = 503;
const BUSY_WORDS = 'the supervisor is busy';

export interface Pull {
  stop(): void;
}

/** One long GET. `onEnd` is called exactly once. */
export function pull(
  socketPath: string,
  path: string,
  silenceMs: number,
  onLine: (line: string) => string | null,
  onEnd: (why: string) => void,
): Pull {
  let ended = false;
  const finish = (why: string): void => {
    if (ended) return;
    ended = true;
    clearTimeout(silence);
    req.destroy();
    onEnd(why);
  };
  const silence = setTimeout(() => finish(`silent for ${Math.round(silenceMs / 1000)} s`), silenceMs);
  const req = http.get({ socketPath, path, headers: { accept: 'application/x-ndjson' }, agent: false }, (res) => {
    if (res.statusCode !== 200) {
      finish(res.statusCode === BUSY ? BUSY_WORDS : `the socket answers ${res.statusCode ?? 'nothing'}`);
      return;
    }
    const feed = lineReader(
      MAX_FRAME_BYTES,
      (line) => {
        if (ended) return;
        silence.refresh();
        const why = onLine(line);
        if (why !== null) finish(why);
      },
      () => finish('a frame is larger than 1 MiB'),
    );
    readPaced(
      res,
      (piece) => {
        if (!ended) feed(piece);
      },
      () => finish('the supervisor closed the connection'),
    );
    res.on('error', (e: Error) => finish(reasonOf(e)));
  });
  req.on('error', (e: Error) => finish(reasonOf(e)));
  return { stop: () => finish('stopped') };
}

/** `isBusy`: somebody is there, and has no time now. */
export type Answer = { readonly ok: true; readonly body: string } | { readonly ok: false; readonly why: string; readonly isBusy?: boolean };

const ANSWER_MS = 5_000;
const MAX_ANSWER_BYTES = 4 * MAX_FRAME_BYTES;

/** One short GET: the whole answer within `limitMs`, however the bytes come, and no more than 4 MiB of it. */
export function getOnce(socketPath: string, path: string, limitMs = ANSWER_MS): Promise<Answer> {
  return new Promise((resolve) => {
    const finish = (answer: Answer): void => {
      clearTimeout(limit);
      resolve(answer);
      req.destroy();
    };
    const fail = (e: Error): void => finish({ ok: false, why: reasonOf(e) });
    const limit = setTimeout(() => finish({ ok: false, why: `no complete answer within ${limitMs / 1000} s` }), limitMs);
    const req = http.get({ socketPath, path, agent: false }, (res) => {
      if (res.statusCode === BUSY) return finish({ ok: false, why: BUSY_WORDS, isBusy: true });
      if (res.statusCode !== 200) return finish({ ok: false, why: `it answers ${res.statusCode ?? 'nothing'}` });
      const parts: Uint8Array[] = [];
      let sizeBytes = 0;
      res.on('data', (part: Uint8Array) => {
        parts.push(part);
        sizeBytes += part.length;
        if (sizeBytes > MAX_ANSWER_BYTES) finish({ ok: false, why: `the answer is larger than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB` });
      });
      res.on('end', () => finish({ ok: true, body: Buffer.concat(parts).toString('utf8') }));
      res.on('error', fail);
    });
    req.on('error', fail);
  });
}
