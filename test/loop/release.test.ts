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
  for (const swap of [`${disk.node}p2`, path.join(mounted, 'swap')])
    try {
      sh('swapoff', swap);
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

it('turns off swap in a file on the disk', async () => {
  const file = path.join(mounted, 'swap');
  fs.writeFileSync(file, Buffer.alloc(8 * 1024 ** 2), { mode: 0o600 });
  sh('mkswap', file);
  sh('swapon', file);
  expect((await attempt()).failure?.message).toMatch(/stopped on request/);
  expect(fs.readFileSync('/proc/swaps', 'utf8')).not.toContain(file);
});

it('sees a loop device over a partition: mounted it is a refusal, unused it is taken away', async () => {
  sh('umount', mounted);
  const loop = sh('losetup', '--find', '--show', `${disk.node}p1`).trim();
  try {
    sh('mount', loop, mounted);
    const refused = await attempt();
    expect(refused.failure).toMatchObject({ id: 'check-identity', nothingWritten: true });
    expect(refused.failure?.message).toContain(`${loop} is mounted at ${mounted}`);
    expect(fs.readFileSync(path.join(mounted, 'precious'), 'utf8')).toBe('data');
    sh('umount', mounted);
    expect((await attempt()).failure?.message).toMatch(/stopped on request/);
    expect(sh('losetup', '--list', '--noheadings', '--output', 'BACK-FILE')).not.toContain(`${disk.node}p1`);
  } finally {
    const left = sh('losetup', '--list', '--noheadings', '--output', 'NAME,BACK-FILE').includes(`${disk.node}p1`);
    if (left) sh('losetup', '--detach', loop);
  }
});

/** A process that keeps the node for itself; resolves once it has it. */
async function keepAlone(node: string) {
  const code = `require('fs').openSync('${node}', require('fs').constants.O_RDWR | require('fs').constants.O_EXCL); console.log('held'); setInterval(() => 0, 1000)`;
  const holder = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  return holder;
}

it('names the process that has a partition open for itself alone', async () => {
  sh('umount', mounted);
  const holder = await keepAlone(`${disk.node}p1`);
  try {
    const { failure } = await attempt();
    expect(failure).toMatchObject({ id: 'release-disks', nothingWritten: true });
    expect(failure?.message).toContain(`${disk.node}p1 is open in process ${holder.pid} (`);
  } finally {
    holder.kill();
  }
});

it('names the process whose mount namespace alone has the disk', async () => {
  sh('umount', mounted);
  const argv = ['--mount', '--propagation', 'private', 'sh', '-c', 'mount "$0" "$1" && echo mounted && exec sleep 60'];
  const holder = spawn('unshare', [...argv, `${disk.node}p1`, mounted], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    const { failure } = await attempt();
    expect(failure).toMatchObject({ id: 'release-disks', nothingWritten: true });
    expect(failure?.message).toContain(`mounted on ${mounted} for process ${holder.pid} (`);
  } finally {
    holder.kill();
  }
});

it('asks for the disk once more right before the first write', async () => {
  const machine = await machineBefore();
  let holder: ReturnType<typeof spawn> | null = null;
  let looks = 0;
  const result = await runPlan(planOn(disk, machine), {
    ...benchOptions(disk),
    // The second look is the one of the step that writes, after the disk was freed.
    reprobe: async () => {
      looks += 1;
      if (looks === 2) holder = await keepAlone(`${disk.node}p1`);
      return machineBefore();
    },
  });
  (holder as ReturnType<typeof spawn> | null)?.kill();
  expect(result.failure).toMatchObject({ id: 'partition', nothingWritten: true });
  expect(result.failure?.message).toContain('is open in process');
});

/** Runs up to the first mount, with the target's place as it is found. */
async function upToMount(root: string) {
  sh('umount', mounted);
  const abort = new AbortController();
  return runPlan(planOn(disk, await machineBefore()), {
    ...benchOptions(disk),
    targetRoot: root,
    reprobe: machineBefore,
    signal: abort.signal,
    onEvent: (e: EngineEvent) => e.type === 'step' && e.state === 'done' && e.id === 'mount-target' && abort.abort(),
  });
}

it('does not take what somebody else has mounted on the target for the new system', async () => {
  const root = path.join(disk.dir, 'target');
  fs.mkdirSync(root);
  sh('mount', '-t', 'tmpfs', 'foreign', root);
  const holder = spawn('sleep', ['60'], { cwd: root, stdio: 'ignore' });
  try {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const before = sh('sgdisk', '--print', disk.node);
    await expect(upToMount(root)).rejects.toThrow(`${root} is mounted and in use; unmount it`);
    expect(fs.readdirSync(root)).toEqual([]);
    expect(sh('sgdisk', '--print', disk.node)).toBe(before);
  } finally {
    holder.kill();
  }
});

it('lets go of everything when the target is named by a link', async () => {
  const real = path.join(disk.dir, 'real');
  fs.mkdirSync(real);
  fs.symlinkSync(real, path.join(disk.dir, 'target'));
  const result = await upToMount(path.join(disk.dir, 'target'));
  expect(result.failure?.id).toBe('copy-system');
  expect(fs.readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(disk.dir);
});
