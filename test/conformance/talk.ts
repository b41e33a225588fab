/** How the conformance checks talk to a socket: raw HTTP over a unix stream, nothing of ours in between. */
import http from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  readonly tookMs: number;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: http.Agent;
}

const ANSWER_MS = 5_000;

/** One request and its whole answer. Rejects when there is none within five seconds. */
export function ask(socketPath: string, path: string, options: AskOptions = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const beganMs = performance.now();
    const { method = 'GET', headers = {} } = options;
    const req = http.request({ socketPath, path, method, headers, agent: options.agent ?? false }, (res) => {
      let body = '';
      res.setEncoding('utf8');
      res.on('data', (part: string) => {
        body += part;
      });
      res.on('error', reject);
      res.on('end', () => {
        clearTimeout(limit);
        resolve({ status: res.statusCode ?? 0, headers: res.headers, body, tookMs: performance.now() - beganMs });
      });
    });
    const limit = setTimeout(() => req.destroy(new Error(`${method} ${path}: no complete answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS);
    req.on('error', (e) => {
      clearTimeout(limit);
      reject(e);
    });
    req.end();
  });
}

export interface Line {
  readonly text: string;
  readonly atMs: number;
}

export interface Stream {
  readonly lines: Line[];
  status(): number | null;
  headers(): http.IncomingHttpHeaders;
  isClosed(): boolean;
  /** Stops reading, so that the buffers of the server fill. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** A long answer, line by line, with the time each line came. */
export function follow(socketPath: string, path: string): Stream {
  const lines: Line[] = [];
  let [response, isClosed]: [http.IncomingMessage | null, boolean] = [null, false];
  const done = (): void => {
    isClosed = true;
  };
  const req = http.get({ socketPath, path, agent: false }, (res) => {
    response = res;
    let rest = '';
    res.setEncoding('utf8');
    res.on('data', (part: string) => {
      const cut = (rest + part).split('\n');
      rest = cut.pop() ?? '';
      for (const text of cut) if (text.trim() !== '') lines.push({ text, atMs: performance.now() });
    });
    res.on('close', done);
    res.on('error', done);
  });
  req.on('error', done);
  return {
    lines,
    status: () => response?.statusCode ?? null,
    headers: () => response?.headers ?? {},
    isClosed: () => isClosed,
    pause: () => void response?.pause(),
    resume: () => void response?.resume(),
    close: () => void req.destroy(),
  };
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits for something; false when it did not happen in time. */
export async function until(check: () => boolean | Promise<boolean>, limitMs: number): Promise<boolean> {
  const endMs = performance.now() + limitMs;
  while (!(await check())) {
    if (performance.now() > endMs) return false;
    await pause(25);
  }
  return true;
}
