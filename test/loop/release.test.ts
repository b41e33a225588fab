/** Freeing the target, and refusing when it cannot be freed, with real mounts and swap on a loop device; nothing is written in any case. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runPlan } from '#installer/engine/run-plan.ts';
import { GIB } from '#model/limits.ts';
import type { EngineEvent, EngineResult } from '#model/plan.ts';
import { type BenchDisk, benchOptions, machineWith, makeDisk, planOn, sh } from './bench-disk.ts';

let disk: BenchDisk;
let mounted = '';

beforeEach(() => {
  disk = makeDisk(33 * GIB);
  sh('sgdisk', '--new=1:0:+1G', '--new=2:0:+1G', disk.node);
  sh('partprobe', disk.node);
  sh('mkfs.ext4', '-q', `${disk.node}p1`);
  sh('mkswap', `${disk.node}p2`);
  mounted = path.join(disk.dir, 'data');
  fs.mkdirSync(mounted);
  sh('mount', `${disk.node}p1`, mounted);
  fs.writeFileSync(path.join(mounted, 'precious'), 'data');
});
afterEach(() => {
  try {
    sh('swapoff', `${disk.node}p2`);
  } catch {
    // The engine turned it off.
  }
  disk.remove();
});

/** What a look right before the mounts were made would have shown: the rules refuse a disk in use long before the engine does. */
async function machineBefore() {
  const machine = await machineWith([disk]);
  return { ...machine, devices: machine.devices.map((d) => (d.kname.startsWith(disk.kname) ? { ...d, mountpoints: [] } : d)) };
}

/** Runs a plan that is stopped right before partitioning. */
async function attempt(): Promise<EngineResult> {
  const machine = await machineBefore();
  const abort = new AbortController();
  const plan = planOn(disk, machine);
  return runPlan(plan, {
    ...benchOptions(disk),
    reprobe: machineBefore,
    onEvent: (e: EngineEvent) => e.type === 'step' && e.state === 'done' && e.id === 'release-disks' && abort.abort(),
    signal: abort.signal,
  });
}

const isMounted = () => fs.readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${mounted} `);

it('unmounts what is mounted and turns swap off', async () => {
  sh('swapon', `${disk.node}p2`);
  const result = await attempt();
  expect(result.failure?.message).toMatch(/stopped on request/);
  expect(result.nothingWritten).toBe(true);
  expect(isMounted()).toBe(false);
  expect(fs.readFileSync('/proc/swaps', 'utf8')).not.toContain(disk.kname);
});

it('refuses a disk that a process keeps busy, names where, and leaves its data alone', async () => {
  const before = sh('sgdisk', '--print', disk.node);
  const holder = spawn('sleep', ['60'], { cwd: mounted, stdio: 'ignore' });
  try {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const result = await attempt();
    expect(result.failure?.id).toBe('release-disks');
    expect(result.failure?.message).toContain(`mounted on ${mounted}`);
    expect(result.nothingWritten).toBe(true);
    expect(fs.readFileSync(path.join(mounted, 'precious'), 'utf8')).toBe('data');
    expect(sh('sgdisk', '--print', disk.node)).toBe(before);
  } finally {
    holder.kill();
  }
});
