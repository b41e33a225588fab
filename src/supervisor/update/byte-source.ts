/** One GET of a file over http(s), answered as headers and a stream. No cookies, no credentials, redirects followed a few times. */
import http from 'node:http';
import https from 'node:https';
import { whenNoReply } from '#system/http-end.ts';

export interface ByteReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Drops the connection. */
  readonly close: () => void;
}

/** @throws Error for what the network does; a status is never an error. */
export type GetBytes = (url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<ByteReply>;

export interface ByteSourceOptions {
  /** The agent for a host whose key is pinned; undefined: the system's authorities decide. */
  readonly agentFor: (url: URL) => Promise<https.Agent | undefined>;
  readonly userAgent: string;
  /** From the request to the headers of the reply. */
  readonly headersMs: number;
}

const MAX_REDIRECTS = 5;
const AHEAD_BYTES = 1024 * 1024;

/**
 * The body, taken off the stream as it comes. Reading the stream itself would lose what had arrived when the line breaks,
 * and with it the point to go on from.
 */
async function* takenOff(response: http.IncomingMessage): AsyncGenerator<Uint8Array> {
  const queue: Uint8Array[] = [];
  let aheadBytes = 0;
  let end: { readonly error: Error | null } | null = null;
  let wake: () => void = () => undefined;
  const finish = (error: Error | null): void => {
    end ??= { error };
    wake();
  };
  response.on('data', (chunk: Uint8Array) => {
    queue.push(chunk);
    aheadBytes += chunk.length;
    if (aheadBytes > AHEAD_BYTES) response.pause();
    wake();
  });
  response.once('end', () => finish(response.complete ? null : new Error('the transfer was cut')));
  response.on('error', finish);
  response.once('close', () => finish(response.complete ? null : new Error('the transfer was cut')));
  yield new Uint8Array();
  for (;;) {
    const chunk = queue.shift();
    if (chunk !== undefined) {
      aheadBytes -= chunk.length;
      if (response.isPaused() && aheadBytes <= AHEAD_BYTES / 2) response.resume();
      yield chunk;
      continue;
    }
    // Set by the listeners, which the flow analysis does not see.
    const ended = end as { readonly error: Error | null } | null;
    if (ended?.error) throw ended.error;
    if (ended) return;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

function ask(
  url: URL,
  headers: Readonly<Record<string, string>>,
  agent: https.Agent | undefined,
  options: ByteSourceOptions,
  signal: AbortSignal,
): Promise<ByteReply> {
  return new Promise((resolve, reject) => {
    const sent = { accept: 'application/octet-stream', 'accept-encoding': 'identity', 'user-agent': options.userAgent, ...headers };
    const onResponse = (response: http.IncomingMessage): void => {
      clearTimeout(limit);
      const flat = Object.fromEntries(Object.entries(response.headers).map(([k, v]) => [k, Array.isArray(v) ? v.join(', ') : v]));
      const chunks = takenOff(response);
      // To its first yield, so that it listens from now on.
      void chunks.next();
      resolve({ status: response.statusCode ?? 0, headers: flat, chunks, close: () => response.destroy() });
    };
    const request =
      url.protocol === 'https:'
        ? https.get(url, { headers: sent, signal, agent: agent ?? false, minVersion: 'TLSv1.2' }, onResponse)
        : http.get(url, { headers: sent, signal, agent: false }, onResponse);
    const limit = setTimeout(
      () => request.destroy(new Error(`no reply within ${Math.round(options.headersMs / 1000)} s`)),
      options.headersMs,
    );
    const fail = (error: Error): void => {
      clearTimeout(limit);
      reject(error);
    };
    request.on('error', fail);
    whenNoReply(request, fail);
  });
}

/** A source that follows redirects, but never from https to anything else. What it fetches is checked by hash and signature. */
export function byteSource(options: ByteSourceOptions): GetBytes {
  return async (start, headers, signal) => {
    let url = start;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const reply = await ask(url, headers, await options.agentFor(url), options, signal);
      const location = reply.headers['location'];
      if (![301, 302, 303, 307, 308].includes(reply.status) || location === undefined) return reply;
      reply.close();
      if (!URL.canParse(location, url.href)) throw new Error('the server redirects to something that is no URL');
      const next = new URL(location, url.href);
      if (next.protocol !== url.protocol && next.protocol !== 'https:') throw new Error('the server redirects away from https');
      url = next;
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects`);
  };
}
