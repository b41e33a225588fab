/**
 * What the console costs on this machine: milliseconds from a key press to its answer on a pseudo terminal, also while the
 * supervisor is in trouble; bytes, processor time and processes when nothing happens, beside the figures of the dashboard that
 * it replaces. Runs dist/spatium-console, or a bundle of the source without it.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startConsole, statusStand } from '../terminal/support/console.ts';
import { keysUnder, TROUBLE_WORDS, TROUBLES } from '../terminal/support/console-load.ts';
import { KEYS, type Pty } from '../terminal/support/pty.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 15);
const IDLE_MS = 10_000;
const KEY_GOAL_MS = 100;
const IDLE_GOAL_BYTES_PER_S = 140;
/** A dialog takes no keys right after it has opened, so that pasted ones do not answer it; nobody types that fast. */
const TYPING_MS = 300;
const F10 = '\x1b[21~';
/** One after the other, so that each changes the screen. */
const SEQUENCE = [
  ['open the menu', F10],
  ['next entry', KEYS.down],
  ['close the menu', F10],
  ['draw again', KEYS.ctrlL],
  ['open the menu', F10],
  // Waits for what could follow it before it is a key.
  ['close the menu with Esc', KEYS.escape],
] as const;

/** The value that `percent` of the sorted values do not exceed. */
const percentile = (sorted: readonly number[], percent: number): number =>
  sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;

async function keyTimes(pty: Pty): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [what, key] of SEQUENCE) {
      await sleep(TYPING_MS);
      const { firstByteMs } = await pty.press(key);
      if (!Number.isFinite(firstByteMs)) throw new Error(`no answer to "${what}" within 2 s:\n${pty.text()}`);
      times.set(what, [...(times.get(what) ?? []), firstByteMs]);
    }
  }
  return times;
}

/** Milliseconds of processor time and bytes of memory of a process, from /proc. null: it has ended. */
function costOf(pid: number): { readonly cpuMs: number; readonly childrenMs: number; readonly memoryBytes: number } | null {
  try {
    const fields = fs
      .readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .map(Number);
    const ticks = (n: number): number => (fields[n - 3] ?? Number.NaN) * 10;
    const rss = /^RssAnon:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return { cpuMs: ticks(14) + ticks(15), childrenMs: ticks(16) + ticks(17), memoryBytes: Number(rss) * 1024 };
  } catch {
    return null;
  }
}

/** The process that runs the console: the relay's only child. */
const consolePid = (pty: Pty): number =>
  Number(fs.readFileSync(`/proc/${pty.relayPid}/task/${pty.relayPid}/children`, 'utf8').trim().split(' ')[0]);

/** Processes that were there at any look: children start and end between two, so the last process number counts too. */
function childrenOf(pid: number): number {
  const tasks = fs.readdirSync(`/proc/${pid}/task`);
  return tasks.reduce((n, t) => n + fs.readFileSync(`/proc/${pid}/task/${t}/children`, 'utf8').split(' ').filter(Boolean).length, 0);
}

interface Idle {
  readonly bytesPerS: number;
  readonly cpuMsPerS: number;
  readonly memoryBytes: number;
  readonly processes: number;
}

/** What nothing costs. */
async function idleCost(pty: Pty): Promise<Idle> {
  await sleep(3000);
  const pid = consolePid(pty);
  const [before, bytes] = [costOf(pid), pty.bytesReceived];
  let processes = 0;
  const looking = setInterval(() => {
    processes = Math.max(processes, childrenOf(pid));
  }, 5);
  await sleep(IDLE_MS);
  clearInterval(looking);
  const after = costOf(pid);
  if (!before || !after) throw new Error('the console ended');
  // A child that came and went between two looks has left its time with its parent.
  if (after.childrenMs > before.childrenMs) processes = Math.max(1, processes);
  const seconds = IDLE_MS / 1000;
  return {
    bytesPerS: (pty.bytesReceived - bytes) / seconds,
    cpuMsPerS: (after.cpuMs - before.cpuMs) / seconds,
    memoryBytes: after.memoryBytes,
    processes,
  };
}

/** Console inventory, section 1.1 to 1.3: the dashboard that this one replaces, at 80x24, two frames a second, one node. */
const REPLACED = { bytesPerS: 9856, processesPerS: 7 / 5 };

const write = (text: string): void => void process.stdout.write(text);
const verdictOf = (value: number, goal: number): string => (value <= goal ? 'kept' : 'MISSED');

function tableOf(title: string, rows: ReadonlyMap<string, readonly number[]>): void {
  write(`\n${title.padEnd(46)}    p50     p95     max\n`);
  for (const [what, values] of rows) {
    const sorted = [...values].sort((a, b) => a - b);
    write(`  ${what.padEnd(44)} ${[50, 95, 100].map((p) => percentile(sorted, p).toFixed(1).padStart(7)).join(' ')}\n`);
  }
}

async function quietPart(): Promise<boolean> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-console-'));
  const socket = path.join(dir, 'status.sock');
  const stand = await statusStand(socket);
  const startedMs = performance.now();
  const pty = startConsole({ socket });
  try {
    await pty.waitFor('HEALTHY');
    const paintMs = performance.now() - startedMs;
    const paintBytes = pty.bytesReceived;
    const idle = await idleCost(pty);
    const times = await keyTimes(pty);
    tableOf(`console, key to first byte in ms (${ROUNDS} rounds)`, times);
    const all = [...times.values()].flat().sort((a, b) => a - b);
    const p95 = percentile(all, 95);
    write(`  goal for p95: ${KEY_GOAL_MS} ms, ${verdictOf(p95, KEY_GOAL_MS)}\n`);
    write('\nconsole, 80x24, nothing happens                     here    replaced dashboard\n');
    const row = (what: string, value: string, theirs: string): void => write(`  ${what.padEnd(44)} ${value.padStart(9)}    ${theirs}\n`);
    row('first whole frame', `${paintMs.toFixed(0)} ms`, 'not measured');
    row('bytes of the first frame', String(paintBytes), '4928 (each frame)');
    row('bytes a second', idle.bytesPerS.toFixed(0), `${REPLACED.bytesPerS} (ratio ${(REPLACED.bytesPerS / idle.bytesPerS).toFixed(0)})`);
    row('processes started', String(idle.processes), `${REPLACED.processesPerS} a second`);
    row('processor, ms a second', idle.cpuMsPerS.toFixed(1), '14 to 25 (1.4 to 2.5 %), and its processes');
    row('memory of its own', `${(idle.memoryBytes / 2 ** 20).toFixed(0)} MiB`, 'not measured');
    write(
      `  goal: ${IDLE_GOAL_BYTES_PER_S} bytes a second, ${verdictOf(idle.bytesPerS, IDLE_GOAL_BYTES_PER_S)}; no process, ${verdictOf(idle.processes, 0)}\n`,
    );
    return p95 <= KEY_GOAL_MS && idle.bytesPerS <= IDLE_GOAL_BYTES_PER_S && idle.processes === 0;
  } finally {
    pty.close();
    await pty.exit;
    await stand.close();
    fs.rmSync(dir, { recursive: true });
  }
}

async function troubledPart(): Promise<boolean> {
  const rows = new Map<string, readonly number[]>();
  const notes: string[] = [];
  let isKept = true;
  for (const trouble of TROUBLES) {
    const { sortedMs, medianMs, bytesPerS, sent } = await keysUnder(trouble, ROUNDS, trouble === 'flood' ? 1_000_001 : 0);
    rows.set(TROUBLE_WORDS[trouble], sortedMs);
    isKept &&= medianMs <= KEY_GOAL_MS;
    notes.push(
      `  ${TROUBLE_WORDS[trouble].padEnd(44)} ${bytesPerS.toFixed(0).padStart(7)} bytes/s${sent.lines > 0 ? `, ${sent.lines} lines` : ''}\n`,
    );
  }
  tableOf('console, key to the menu on the screen in ms', rows);
  write(`  goal for the medians: ${KEY_GOAL_MS} ms, ${isKept ? 'kept' : 'MISSED'}\n`);
  write(`\nconsole, bytes a second meanwhile\n${notes.join('')}`);
  return isKept;
}

write(`load ${os.loadavg()[0]?.toFixed(1)} on ${os.availableParallelism()} processors; above one each, times say more about the others\n`);
const isQuietKept = await quietPart();
const isTroubledKept = await troubledPart();
if (!isQuietKept || !isTroubledKept) process.exitCode = 1;
