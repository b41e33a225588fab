/** Texts over HTTP from this machine's own network, whole and with a time limit. */
import http from 'node:http';
import type { Secret } from '#model/secret.ts';

const MAX_CHARS = 16 * 1024 * 1024;

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

/** Sends a request and gives it back; `onResponse` is called when its head is there. */
export type OpenRequest = (onResponse: (res: http.IncomingMessage) => void) => http.ClientRequest;

interface ReplyLimits {
  readonly timeoutMs: number;
  readonly maxChars: number;
  /** The start of the sentence about a reply that is not there in time. */
  readonly late: string;
}

/** The whole reply. Any status is one; rejects with a short sentence when it breaks off, is too long, or is not there in time. */
export const wholeReply = (open: OpenRequest, { timeoutMs, maxChars, late }: ReplyLimits): Promise<TextReply> =>
  new Promise((resolve, reject) => {
    const req = open((res) => {
      let body = '';
      res.setEncoding('utf8');
      res.on('data', (part: string) => {
        body += part;
        if (body.length > maxChars) req.destroy(new Error('the answer is too large'));
      });
      res.on('error', fail);
      res.on('end', () => {
        clearTimeout(limit);
        resolve({ status: res.statusCode ?? 0, body });
      });
    });
    const limit = setTimeout(() => req.destroy(new Error(`${late} within ${timeoutMs / 1000} s`)), timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(limit);
      reject(error);
    };
    req.on('error', fail);
  });

export const askText: AskText = (url, { timeoutMs, bearer }) => {
  const headers = bearer ? { authorization: `Bearer ${bearer.reveal()}` } : {};
  return wholeReply((onResponse) => http.get(url, { agent: false, headers }, onResponse), {
    timeoutMs,
    maxChars: MAX_CHARS,
    late: 'no answer',
  });
};

/** The body of a 200; anything else rejects. */
export async function getText(url: string, timeoutMs: number): Promise<string> {
  const reply = await askText(url, { timeoutMs });
  if (reply.status === 200) return reply.body;
  throw new Error(`it answers ${reply.status || 'nothing'}`);
}

/** `http://host:port` with an IPv6 address in brackets. */
export const httpBase = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
