/**
 * Fetches an answer file. It authorises the erasure of a disk and may hold a password, so: https, or http with a
 * SHA-256 pin; the pin is checked whenever there is one; a redirect never leaves https; size and time are bounded.
 */
import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_ANSWER_FILE_BYTES } from '#model/limits.ts';
import type { Bytes } from './find.ts';

export interface FetchOptions {
  /** Default 6. */
  readonly tries?: number;
  /** Between tries; default 5 s. A network that comes up late is the usual case. */
  readonly pauseMs?: number;
  /** For one try, redirects included; default 20 s. */
  readonly timeoutMs?: number;
  /** PEM certificates to trust besides the system's. */
  readonly extraCa?: readonly string[];
}

const MAX_REDIRECTS = 5;

class FetchError extends Error {
  /** False: trying again would give the same. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean) {
    super(message);
    this.isPassing = isPassing;
  }
}

/** A URL as it may be shown: without user info and query, which may hold a token. */
export const shownUrl = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`;

function parse(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new FetchError('is no URL', false);
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new FetchError(`${url.protocol}// is not offered; use https://`, false);
  return url;
}

function get(url: URL, signal: AbortSignal, options: FetchOptions): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { accept: 'application/yaml, text/plain, */*', 'user-agent': 'spatium-install' };
    const ca = options.extraCa ? { ca: [...options.extraCa] } : {};
    const request =
      url.protocol === 'https:'
        ? https.get(url, { signal, headers, agent: false, ...ca })
        : http.get(url, { signal, headers, agent: false });
    request.once('response', resolve);
    request.once('error', (error: NodeJS.ErrnoException) => {
      reject(new FetchError(signal.aborted ? 'no answer in time' : `${error.code ?? ''} ${error.message}`.trim(), true));
    });
  });
}

async function bodyOf(response: http.IncomingMessage, signal: AbortSignal): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      sizeBytes += part.length;
      if (sizeBytes > MAX_ANSWER_FILE_BYTES) throw new FetchError('is larger than 1 MiB', false);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof FetchError) throw error;
    throw new FetchError(signal.aborted ? 'no answer in time' : 'the connection ended early', true);
  } finally {
    response.destroy();
  }
  return Buffer.concat(parts);
}

async function once(start: URL, signal: AbortSignal, options: FetchOptions): Promise<Uint8Array> {
  let url = start;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const response = await get(url, signal, options);
    const status = response.statusCode ?? 0;
    if (status === 200) return bodyOf(response, signal);
    response.destroy();
    if (![301, 302, 303, 307, 308].includes(status))
      throw new FetchError(`HTTP ${status} from ${shownUrl(url)}`, status >= 500 || status === 429);
    const target = response.headers.location;
    if (target === undefined) throw new FetchError(`HTTP ${status} without a target`, false);
    const next = parse(new URL(target, url).href);
    if (url.protocol === 'https:' && next.protocol !== 'https:')
      throw new FetchError(`is redirected from https to ${shownUrl(next)}`, false);
    url = next;
  }
  throw new FetchError(`is redirected more than ${MAX_REDIRECTS} times`, false);
}

function checked(bytes: Uint8Array, pin: string | null): Bytes {
  if (pin === null) return { ok: true, bytes };
  const sum = createHash('sha256').update(bytes).digest('hex');
  return sum === pin ? { ok: true, bytes } : { ok: false, why: `its SHA-256 is ${sum}, and the pin says ${pin}` };
}

/** Never throws; `why` names the last reason. Certificate and other final faults are not tried again. */
export async function fetchAnswerFile(text: string, pin: string | null, options: FetchOptions = {}): Promise<Bytes> {
  const { tries = 6, pauseMs = 5_000, timeoutMs = 20_000 } = options;
  let why = '';
  try {
    const url = parse(text);
    if (url.protocol === 'http:' && pin === null) {
      return { ok: false, why: 'plain http needs the word spatium.preseed.sha256=HEX, or use https' };
    }
    for (let attempt = 1; attempt <= tries; attempt++) {
      if (attempt > 1) await delay(pauseMs);
      try {
        return checked(await once(url, AbortSignal.timeout(timeoutMs), options), pin);
      } catch (error) {
        if (!(error instanceof FetchError)) throw error;
        why = error.message;
        if (!error.isPassing || /CERT|certificate|SSL|TLS/i.test(error.message)) break;
      }
    }
  } catch (error) {
    why = error instanceof Error ? error.message : String(error);
  }
  return { ok: false, why };
}
