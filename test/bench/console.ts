/**
 * What the console costs an operator on this machine: milliseconds from a key press to the first byte that comes back through a
 * pseudo terminal, and bytes a second when nothing happens. Runs dist/spatium-console, or a bundle of the source without it.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startConsole, statusStand } from '../terminal/support/console.ts';
import { KEYS, type Pty } from '../terminal/support/pty.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 15);
const IDLE_MS = 10_000;
const KEY_GOAL_MS = 100;
const IDLE_GOAL_BYTES_PER_S = 200;
/** A dialog takes no keys right after it has opened, so that pasted ones do not answer it; nobody types that fast. */
const TYPING_MS = 300;
const F10 = '\x1b[21~';
/** One after the other, so that each changes the screen. */
const SEQUENCE = [
  ['open the menu', F10],
  ['next entry', KEYS.down],
  ['close the menu', F10],
  ['draw again', KEYS.ctrlL],
] as const;

/** The value that `percent` of the sorted values do not exceed. */
const percentile = (sorted: readonly number[], percent: number): number =>
  sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;

async function idle(pty: Pty): Promise<number> {
  await sleep(2000);
  const before = pty.bytesReceived;
  await sleep(IDLE_MS);
  return (pty.bytesReceived - before) / (IDLE_MS / 1000);
}

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

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-console-'));
const socket = path.join(dir, 'status.sock');
const stand = await statusStand(socket);
const startedMs = performance.now();
const pty = startConsole({ socket });
try {
  await pty.waitFor('HEALTHY');
  const paintMs = performance.now() - startedMs;
  const paintBytes = pty.bytesReceived;
  const bytesPerS = await idle(pty);
  const times = await keyTimes(pty);
  const row = (what: string, values: readonly number[]): string => {
    const sorted = [...values].sort((a, b) => a - b);
    const cells = [50, 95, 100].map((p) => percentile(sorted, p).toFixed(1).padStart(7));
    return `  ${what.padEnd(20)} ${cells.join(' ')}\n`;
  };
  process.stdout.write(`\nconsole, key to first byte in ms (${ROUNDS} rounds)     p50     p95     max\n`.replace(/ +p50/, '    p50'));
  for (const [what, values] of times) process.stdout.write(row(what, values));
  const all = [...times.values()].flat();
  process.stdout.write(row('all', all));
  const p95 = percentile(
    [...all].sort((a, b) => a - b),
    95,
  );
  process.stdout.write(`  goal for p95: ${KEY_GOAL_MS} ms, ${p95 <= KEY_GOAL_MS ? 'kept' : 'MISSED'}\n`);
  process.stdout.write(`  first look: ${paintMs.toFixed(0)} ms, ${paintBytes} bytes\n`);
  const verdict = bytesPerS <= IDLE_GOAL_BYTES_PER_S ? 'kept' : 'MISSED';
  process.stdout.write(`  idle: ${bytesPerS.toFixed(0)} bytes/s, goal ${IDLE_GOAL_BYTES_PER_S}, ${verdict}\n`);
  if (p95 > KEY_GOAL_MS || bytesPerS > IDLE_GOAL_BYTES_PER_S) process.exitCode = 1;
} finally {
  pty.close();
  await pty.exit;
  await stand.close();
  fs.rmSync(dir, { recursive: true });
}
