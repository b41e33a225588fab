/** Freeing the target, and refusing when it cannot be freed, with real mounts and swap on a loop device; nothing is written in any case. */
import { execFileSync, spawn } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runPlan } from '#installer/engine/run-plan.ts';
import { makePlan } from '#installer/plan/make-plan.ts';
import { GIB } from '#model/limits.ts';
import type { EngineResult } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { identityOf } from '#rules/disks.ts';
import { settings } from '../unit/plan/samples.ts';
import { type BenchDisk, benchName, benchRunner, machineWith, makeDisk } from './bench-disk.ts';
import { makeRoot } from './make-root.ts';

const sh = (file: string, ...args: string[]): string => execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

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
  const plan = makePlan({
    settings: settings({ targetDisk: disk.node }),
    machine,
    target: identityOf(machine, benchName(disk)),
    uuids: () => crypto.randomUUID(),
    extraKernelWords: [],
    exportedAnswers: '#\n',
  });
  return runPlan(plan, {
    secrets: { adminPassword: new Secret('first-Passw0rd'), adminPasswordHash: null, pairingCode: null },
    sourceSquashfs: makeRoot(),
    targetRoot: path.join(disk.dir, 'target'),
    logDir: path.join(disk.dir, 'logs'),
    reprobe: machineBefore,
    onEvent: (e) => e.type === 'step' && e.state === 'done' && e.id === 'release-disks' && abort.abort(),
    signal: abort.signal,
    runner: benchRunner(),
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
