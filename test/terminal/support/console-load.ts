/** How quickly a console answers keys while its supervisor is in trouble; for the test and for the benchmark. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NODE } from '../../support/program.ts';
import { startSupervisor } from '../../support/supervisor-process.ts';
import { tempDir } from '../../support/temp.ts';
import { startConsole } from './console.ts';
import type { Pty } from './pty.ts';

/** A dialog takes no keys right after it has opened; nobody types that fast. */
const TYPING_MS = 300;
const F10 = '\x1b[21~';
const GIVE_UP_MS = 30_000;
/** For a million lines. */
const ENOUGH_MS = 120_000;

export const TROUBLES = ['quiet', 'killed', 'stopped', 'garbage', 'frames', 'flood'] as const;
export type Trouble = (typeof TROUBLES)[number];

export const TROUBLE_WORDS: Readonly<Record<Trouble, string>> = {
  quiet: 'nothing happens',
  killed: 'the supervisor is killed',
  stopped: 'the supervisor is stopped (SIGSTOP)',
  garbage: 'something else sends garbage without end',
  frames: 'every frame is 1 MiB',
  flood: 'log lines without end',
};

interface Stand {
  readonly socket: string;
  /** What makes the trouble, once the console is up. */
  readonly begin: () => Promise<void>;
  readonly sent: () => { readonly lines: number; readonly frames: number };
  readonly close: () => Promise<void>;
}

async function loadServer(kind: string, socket: string): Promise<{ child: ChildProcess; sent: Stand['sent'] }> {
  const child = spawn(NODE, [path.join(import.meta.dirname, 'load-server.ts'), kind, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  let last = '{"lines":0,"frames":0}';
  child.stdout?.setEncoding('utf8');
  child.stdout?.on('data', (text: string) => {
    last = text.trim().split('\n').at(-1) ?? last;
  });
  if (child.stdout) await once(child.stdout, 'data');
  return { child, sent: () => (last.startsWith('{') ? JSON.parse(last) : { lines: 0, frames: 0 }) };
}

const endOf = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
};

async function standFor(trouble: Trouble): Promise<Stand> {
  const nothing = async (): Promise<void> => undefined;
  if (trouble === 'killed' || trouble === 'stopped' || trouble === 'garbage') {
    const real = await startSupervisor();
    let impostor: ChildProcess | null = null;
    const begin = async (): Promise<void> => {
      if (trouble === 'stopped') real.process.kill('SIGSTOP');
      else await endOf(real.process);
      if (trouble === 'garbage') impostor = (await loadServer('garbage', real.socket)).child;
    };
    const close = async (): Promise<void> => {
      await endOf(real.process);
      if (impostor) await endOf(impostor);
    };
    return { socket: real.socket, begin, sent: () => ({ lines: 0, frames: 0 }), close };
  }
  const socket = path.join(tempDir(), 'status.sock');
  const { child, sent } = await loadServer(trouble, socket);
  return { socket, begin: nothing, sent, close: () => endOf(child) };
}

/** Milliseconds until the screen shows what a key is for. */
async function answerMs(pty: Pty, key: string, shows: boolean): Promise<number> {
  const startMs = performance.now();
  pty.send(key);
  for (;;) {
    if (/─ Menu ─/.test(pty.text()) === shows) return performance.now() - startMs;
    if (performance.now() - startMs > GIVE_UP_MS) throw new Error(`no answer to a key within ${GIVE_UP_MS} ms:\n${pty.text()}`);
    await sleep(1);
  }
}

export interface Answers {
  readonly sortedMs: readonly number[];
  readonly medianMs: number;
  readonly bytesPerS: number;
  readonly sent: { readonly lines: number; readonly frames: number };
}

/** Opens and closes the menu `rounds` times while the trouble goes on. @param lines of the log that must have been sent by the end */
export async function keysUnder(trouble: Trouble, rounds: number, lines = 0, measureMs = 6000): Promise<Answers> {
  const stand = await standFor(trouble);
  const pty = startConsole({ socket: stand.socket });
  try {
    await pty.waitFor(/F10 Menu/);
    await pty.waitFor(/─ (. )?(HEALTHY|DEGRADED|UNKNOWN|CRITICAL) /);
    await stand.begin();
    await sleep(1000);
    const times: number[] = [];
    for (let i = 0; i < rounds; i += 1) {
      for (const shows of [true, false]) {
        times.push(await answerMs(pty, F10, shows));
        await sleep(TYPING_MS);
      }
    }
    for (const endMs = performance.now() + ENOUGH_MS; stand.sent().lines < lines && performance.now() < endMs; ) await sleep(500);
    const [before, beforeMs] = [pty.bytesReceived, performance.now()];
    await sleep(measureMs);
    const bytesPerS = (pty.bytesReceived - before) / ((performance.now() - beforeMs) / 1000);
    const sortedMs = times.sort((a, b) => a - b);
    return { sortedMs, medianMs: sortedMs[Math.floor(sortedMs.length / 2)] ?? Number.NaN, bytesPerS, sent: stand.sent() };
  } finally {
    pty.close();
    await pty.exit;
    await stand.close();
  }
}
