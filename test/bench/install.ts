/**
 * How fast is an installation, as a ratio to a plain sequential write of the same bytes on the same disk in the same run?
 * Needs root and the tools of the loop tier. BENCH_DIR puts the disk's file on another disk than /tmp.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseJournal } from '#installer/engine/journal.ts';
import { runPlan } from '#installer/engine/run-plan.ts';
import { GIB } from '#model/limits.ts';
import { benchOptions, machineWith, makeDisk, planOn, sh } from '../loop/bench-disk.ts';

const COPY_GOAL = 1.3;
const WHOLE_GOAL = 3;

const disk = makeDisk(40 * GIB);
try {
  const machine = await machineWith([disk]);
  const plan = planOn(disk, machine);
  const logDir = path.join(disk.dir, 'logs');
  const result = await runPlan(plan, benchOptions(disk));
  if (!result.ok) throw new Error(result.failure?.message ?? 'a check of the result failed');
  const records = parseJournal(fs.readFileSync(path.join(logDir, 'journal.jsonl'), 'utf8'));
  const atMs = (step: string, state: string) => Date.parse(records.find((r) => r.step === step && r.state === state)?.at ?? '');
  const spanMs = (from: string, to: string) => atMs(to, 'done') - atMs(from, 'started');
  const copyMs = spanMs('copy-system', 'copy-system');
  const wholeMs = spanMs('check-identity', 'unmount');

  const data = path.join(disk.dir, 'target');
  sh('mount', `${disk.node}p4`, data);
  const usedBytes = Number(sh('df', '--output=used', '-B1', data).split('\n')[1]);
  sh('umount', data);
  sh('mount', `${disk.node}p6`, data);
  const mib = Math.ceil(usedBytes / 1024 ** 2);
  // Real bytes, not zeros: a disk that compresses or thin-provisions must not make the plain write look fast.
  const source = path.join('/dev/shm', `spatium-bench-${process.pid}`);
  sh('dd', 'if=/dev/urandom', `of=${source}`, 'bs=1M', `count=${mib}`);
  const plainOnce = (n: number) => {
    const startedMs = performance.now();
    sh('dd', `if=${source}`, `of=${path.join(data, `plain-${n}`)}`, 'bs=1M', 'conv=fsync');
    return performance.now() - startedMs;
  };
  // The middle of three: one alone meets whatever the host's disk does at that moment.
  const [, plainMs = Number.NaN] = [1, 2, 3].map(plainOnce).sort((a, b) => a - b);
  fs.rmSync(source);
  sh('umount', data);

  const line = (name: string, ms: number, goal: number | null) =>
    `  ${name.padEnd(34)} ${(ms / 1000).toFixed(1).padStart(6)} s  ${(ms / plainMs).toFixed(2).padStart(6)}${goal === null ? '' : `  (goal ${goal})`}\n`;
  process.stdout.write(`\ninstall (one run, ${mib} MiB; ratio to "plain write")\n`);
  process.stdout.write(line('plain write', plainMs, null));
  process.stdout.write(line('copy of the system', copyMs, COPY_GOAL));
  process.stdout.write(line('whole installation', wholeMs, WHOLE_GOAL));
  for (const step of plan.steps) {
    const ms = spanMs(step.id, step.id);
    if (ms > 300) process.stdout.write(line(`  ${step.id}`, ms, null));
  }
} finally {
  disk.remove();
}
