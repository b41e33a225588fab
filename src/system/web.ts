/** Questions to web servers: bounded in time and size, and saying what their certificate is. */
import dns from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import { whenNoReply } from './http-end.ts';

/** What the server's certificate is worth. `fault` is OpenSSL's code, null when it is trusted. */
export interface Certificate {
  readonly fault: string | null;
  /** Made for the host that was asked, whoever signed it. */
  readonly isForHost: boolean;
  /** Names it was made for. */
  readonly names: readonly string[];
  /** RFC 3339 UTC. */
  readonly validFrom: string;
  readonly validTo: string;
}

export interface WebReply {
  readonly status: number;
  readonly body: string;
  /** The server's clock (Date header), milliseconds since 1970; null when it does not say. */
  readonly clockMs: number | null;
  readonly certificate: Certificate | null;
}

export interface WebOptions {
  /** For everything, redirects included. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly accept: string;
  /** False: a certificate that is not trusted is reported, not refused. For looking only; nothing secret may be sent. */
  readonly isVerified: boolean;
}

/** Thrown with one sentence for an operator. `code` is the system's or OpenSSL's word for it. */
export class WebError extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'WebError';
    this.code = code;
  }
}

const MAX_REDIRECTS = 5;

const dateOf = (text: string | undefined): string => {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? 'unknown' : new Date(time).toISOString();
};

function certificateOf(response: http.IncomingMessage, host: string): Certificate | null {
  const socket = response.socket as TLSSocket;
  if (typeof socket.getPeerCertificate !== 'function') return null;
  const peer = socket.getPeerCertificate();
  const error: unknown = socket.authorizationError;
  const fault = socket.authorized ? null : error instanceof Error ? error.message : String(error ?? 'not trusted');
  const names = (peer.subjectaltname ?? '').split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
  const isForHost = checkServerIdentity(host, peer) === undefined;
  return {
    fault,
    isForHost,
    names: names.filter((name) => name !== ''),
    validFrom: dateOf(peer.valid_from),
    validTo: dateOf(peer.valid_to),
  };
}

interface Answer extends WebReply {
  readonly location: string | null;
}

function ask(url: URL, signal: AbortSignal, options: WebOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      const code = signal.aborted ? 'TIMEOUT' : (error.code ?? 'ERROR');
      reject(new WebError(signal.aborted ? `no answer within ${Math.round(options.timeoutMs / 1000)} s` : error.message, code));
    };
    const onResponse = (response: http.IncomingMessage): void => {
      const certificate = certificateOf(response, url.hostname.replace(/^\[|\]$/g, ''));
      const chunks: Uint8Array[] = [];
      let length = 0;
      response.on('error', failed);
      response.on('data', (chunk: Uint8Array) => {
        length += chunk.length;
        if (length <= options.maxBytes) chunks.push(chunk);
        else response.destroy(new Error(`the answer is over ${Math.round(options.maxBytes / 1024)} KiB`));
      });
      response.on('end', () => {
        const clock = Date.parse(response.headers.date ?? '');
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString('utf8'),
          clockMs: Number.isNaN(clock) ? null : clock,
          certificate,
          location: response.headers.location ?? null,
        });
      });
    };
    const common = { signal, agent: false as const, headers: { accept: options.accept, 'user-agent': 'spatium-install' } };
    const request =
      url.protocol === 'https:'
        ? https.get(url, { ...common, rejectUnauthorized: options.isVerified, minVersion: 'TLSv1.2' }, onResponse)
        : http.get(url, common, onResponse);
    request.on('error', failed);
    whenNoReply(request, failed);
  });
}

/** One GET, redirects followed but never from https to http. @throws WebError */
export async function getPage(text: string, options: WebOptions): Promise<WebReply> {
  if (!URL.canParse(text)) throw new WebError('is no URL', 'URL');
  const signal = AbortSignal.timeout(options.timeoutMs);
  let url = new URL(text);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const answer = await ask(url, signal, options);
    if (answer.status < 300 || answer.status >= 400 || answer.location === null) return answer;
    if (!URL.canParse(answer.location, url.href)) throw new WebError('the server redirects to something that is no URL', 'REDIRECT');
    const next = new URL(answer.location, url.href);
    const isWorse = url.protocol === 'https:' && next.protocol !== 'https:';
    if (isWorse || !/^https?:$/.test(next.protocol)) throw new WebError('the server redirects away from https', 'REDIRECT');
    url = next;
  }
  throw new WebError(`more than ${MAX_REDIRECTS} redirects`, 'REDIRECT');
}

/** Addresses of a host name, as this system resolves it, within `timeoutMs`. @throws WebError */
export async function addressesOf(host: string, timeoutMs: number): Promise<readonly string[]> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new WebError(`no answer within ${Math.round(timeoutMs / 1000)} s`, 'TIMEOUT')), timeoutMs).unref();
  });
  try {
    const found = await Promise.race([dns.lookup(host, { all: true }), late]);
    return found.map((entry) => entry.address);
  } catch (error) {
    if (error instanceof WebError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'ERROR';
    throw new WebError(code === 'ENOTFOUND' ? 'there is no such name' : `the name server does not answer (${code})`, code);
  }
}
