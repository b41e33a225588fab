/** One long GET over a unix socket, line by line, with an end for every way it can go wrong. */
import http from 'node:http';

export const MAX_FRAME_BYTES = 1024 * 1024;

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

/** A failure of the socket in words. */
export const reasonOf = (error: Error): string => {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'ENOENT') return 'no socket';
  if (code === 'ECONNREFUSED') return 'nobody listens on the socket';
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
    res.on('data', feed);
    res.on('end', () => finish('the supervisor closed the connection'));
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

/** A JSON text, undefined when it is none. */
export function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
