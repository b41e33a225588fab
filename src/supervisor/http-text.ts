/** One GET of a text in this machine's own network, with a time limit. */
import http from 'node:http';
import type { Secret } from '#model/secret.ts';

const MAX_BYTES = 16 * 1024 * 1024;

export interface TextReply {
  readonly status: number;
  readonly body: string;
}

export interface AskOptions {
  readonly timeoutMs: number;
  readonly bearer?: Secret | null;
}

/** Any status is a reply. Rejects with a short sentence when there is none in time. */
export type AskText = (url: string, options: AskOptions) => Promise<TextReply>;

export const askText: AskText = (url, { timeoutMs, bearer }) =>
  new Promise((resolve, reject) => {
    const headers = bearer ? { authorization: `Bearer ${bearer.reveal()}` } : {};
    const req = http.get(url, { agent: false, headers }, (res) => {
      let body = '';
      res.setEncoding('utf8');
      res.on('data', (part: string) => {
        body += part;
        if (body.length > MAX_BYTES) req.destroy(new Error('the answer is too large'));
      });
      res.on('error', reject);
      res.on('end', () => {
        clearTimeout(limit);
        resolve({ status: res.statusCode ?? 0, body });
      });
    });
    const limit = setTimeout(() => req.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    req.on('error', (e) => {
      clearTimeout(limit);
      reject(e);
    });
  });

/** The body of a 200; anything else rejects. */
export async function getText(url: string, timeoutMs: number): Promise<string> {
  const reply = await askText(url, { timeoutMs });
  if (reply.status === 200) return reply.body;
  throw new Error(`it answers ${reply.status || 'nothing'}`);
}

/** `http://host:port` with an IPv6 address in brackets. */
export const httpBase = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
