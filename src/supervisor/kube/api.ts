/** The Kubernetes API: short answers with a time limit, and watches and logs that go on. */
import http from 'node:http';
import https from 'node:https';
import { type OpenRequest, type TextReply, wholeReply } from '../http-text.ts';
import type { KubeAccess } from './kubeconfig.ts';

/** A list of 500 pods is a few MB; more than this is not read. */
const MAX_CHARS = 64 * 1024 * 1024;
/** Far more than any object that etcd stores; a line of a log may have no end at all. */
const MAX_LINE_CHARS = 8 * 1024 * 1024;
const ANSWER_MS = 5_000;

export interface KubeApi {
  get(path: string, timeoutMs?: number): Promise<TextReply>;
  /** DELETE of one object. */
  remove(path: string, timeoutMs?: number): Promise<TextReply>;
  /** Lines of a watch or a log until it ends; `onEnd` is called once. */
  lines(path: string, onLine: (line: string) => void, onEnd: (why: string) => void): { stop(): void };
  close(): void;
}

/** Lines of an answer that goes on, from a 200 until either side ends it. */
function followLines(open: OpenRequest, onLine: (line: string) => void, onEnd: (why: string) => void): { stop(): void } {
  let ended = false;
  const end = (why: string): void => {
    if (ended) return;
    ended = true;
    req.destroy();
    onEnd(why);
  };
  const req = open((res) => {
    if (res.statusCode !== 200) {
      end(`the API answers ${res.statusCode ?? 'nothing'}`);
      return;
    }
    let rest = '';
    res.setEncoding('utf8');
    res.on('data', (part: string) => {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '' && !ended) onLine(line);
      if (rest.length > MAX_LINE_CHARS) end('a line without end');
    });
    res.on('error', (e: Error) => end(e.message));
    res.on('end', () => end('the watch ended'));
  });
  req.on('error', (e: Error) => end(e.message));
  return { stop: () => end('stopped') };
}

/** Connections are kept, so that the steady state costs no TLS handshake. */
export function kubeApi(access: KubeAccess): KubeApi {
  const isTls = access.server.protocol === 'https:';
  const tls = {
    ...(access.ca === null ? {} : { ca: access.ca }),
    ...(access.cert === null ? {} : { cert: access.cert }),
    ...(access.key === null ? {} : { key: access.key.reveal() }),
  };
  const agent = isTls ? new https.Agent({ keepAlive: true, ...tls }) : new http.Agent({ keepAlive: true });
  const open = (path: string, onResponse: (res: http.IncomingMessage) => void, method: 'GET' | 'DELETE' = 'GET'): http.ClientRequest => {
    const url = new URL(path, access.server);
    const options = { agent, method, headers: { accept: 'application/json' } };
    const req = isTls ? https.request(url, options, onResponse) : http.request(url, options, onResponse);
    req.end();
    return req;
  };
  const ask = (method: 'GET' | 'DELETE', path: string, timeoutMs: number): Promise<TextReply> =>
    wholeReply((onResponse) => open(path, onResponse, method), { timeoutMs, maxChars: MAX_CHARS, late: 'the API does not answer' });
  return {
    get: (path, timeoutMs = ANSWER_MS) => ask('GET', path, timeoutMs),
    remove: (path, timeoutMs = ANSWER_MS) => ask('DELETE', path, timeoutMs),
    lines: (path, onLine, onEnd) => followLines((onResponse) => open(path, onResponse), onLine, onEnd),
    close: () => agent.destroy(),
  };
}
