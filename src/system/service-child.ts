/** A daemon as a child of this program, for machines where no service manager runs it. */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { TOOL_PATH } from './run.ts';

const STOP_MS = 5000;
const LOOK_MS = 50;

const isThere = (pid: number): boolean => fs.existsSync(`/proc/${pid}`);

function wordsOf(pid: number): readonly string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

export class ServiceChild {
  readonly #argv: readonly string[];
  readonly #log: string;
  readonly #pidFile: string;
  #child: ChildProcess | null = null;

  /** `log`: where its output is added to. `pidFile`: who it is and whose, for the next program when this one is killed. */
  constructor(argv: readonly string[], log: string, pidFile: string) {
    this.#argv = argv;
    this.#log = log;
    this.#pidFile = pidFile;
  }

  /** Ends what a program that was killed has left behind; it would go on serving beside the new one. Its process; null: there was none. */
  async endLeftover(): Promise<number | null> {
    if (!fs.existsSync(this.#pidFile)) return null;
    const [pid = 0, owner = 0] = fs.readFileSync(this.#pidFile, 'utf8').split(' ').map(Number);
    const isOurs = (): boolean => pid > 1 && this.#argv.slice(1).every((word) => wordsOf(pid).includes(word));
    if (isThere(owner) || !isOurs()) return null;
    process.kill(pid, 'SIGTERM');
    for (let leftMs = STOP_MS; leftMs > 0 && isOurs(); leftMs -= LOOK_MS) await pause(LOOK_MS);
    if (isOurs()) process.kill(pid, 'SIGKILL');
    return pid;
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
    if (child.pid !== undefined) fs.writeFileSync(this.#pidFile, `${child.pid} ${process.pid}\n`, { mode: 0o600 });
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
