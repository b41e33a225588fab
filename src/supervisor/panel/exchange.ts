/** One HTTP exchange over a given agent: three time limits, a size limit, no redirect, no decoding. See docs/panel-api.md. */
import type http from 'node:http';
import https from 'node:https';
import type { PanelReply, PanelRequest } from '#model/pull.ts';
import { errnoOf } from '#system/files.ts';
import { whenNoReply } from '#system/http-end.ts';
import { PanelError } from './faults.ts';

export interface PanelLimits {
  /** Name, TCP and TLS together. */
  readonly connectMs: number;
  /** From the request to the last header of the reply. */
  readonly headersMs: number;
  readonly wholeMs: number;
  /** Counted as received. */
  readonly maxBodyBytes: number;
}

export const PANEL_LIMITS: PanelLimits = { connectMs: 5000, headersMs: 10_000, wholeMs: 30_000, maxBodyBytes: 1024 ** 2 };

type Reply = PanelReply & { readonly kind: 'reply' };

/** A request that could not be finished. `isStaleSocket`: it died on a kept connection that the panel had closed meanwhile. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  readonly isStaleSocket: boolean;

  constructor(cause: unknown, isStaleSocket: boolean) {
    super('exchange failed', { cause });
    this.isStaleSocket = isStaleSocket;
  }
}

const flatHeaders = (headers: http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : value.join(', ')]],
    ),
  );

/** The whole body as text. @throws PanelError when it is cut or over the limit. */
function readBody(response: http.IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let sizeBytes = 0;
    response.on('data', (chunk: Uint8Array) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= maxBytes) return void chunks.push(chunk);
      const error = new PanelError('too_large', `the reply is over ${Math.round(maxBytes / 1024)} KiB`);
      reject(error);
      response.destroy(error);
    });
    response.on('error', (error) =>
      reject(error instanceof PanelError ? error : new PanelError('cut', `the reply was cut after ${sizeBytes} bytes`)),
    );
    response.on('end', () => {
      if (response.complete) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new PanelError('cut', `the reply was cut after ${sizeBytes} bytes`));
    });
  });
}

/** Ends the request with a timeout of the stage that is not over in time; `done()` stops all clocks. */
function watch(request: http.ClientRequest, limits: PanelLimits): { readonly done: () => void; readonly headersIn: () => void } {
  const after = (ms: number, what: string) =>
    setTimeout(() => request.destroy(new PanelError('timeout', `${what} within ${ms / 1000} s`)), ms);
  const timers = [after(limits.wholeMs, 'the reply was not whole')];
  let headers: NodeJS.Timeout | undefined;
  const waitForHeaders = (): void => {
    headers = after(limits.headersMs, 'no reply came');
    timers.push(headers);
  };
  request.once('socket', (socket) => {
    // A kept connection has done its handshake already.
    if (request.reusedSocket) return waitForHeaders();
    const connect = after(limits.connectMs, 'no connection');
    timers.push(connect);
    socket.once('secureConnect', () => {
      clearTimeout(connect);
      waitForHeaders();
    });
  });
  const done = (): void => {
    for (const timer of timers) clearTimeout(timer);
  };
  return { done, headersIn: () => clearTimeout(headers) };
}

export interface ExchangeOptions {
  readonly agent: https.Agent;
  readonly origin: URL;
  readonly userAgent: string;
  readonly limits: PanelLimits;
  readonly signal: AbortSignal | undefined;
}

/** @throws ExchangeError for whatever the network did */
export function exchange(ask: PanelRequest, options: ExchangeOptions): Promise<Reply> {
  const body = ask.body === undefined ? null : Buffer.from(JSON.stringify(ask.body));
  const headers: Record<string, string | number> = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': options.userAgent,
    ...ask.headers,
    ...(ask.bearer === null ? {} : { authorization: `Bearer ${ask.bearer.reveal()}` }),
    ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
  };
  const { agent, limits, signal, origin } = options;
  return new Promise((resolve, reject) => {
    const request = https.request(new URL(ask.path, origin), { agent, method: ask.method, headers, ...(signal ? { signal } : {}) });
    const clocks = watch(request, limits);
    let hasReply = false;
    const fail = (error: unknown): void => {
      clocks.done();
      const isClosed = ['ECONNRESET', 'EPIPE'].includes(errnoOf(error) ?? '');
      const cause = signal?.aborted ? new PanelError('unreachable', 'the request was given up') : error;
      reject(new ExchangeError(cause, isClosed && request.reusedSocket && !hasReply));
    };
    // A destroyed request hands its own error on here, also while the body is read.
    request.on('error', fail);
    whenNoReply(request, (error) => fail(new PanelError('cut', error.message)));
    request.once('response', (response) => {
      hasReply = true;
      clocks.headersIn();
      readBody(response, limits.maxBodyBytes).then((text) => {
        clocks.done();
        resolve({ kind: 'reply', status: response.statusCode ?? 0, headers: flatHeaders(response.headers), body: text });
      }, fail);
    });
    request.end(body);
  });
}
