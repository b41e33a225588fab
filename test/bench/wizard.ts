/**
 * What a key costs in the installer, through a pseudo terminal: milliseconds to the first byte, bytes, and the two together as
 * the time until a serial line of 115200 baud has drawn the answer. Once on a quiet machine, once with every core busy.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import { KEYS, type Pty } from '../terminal/support/pty.ts';
import { startWizard } from '../terminal/support/wizard.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 15);
const GOAL_MS = 100;
const MOVE_GOAL_BYTES = 400;
/** 8 data bits, a start and a stop bit. */
const BYTES_PER_MS = 115_200 / 10 / 1000;

interface Cost {
  readonly firstByteMs: number;
  readonly bytes: number;
}

/** Screens with a list or a field, each with the keys that reach it from the one before and two that change it and change it back. */
const SCREENS = [
  ['Welcome', '', KEYS.f1, KEYS.enter],
  ['Keyboard', '\r\r', KEYS.down, KEYS.up],
  ['Role of this machine', '\r\r', KEYS.down, KEYS.up],
  ['Disk to install on', `${KEYS.down}\ry\r`, KEYS.down, KEYS.up],
  ['Host name', `${KEYS.down}\r\r8765\r`, 'a', '\x7f'],
] as const;

async function measure(): Promise<Map<string, Cost[]>> {
  const pty = startWizard({ term: 'vt220' });
  const costs = new Map<string, Cost[]>();
  try {
    for (const [title, reach, ...keys] of SCREENS) {
      await type(pty, reach);
      await pty.waitFor(new RegExp(`^ ${title} `));
      for (let round = 0; round < ROUNDS; round += 1)
        for (const key of keys) costs.set(title, [...(costs.get(title) ?? []), await pty.press(key)]);
    }
  } finally {
    pty.close();
  }
  return costs;
}

/** A key at a time: a list takes the next one only for the picture it is shown. */
async function type(pty: Pty, keys: string): Promise<void> {
  for (const key of keys.match(/\x1b\[.|./gs) ?? []) await pty.press(key);
}

const at = (values: readonly number[], percent: number): number =>
  [...values].sort((a, b) => a - b)[Math.max(0, Math.ceil((percent / 100) * values.length) - 1)] ?? Number.NaN;

const busyCores = (): ChildProcess[] =>
  Array.from({ length: os.availableParallelism() }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));

for (const [name, isBusy] of [
  ['quiet machine', false],
  [`every core busy`, true],
] as const) {
  const load = isBusy ? busyCores() : [];
  try {
    const costs = await measure();
    process.stdout.write(`\nwizard, ${name} (${ROUNDS} rounds)      first byte p50   p95   bytes max   drawn at 115200 p95\n`);
    for (const [title, of] of costs) {
      const first = of.map((cost) => cost.firstByteMs);
      const drawn = of.map((cost) => cost.firstByteMs + cost.bytes / BYTES_PER_MS);
      const bytes = Math.max(...of.map((cost) => cost.bytes));
      const cells = [at(first, 50).toFixed(0).padStart(14), at(first, 95).toFixed(0).padStart(5), String(bytes).padStart(11)];
      process.stdout.write(`  ${title.padEnd(38)} ${cells.join(' ')} ${at(drawn, 95).toFixed(0).padStart(18)} ms\n`);
      const isList = title !== 'Welcome' && title !== 'Host name';
      if (isList && bytes > MOVE_GOAL_BYTES) process.exitCode = 1;
      if (!isBusy && at(first, 95) > GOAL_MS) process.exitCode = 1;
    }
  } finally {
    for (const child of load) child.kill('SIGKILL');
  }
}
process.stdout.write(`\ngoals: first byte within ${GOAL_MS} ms, at most ${MOVE_GOAL_BYTES} bytes for a move in a list: `);
process.stdout.write(process.exitCode === 1 ? 'MISSED\n' : 'kept\n');
