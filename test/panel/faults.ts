/** Faults on order: DIR/faults.json says what goes wrong, at which route, how often. docs/panel-api.md lists them. */
import type http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from './answer.ts';

export type Route = 'config' | 'status' | 'enroll' | 'rotate' | 'pair' | 'approval' | 'pins' | 'releases' | 'file' | 'other';

export interface Fault {
  readonly do:
    | 'status' // the given status, and nothing is done
    | 'garbage' // 200 and JSON by its header only
    | 'portal' // 200 and a page in HTML
    | 'redirect' // 302 to `location`
    | 'cut' // half of the body, then the connection is closed
    | 'slow' // the body in pieces of one byte, `ms` apart
    | 'hang' // no reply at all
    | 'reset' // the connection is closed, and nothing is done
    | 'lost' // it is done, then the connection is closed
    | 'not_http' // bytes that are no HTTP
    | 'upgrade' // 101: another protocol from here on
    | 'too_large' // a body of 1 MiB and one byte
    | 'weak_etag'
    | 'no_etag'
    | 'force_304'; // 304 whatever was asked
  readonly status?: number;
  readonly retry_after?: string;
  readonly location?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ms?: number;
  /** So many requests of the route are spared first. */
  readonly after?: number;
  /** Then so many suffer; all of them when left out. */
  readonly times?: number;
}

export type CertificateFault = 'ok' | 'renewed' | 'wrong_key' | 'vouched' | 'expired' | 'not_yet' | 'wrong_name' | 'signed';

/** `*` stands for every route without an entry of its own. */
export type FaultFile = { readonly tls?: CertificateFault } & { readonly [R in Route | '*']?: Fault };

/** Counts requests against `after` and `times`; a new file starts the count again. */
export class FaultPlan {
  #text = '';
  #plan: FaultFile = {};
  #seen = new Map<string, number>();

  /** @throws SyntaxError when the text is no JSON */
  load(text: string): void {
    if (text === this.#text) return;
    this.#plan = text.trim() === '' ? {} : (JSON.parse(text) as FaultFile);
    this.#text = text;
    this.#seen = new Map();
  }

  get tls(): CertificateFault {
    return this.#plan.tls ?? 'ok';
  }

  /** The fault that this request gets. */
  next(route: Route): Fault | null {
    const key = this.#plan[route] === undefined ? '*' : route;
    const fault = this.#plan[key];
    if (fault === undefined) return null;
    const nth = (this.#seen.get(key) ?? 0) + 1;
    this.#seen.set(key, nth);
    const from = fault.after ?? 0;
    return nth > from && nth <= from + (fault.times ?? Number.POSITIVE_INFINITY) ? fault : null;
  }
}

/** True for faults in whose place nothing else happens at the panel. */
export const isInstead = (fault: Fault): boolean =>
  ['status', 'garbage', 'portal', 'redirect', 'hang', 'reset', 'not_http', 'upgrade', 'too_large', 'force_304'].includes(fault.do);

const PAGE = '<!doctype html><title>Welcome</title><p>Please accept the terms of this network.</p>';
const TOO_LARGE_BYTES = 1024 ** 2 + 1;

/** The reply of a fault that stands in place of the real one; null when none is sent. */
export function insteadOf(fault: Fault): Answer | null {
  const json = { 'content-type': 'application/json' };
  const extra = { ...fault.headers, ...(fault.retry_after === undefined ? {} : { 'retry-after': fault.retry_after }) };
  switch (fault.do) {
    case 'status':
      return {
        status: fault.status ?? 500,
        headers: { ...json, ...extra },
        body: fault.status === 204 ? '' : '{"message":"a fault on order"}',
      };
    case 'garbage':
      return { status: 200, headers: { ...json, ...extra }, body: '{"schema": 1, "ver' };
    case 'portal':
      return { status: 200, headers: { 'content-type': 'text/html', ...extra }, body: PAGE };
    case 'redirect':
      return { status: 302, headers: { location: fault.location ?? 'https://elsewhere.invalid/', ...extra }, body: '' };
    case 'too_large':
      return { status: 200, headers: { ...json, ...extra }, body: `{"filler":"${'x'.repeat(TOO_LARGE_BYTES - 13)}"}` };
    case 'force_304':
      return { status: 304, headers: extra, body: '' };
    default:
      return null;
  }
}

async function sendSlowly(response: http.ServerResponse, body: Uint8Array, ms: number): Promise<void> {
  for (const byte of body) {
    if (response.destroyed) return;
    response.write(Uint8Array.of(byte));
    await pause(ms);
  }
  response.end();
}

function headersFor(answer: Answer, fault: Fault | null): Record<string, string> {
  const { etag, ...rest } = answer.headers;
  if (etag === undefined || fault?.do === 'no_etag') return rest;
  return { ...rest, etag: fault?.do === 'weak_etag' ? `W/${etag}` : etag };
}

/** Sends the answer, or as much of it as the fault leaves. */
export async function send(response: http.ServerResponse, answer: Answer | null, fault: Fault | null): Promise<void> {
  if (fault?.do === 'hang') return;
  if (fault?.do === 'not_http') return void response.socket?.end('220 mail.invalid ESMTP\r\n');
  if (fault?.do === 'upgrade')
    return void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h3\r\n\r\n');
  if (answer === null || fault?.do === 'reset' || fault?.do === 'lost') return void response.socket?.destroy();
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
  const hasBody = answer.status !== 204 && answer.status !== 304;
  response.writeHead(answer.status, { ...headersFor(answer, fault), ...(hasBody ? { 'content-length': body.length } : {}) });
  if (!hasBody) return void response.end();
  if (fault?.do === 'slow') return sendSlowly(response, body, fault.ms ?? 100);
  if (fault?.do !== 'cut') return void response.end(body);
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.socket?.destroy());
}
