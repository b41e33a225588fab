/** Two hosts on one cable, as network namespaces: `near` has the rules under test, `far` connects to it. Needs root. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Runner } from '#system/run.ts';
import { NODE } from './program.ts';

const NEAR = '192.0.2.1';
const FAR = '192.0.2.2';
const CONNECT_MS = 800;

const LISTEN = `const s = process.argv[1].split(',').map((p) => require('net').createServer((c) => c.end()).listen(Number(p), '0.0.0.0'));
Promise.all(s.map((x) => new Promise((r) => x.on('listening', r)))).then(() => console.log('ready'));`;
const CONNECT = `const net = require('net');
const [host, ports, ms] = process.argv.slice(1);
Promise.all(ports.split(',').map((port) => new Promise((done) => {
  const c = net.connect({ host, port: Number(port) });
  const end = (v) => { c.destroy(); done([port, v]); };
  c.on('connect', () => end(true)); c.on('error', () => end(false)); setTimeout(() => end(false), Number(ms));
}))).then((all) => console.log(JSON.stringify(Object.fromEntries(all))));`;

/** Why this cannot run here; null when it can. */
export function networkObstacle(tools: readonly string[]): string | null {
  if (process.getuid?.() !== 0) return 'needs root';
  const missing = ['unshare', 'nsenter', 'ip', ...tools].find((t) => spawnSync('which', [t]).status !== 0);
  if (missing !== undefined) return `${missing} is not installed`;
  return spawnSync('unshare', ['--net', 'true']).status === 0 ? null : 'no network namespace may be made here';
}

export class TwoHosts {
  readonly #children: ChildProcess[] = [];
  #near = 0;
  #far = 0;

  /** @param ports that `near` serves */
  async start(ports: readonly number[]): Promise<this> {
    this.#near = await this.#hold();
    this.#far = await this.#hold();
    this.#must(
      'nsenter',
      `--net=/proc/${this.#near}/ns/net`,
      'ip',
      'link',
      'add',
      'wire',
      'type',
      'veth',
      'peer',
      'name',
      'wire',
      'netns',
      String(this.#far),
    );
    for (const [pid, address] of [
      [this.#near, NEAR],
      [this.#far, FAR],
    ] as const)
      for (const words of [`addr add ${address}/24 dev wire`, 'link set wire up', 'link set lo up'])
        this.#must(...this.#in(pid), 'ip', ...words.split(' '));
    const [command = '', ...args] = [...this.#in(this.#near), NODE, '-e', LISTEN, ports.join(',')];
    const server = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#children.push(server);
    await once(server.stdout as NodeJS.ReadableStream, 'data');
    return this;
  }

  #in(pid: number): string[] {
    return ['nsenter', `--net=/proc/${pid}/ns/net`, '--'];
  }

  async #hold(): Promise<number> {
    const child = spawn('unshare', ['--net', '--', 'sh', '-c', 'echo ready; exec sleep 600'], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#children.push(child);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    return child.pid ?? 0;
  }

  #must(...argv: readonly string[]): string {
    const [command = '', ...args] = argv;
    const r = spawnSync(command, args, { encoding: 'utf8' });
    if (r.status !== 0) throw new Error(`${argv.join(' ')}: ${r.stderr}`);
    return r.stdout;
  }

  /** Runs on `near`; throws when it fails. */
  near(...argv: readonly string[]): string {
    return this.#must(...this.#in(this.#near), ...argv);
  }

  /** Commands of the supervisor, on `near`. `words` puts others in the place of some, such as a file of the test. */
  runner(words: Readonly<Record<string, string>> = {}): Runner {
    return async (argv) => {
      const [command = '', ...args] = [...this.#in(this.#near), ...argv.map((w) => words[w] ?? w)];
      const r = spawnSync(command, args, { encoding: 'utf8', timeout: 20_000 });
      return { kind: 'exited', code: r.status ?? 1, argv, stdout: r.stdout, stderr: r.stderr, tail: [], durationMs: 0 };
    };
  }

  /** Which ports of `near` take a connection from `far`. */
  reached(ports: readonly number[]): Readonly<Record<string, boolean>> {
    return JSON.parse(this.#must(...this.#in(this.#far), NODE, '-e', CONNECT, NEAR, ports.join(','), String(CONNECT_MS)));
  }

  stop(): void {
    for (const c of this.#children) c.kill('SIGKILL');
  }
}
