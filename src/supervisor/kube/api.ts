/** The Kubernetes API: short answers with a time limit, and watches and logs that go on. */
import http from 'node:http';
import https from 'node:https';
import type { KubeAccess } from './kubeconfig.ts';

/** A list of 500 pods is a few MB; more than this is not read. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** An object of a watch is at most as large as etcd stores one; a line of a log can have no end at all. */
const MAX_LINE_CHARS = 8 * 1024 * 1024;
export const ANSWER_MS = 5_000;

export interface KubeReply {
  readonly status: number;
  readonly body: string;
}

export interface KubeApi {
  get(path: string, timeoutMs?: number): Promise<KubeReply>;
  /** DELETE of one object. */
  remove(path: string, timeoutMs?: number): Promise<KubeReply>;
  /** Lines of a watch or a log until it ends; `onEnd` is called once. */
  lines(path: string, onLine: (line: string) => void, onEnd: (why: string) => void): { stop(): void };
  close(): void;
}

type Method = 'GET' | 'DELETE';

class HttpKubeApi implements KubeApi {
  readonly #access: KubeAccess;
  readonly #isTls: boolean;
  /** Connections are kept, so that the steady state costs no TLS handshake. */
  readonly #agent: http.Agent;

  constructor(access: KubeAccess) {
    this.#access = access;
    this.#isTls = access.server.protocol === 'https:';
    const tls = {
      ...(access.ca === null ? {} : { ca: access.ca }),
      ...(access.cert === null ? {} : { cert: access.cert }),
      ...(access.key === null ? {} : { key: access.key.reveal() }),
    };
    this.#agent = this.#isTls ? new https.Agent({ keepAlive: true, ...tls }) : new http.Agent({ keepAlive: true });
  }

  #open(path: string, onResponse: (res: http.IncomingMessage) => void, method: Method = 'GET'): http.ClientRequest {
    const url = new URL(path, this.#access.server);
    const options = { agent: this.#agent, method, headers: { accept: 'application/json' } };
    const req = this.#isTls ? https.request(url, options, onResponse) : http.request(url, options, onResponse);
    req.end();
    return req;
  }

  #ask(method: Method, path: string, timeoutMs: number): Promise<KubeReply> {
    return new Promise((resolve, reject) => {
      const onResponse = (res: http.IncomingMessage): void => {
        let body = '';
        res.setEncoding('utf8');
        res.on('data', (part: string) => {
          body += part;
          if (body.length > MAX_BODY_BYTES) req.destroy(new Error('the answer is too large'));
        });
        res.on('error', reject);
        res.on('end', () => {
          clearTimeout(limit);
          resolve({ status: res.statusCode ?? 0, body });
        });
      };
      const req = this.#open(path, onResponse, method);
      const limit = setTimeout(() => req.destroy(new Error(`the API does not answer within ${timeoutMs / 1000} s`)), timeoutMs);
      req.on('error', (e) => {
        clearTimeout(limit);
        reject(e);
      });
    });
  }

  get(path: string, timeoutMs = ANSWER_MS): Promise<KubeReply> {
    return this.#ask('GET', path, timeoutMs);
  }

  remove(path: string, timeoutMs = ANSWER_MS): Promise<KubeReply> {
    return this.#ask('DELETE', path, timeoutMs);
  }

  lines(path: string, onLine: (line: string) => void, onEnd: (why: string) => void): { stop(): void } {
    let ended = false;
    const end = (why: string): void => {
      if (ended) return;
      ended = true;
      req.destroy();
      onEnd(why);
    };
    const req = this.#open(path, (res) => {
      if (res.statusCode !== 200) return end(`the API answers ${res.statusCode ?? 'nothing'}`);
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

  close(): void {
    this.#agent.destroy();
  }
}

export const kubeApi = (access: KubeAccess): KubeApi => new HttpKubeApi(access);
