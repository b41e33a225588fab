/** An answer file from a web server: TLS, or plain http with a pinned SHA-256; bounded in time and size. */
import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { MAX_ANSWER_FILE_BYTES, MIB } from '#model/limits.ts';
import type { Bytes } from './find.ts';

export interface FetchLimits {
  readonly tries: number;
  /** For one try, redirects included. */
  readonly tryTimeoutMs: number;
  readonly pauseMs: number;
  readonly maxRedirects: number;
}

const FETCH_LIMITS: FetchLimits = { tries: 6, tryTimeoutMs: 20_000, pauseMs: 5_000, maxRedirects: 5 };

export interface FetchOptions {
  /** Certificates to trust beside the usual ones, PEM. */
  readonly extraCa?: string;
  readonly limits?: FetchLimits;
  /** Told about every failed try. */
  readonly log?: (text: string) => void;
}

type Attempt = Bytes | { readonly ok: false; readonly why: string; readonly mayRetry: true };
type Answer =
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'failed'; readonly why: string; readonly mayRetry: boolean };

/** A URL for messages: without credentials, query and fragment. */
export function urlForPeople(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : '?...'}`;
}

/** Everything the machine trusts, and `extraCa`. */
function trusted(extraCa: string | undefined): string[] {
  // Older Node has no list of the system's certificates; its own list is then what counts.
  const { getCACertificates } = tls as Partial<typeof tls>;
  const known = getCACertificates ? [...getCACertificates('default'), ...getCACertificates('system')] : tls.rootCertificates;
  return [...new Set([...known, ...(extraCa === undefined ? [] : [extraCa])])];
}

/** Errors of the server's certificate will be there next time too. */
const isCertificateError = (code: string): boolean => /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ALTNAME/.test(code);

function requestOnce(url: URL, signal: AbortSignal, extraCa: string | undefined): Promise<Answer> {
  return new Promise((resolve) => {
    const failed = (why: string, mayRetry: boolean): void => resolve({ kind: 'failed', why, mayRetry });
    const onError = (error: Error & { code?: string }): void => {
      if (signal.aborted) failed('no complete answer in time', true);
      else if (isCertificateError(error.code ?? '')) failed(`the certificate is not trusted (${error.code})`, false);
      else failed(`connection failed (${error.code ?? 'error'})`, true);
    };
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'spatium-install' };
    const onResponse = (response: http.IncomingMessage): void => {
      const status = response.statusCode ?? 0;
      response.on('error', onError);
      if ([301, 302, 303, 307, 308].includes(status) && response.headers.location) {
        response.resume();
        resolve({ kind: 'redirect', to: response.headers.location });
      } else if (status === 200) collect(response, resolve, failed);
      else {
        response.resume();
        failed(`the server answered ${status}`, status >= 500 || status === 408 || status === 429);
      }
    };
    const request =
      url.protocol === 'https:'
        ? https.get(url, { headers, signal, agent: false, ca: trusted(extraCa), minVersion: 'TLSv1.2' }, onResponse)
        : http.get(url, { headers, signal, agent: false }, onResponse);
    request.on('error', onError);
  });
}

function collect(
  response: http.IncomingMessage,
  resolve: (answer: Answer) => void,
  failed: (why: string, mayRetry: boolean) => void,
): void {
  const chunks: Uint8Array[] = [];
  let length = 0;
  response.on('data', (chunk: Uint8Array) => {
    length += chunk.length;
    if (length <= MAX_ANSWER_FILE_BYTES) chunks.push(chunk);
    else {
      failed(`the file is over ${MAX_ANSWER_FILE_BYTES / MIB} MiB`, false);
      response.destroy();
    }
  });
  response.on('end', () =>
    response.complete ? resolve({ kind: 'body', bytes: new Uint8Array(Buffer.concat(chunks)) }) : failed('the answer was cut short', true),
  );
  response.on('close', () => failed('the answer was cut short', true));
}

/** Where a redirect may lead; a reason when it may not. */
function followable(from: URL, to: string, sha256: string | null): URL | string {
  if (!URL.canParse(to, from.href)) return 'the server redirects to something that is no URL';
  const next = new URL(to, from.href);
  if (next.protocol !== 'https:' && next.protocol !== 'http:') return 'the server redirects to another scheme';
  if (next.protocol === 'http:' && (from.protocol === 'https:' || sha256 === null)) return 'the server redirects from https to http';
  return next;
}

async function attempt(start: URL, pin: string | null, options: FetchOptions, limits: FetchLimits): Promise<Attempt> {
  const signal = AbortSignal.timeout(limits.tryTimeoutMs);
  let url = start;
  for (let hops = 0; hops <= limits.maxRedirects; hops++) {
    const answer = await requestOnce(url, signal, options.extraCa);
    switch (answer.kind) {
      case 'failed':
        return answer.mayRetry ? { ok: false, why: answer.why, mayRetry: true } : { ok: false, why: answer.why };
      case 'redirect': {
        const next = followable(url, answer.to, pin);
        if (typeof next === 'string') return { ok: false, why: next };
        url = next;
        break;
      }
      case 'body':
        return checked(answer.bytes, pin);
    }
  }
  return { ok: false, why: `more than ${limits.maxRedirects} redirects` };
}

function checked(bytes: Uint8Array, sha256: string | null): Bytes {
  if (sha256 === null) return { ok: true, bytes };
  const sum = createHash('sha256').update(bytes).digest('hex');
  if (sum === sha256) return { ok: true, bytes };
  return { ok: false, why: `its SHA-256 is ${sum}, and the pin says ${sha256}` };
}

/** Checks the bytes of an answer file against a pin, where there is one. */
export { checked as checkPin };

/**
 * Fetches `text`, a URL, and checks it against `pin` (64 lower-case hex digits; null: none was given). Ends after
 * `limits.tries` tries at the latest and never throws; `why` names the last reason, without credentials.
 */
export async function fetchAnswerFile(text: string, pin: string | null, options: FetchOptions = {}): Promise<Bytes> {
  const limits = options.limits ?? FETCH_LIMITS;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return { ok: false, why: 'is no http(s) URL' };
  if (url.protocol === 'http:' && pin === null)
    return { ok: false, why: 'plain http needs the word spatium.preseed.sha256=HEX, since anybody on the way could change the file' };
  let why = '';
  for (let n = 1; n <= limits.tries; n++) {
    const result = await attempt(url, pin, options, limits);
    if (result.ok || !('mayRetry' in result)) return result;
    why = result.why;
    options.log?.(`${urlForPeople(url)}: try ${n} of ${limits.tries}: ${why}`);
    if (n < limits.tries) await sleep(limits.pauseMs);
  }
  return { ok: false, why: `${why} (${limits.tries} tries)` };
}
