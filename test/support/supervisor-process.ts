/** A supervisor to talk to: the real one as its own process, or one that runs already. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { spatiumArgv } from './program.ts';
import { tempDir } from './temp.ts';
import { waitFor } from './wait-for.ts';

export interface TestSupervisor {
  readonly socket: string;
  readonly control: string;
  readonly process: ChildProcess;
  readonly exited: Promise<void>;
  /** What it wrote to standard error. */
  said(): string;
  stop(): Promise<void>;
}

/** Starts `spatium supervise`. */
export async function startSupervisor(dir = tempDir(), extra: readonly string[] = []): Promise<TestSupervisor> {
  const socket = path.join(dir, 'status.sock');
  const control = path.join(dir, 'control.sock');
  const [file, ...args] = spatiumArgv(['supervise', '--socket', socket, '--control', control, ...extra]);
  const inodeBefore = fs.existsSync(socket) ? fs.statSync(socket).ino : null;
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr?.on('data', (data) => {
    errors += data;
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const appears = (file: string, isNew: () => boolean): Promise<void> =>
    waitFor(() => {
      if (child.exitCode !== null) throw new Error(`the supervisor ended with ${child.exitCode}: ${errors}`);
      return fs.existsSync(file) && isNew();
    }, `${file} appears`);
  await appears(socket, () => fs.statSync(socket).ino !== inodeBefore);
  // A supervisor of a file tree has no actions.
  if (!extra.includes('--root')) await appears(control, () => true);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  return { socket, control, process: child, exited, said: () => errors, stop };
}

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export function request(
  socketPath: string,
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const req = http.request(
      { socketPath, path: url, agent: false, method: options.method ?? 'GET', headers: options.headers ?? {} },
      (res) => {
        let body = '';
        res.on('data', (d) => {
          body += d;
        });
        res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
      },
    );
    req.on('error', reject);
    req.end(options.body);
  });
}

export interface Stream {
  readonly frames: Record<string, unknown>[];
  /** Stops reading without closing, so that the server's buffers fill. */
  pause(): void;
  resume(): void;
  close(): void;
  readonly closed: Promise<void>;
}

export function openStream(socketPath: string, url: string): Stream {
  const frames: Record<string, unknown>[] = [];
  let response: http.IncomingMessage | null = null;
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const req = http.get({ socketPath, path: url, agent: false }, (res) => {
    response = res;
    let rest = '';
    res.on('data', (d) => {
      const lines = (rest + String(d)).split('\n');
      rest = lines.pop() ?? '';
      for (const l of lines) frames.push(JSON.parse(l));
    });
    res.on('close', () => resolve());
    res.on('error', () => resolve());
  });
  req.on('error', () => resolve());
  return { frames, pause: () => response?.pause(), resume: () => response?.resume(), close: () => req.destroy(), closed };
}
