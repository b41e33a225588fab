/** A real HAProxy in master-worker mode, driven by signals as its service does it. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { type DaemonState, good, type Outcome } from '#supervisor/kinds/kind.ts';
import type { Service } from '#supervisor/kinds/service.ts';

export class HaproxyService implements Service {
  readonly #config: string;
  readonly #log: string;
  #child: ChildProcess | null = null;
  #restarts = 0;

  /** `config`: the file below `current`. */
  constructor(config: string, log: string) {
    this.#config = config;
    this.#log = log;
  }

  start(): void {
    const out = fs.openSync(this.#log, 'a');
    const child = spawn('haproxy', ['-W', '-f', this.#config], { stdio: ['ignore', out, out] });
    fs.closeSync(out);
    this.#child = child;
    child.once('exit', () => {
      if (this.#child === child) this.#child = null;
    });
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  readonly reload = async (): Promise<Outcome> => {
    if (this.#child === null) this.start();
    else this.#child.kill('SIGUSR2');
    return good;
  };

  readonly state = async (): Promise<DaemonState> => ({ isActive: this.#child !== null, mainPid: this.pid, restarts: this.#restarts });

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  log(): string {
    return fs.readFileSync(this.#log, 'utf8');
  }
}

/** Asks all the time, and counts what does not come back with a 200. */
export class Traffic {
  readonly failures: string[] = [];
  requests = 0;
  /** Bodies seen, in order of their first appearance. */
  readonly bodies: string[] = [];
  #isStopped = false;
  readonly #done: Promise<void>;

  constructor(port: number) {
    this.#done = this.#loop(port);
  }

  async #loop(port: number): Promise<void> {
    while (!this.#isStopped) {
      try {
        const { status, body } = await getOnce(port);
        if (status !== 200) this.failures.push(`status ${status}`);
        else if (!this.bodies.includes(body)) this.bodies.push(body);
      } catch (error) {
        this.failures.push(String(error));
      }
      this.requests += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }
}

/** A connection of its own each time, so that every reload is felt. */
export function getOnce(port: number): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, agent: false, timeout: 5000 }, (response) => {
      let body = '';
      response.on('data', (part) => {
        body += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on('timeout', () => request.destroy(new Error('no answer in 5 s')));
    request.on('error', reject);
  });
}

/** A server that says its name. */
export async function upstream(name: string): Promise<http.Server & { readonly port: number }> {
  const server = http.createServer((_request, response) => response.end(name));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(server, { port: (server.address() as { port: number }).port });
}

export async function freePort(): Promise<number> {
  const server = await upstream('');
  await new Promise((resolve) => server.close(resolve));
  return server.port;
}

export const configFile = (dir: string): string => path.join(dir, 'current/haproxy.cfg');
