/**
 * How fast is an installation, as a ratio to a plain sequential write of the same bytes on the same disk in the same run?
 * Twice: as fast as the disk here is, and held to the speed of an ordinary one, since a disk as fast as memory leaves unpacking and
 * the tools' own time as all there is. Needs root and the tools of the loop tier.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseJournal } from '#installer/engine/journal.ts';
import { runPlan } from '#installer/engine/run-plan.ts';
import { GIB } from '#model/limits.ts';
import { type BenchDisk, benchOptions, machineWith, makeDisk, planOn, sh } from '../loop/bench-disk.ts';

const COPY_GOAL = 1.3;
const WHOLE_GOAL = 3;
const ORDINARY_BYTES_PER_SECOND = 150_000_000;
const THROTTLE = '/sys/fs/cgroup/blkio/blkio.throttle';

/** Holds reads and writes of a device to that speed; 0 lets it go. false: this kernel cannot. */
function hold(node: string, bytesPerSecond: number): boolean {
  const [major = '', minor = ''] = sh('stat', '--format=%t %T', node).trim().split(' ');
  const rule = `${Number.parseInt(major, 16)}:${Number.parseInt(minor, 16)} ${bytesPerSecond}`;
  try {
    for (const way of ['read', 'write']) fs.writeFileSync(`${THROTTLE}.${way}_bps_device`, rule);
    return true;
  } catch {
    return false;
  }
}

async function measure(bytesPerSecond: number | null): Promise<void> {
  const disk = makeDisk(40 * GIB);
  try {
    if (bytesPerSecond !== null && !hold(disk.node, bytesPerSecond)) {
      process.stdout.write('\ninstall on an ordinary disk: not run, this kernel cannot hold a disk to a speed (blkio, cgroup v1)\n');
      return;
    }
    await installOn(disk);
  } finally {
    hold(disk.node, 0);
    disk.remove();
  }
}

async function installOn(disk: BenchDisk): Promise<void> {
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
  process.stdout.write(`\ninstall (one run, ${mib} MiB; ratio to "plain write", ${Math.round((mib * 1000) / plainMs)} MiB/s)\n`);
  process.stdout.write(line('plain write', plainMs, null));
  process.stdout.write(line('copy of the system', copyMs, COPY_GOAL));
  process.stdout.write(line('whole installation', wholeMs, WHOLE_GOAL));
  for (const step of plan.steps) {
    const ms = spanMs(step.id, step.id);
    if (ms > 300) process.stdout.write(line(`  ${step.id}`, ms, null));
  }
}

await measure(null);
await measure(ORDINARY_BYTES_PER_SECOND);
