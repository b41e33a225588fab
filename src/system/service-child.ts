/** A daemon as a child of this program, for machines where no service manager runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { TOOL_PATH } from './run.ts';

const STOP_MS = 5000;

export class ServiceChild {
  readonly #argv: readonly string[];
  readonly #log: string;
  #child: ChildProcess | null = null;

  /** `log`: where its output is added to. */
  constructor(argv: readonly string[], log: string) {
    this.#argv = argv;
    this.#log = log;
  }

  /** Null while it does not run. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Starts it when it does not run. That it cannot be started is seen by `pid`, as its later end is. */
  start(): void {
    if (this.#child !== null) return;
    const [file = '', ...args] = this.#argv;
    const out = fs.openSync(this.#log, 'a', 0o600);
    const child = spawn(file, args, { stdio: ['ignore', out, out], env: { PATH: TOOL_PATH, LC_ALL: 'C' } });
    fs.closeSync(out);
    this.#child = child;
    const ended = (): void => {
      if (this.#child === child) this.#child = null;
    };
    child.once('error', ended);
    child.once('exit', ended);
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(late);
  }
}
