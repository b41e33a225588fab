/** The agent's service with a real process, for machines without systemd: the current version or the image's, started again when it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { ServicePort } from '#supervisor/update/health.ts';

const AGAIN_MS = 100;

export class ChildService {
  readonly #agent: string;
  readonly #image: string;
  readonly #words: readonly string[];
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;
  #starts = 0;
  /** The last one that was asked for. */
  #startsBefore = 0;
  #invocation = 0;
  #isWanted = false;
  failures = 0;

  constructor(agent: string, image: string, words: readonly string[], env: NodeJS.ProcessEnv) {
    this.#agent = agent;
    this.#image = image;
    this.#words = words;
    this.#env = env;
  }

  #start(): void {
    const current = path.join(this.#agent, 'current/spatium');
    this.#starts += 1;
    const child = spawn(fs.existsSync(current) ? current : this.#image, this.#words, { stdio: 'ignore', env: this.#env });
    this.#child = child;
    const ended = (): void => {
      if (this.#child !== child) return;
      this.#child = null;
      if (!this.#isWanted) return;
      this.failures += 1;
      setTimeout(() => {
        if (this.#isWanted && this.#child === null) this.#start();
      }, AGAIN_MS);
    };
    child.once('error', ended);
    child.once('exit', ended);
  }

  async start(): Promise<void> {
    this.#isWanted = true;
    this.#invocation += 1;
    this.#startsBefore = this.#starts + 1;
    this.#start();
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 2000);
    await gone;
    clearTimeout(late);
  }

  get port(): ServicePort {
    return {
      restart: async () => {
        await this.stop();
        await this.start();
        return null;
      },
      resetFailed: async () => undefined,
      isGoingDown: async () => false,
      look: async () => ({
        isActive: this.#child !== null,
        identity: `${this.#invocation} ${this.#starts}`,
        mainPid: this.#child?.pid ?? null,
        restarts: this.#starts - this.#startsBefore,
        words: this.#child === null ? 'activating (auto-restart)' : 'active (running)',
      }),
    };
  }
}
