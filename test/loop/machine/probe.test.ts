/** Probes this very machine, with real devices made for the purpose. Needs root and loop devices. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readCapture, writeCapture } from '#machine/capture-file.ts';
import { probeMachine } from '#machine/probe.ts';
import { sourcesOf } from '#machine/sources.ts';
import type { BlockDevice, Machine } from '#model/machine.ts';
import { identityOf, judgeDisks, sameDisk } from '#rules/disks.ts';
import { mdSuperblock } from '../../support/md-superblock.ts';

const GIB = 1024 ** 3;
const undo: (() => void)[] = [];
afterEach(() => {
  for (const step of undo.splice(0).reverse()) step();
});

function sh(...argv: [string, ...string[]]): string {
  const [file, ...args] = argv;
  const result = spawnSync(file, args, { encoding: 'utf8', timeout: 30_000 });
  if (result.status !== 0) throw new Error(`${argv.join(' ')}: ${result.stderr}`);
  return result.stdout.trim();
}

const works = (...argv: [string, ...string[]]): boolean => spawnSync(argv[0], argv.slice(1), { timeout: 10_000 }).status === 0;
const isRoot = process.getuid?.() === 0;
const hasLoop = isRoot && works('losetup', '-f');
const hasDm = hasLoop && works('dmsetup', 'version');
const hasMd = hasLoop && fs.existsSync('/proc/mdstat');

function scratch(parent = os.tmpdir()): string {
  const dir = fs.mkdtempSync(path.join(parent, 'probe-'));
  undo.push(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function loop(dir: string, name: string, sizeBytes: number): string {
  const file = path.join(dir, name);
  fs.writeFileSync(file, '');
  fs.truncateSync(file, sizeBytes);
  const node = sh('losetup', '-f', '--show', file);
  undo.push(() => works('losetup', '-d', node));
  return path.basename(node);
}

function mount(source: string, target: string): void {
  fs.mkdirSync(target, { recursive: true });
  sh('mount', source, target);
  undo.push(() => {
    works('umount', target);
    fs.rmSync(target, { recursive: true, force: true });
  });
}

const device = (machine: Machine, kname: string): BlockDevice | undefined => machine.devices.find((d) => d.kname === kname);

/** Kernel name of the whole disk below the directory that the test may write to; null when that is no block device. */
const rootDisk = (machine: Machine): string | null => {
  const holding = machine.devices.find((d) => d.mountpoints.includes('/'));
  return holding === undefined ? null : (holding.parents[0] ?? holding.kname);
};

it('a capture of this machine can be read back and judged', async () => {
  const machine = await probeMachine();
  expect(readCapture(writeCapture(machine))).toEqual(machine);
  expect(machine.devices.length).toBeGreaterThan(0);
  expect(machine.cpuCount).toBe(os.cpus().length);
  expect(Math.abs((machine.memoryBytes ?? 0) - os.totalmem())).toBeLessThan(GIB);
  expect(machine.accounts).toContain('root');
  const names = Object.keys(os.networkInterfaces()).filter((n) => /^(?:en|eth)/.test(n));
  expect(machine.interfaces?.map((i) => i.name)).toEqual(expect.arrayContaining(names));
});

it('the disk that this system runs from is never offered', async () => {
  const machine = await probeMachine();
  const disk = rootDisk(machine);
  if (disk === null) return expect(judgeDisks(machine).filter((v) => v.path === '/')).toEqual([]);
  const verdict = judgeDisks(machine).find((v) => v.kname === disk);
  expect(verdict?.selectable).toBe(false);
  expect(verdict?.reasons.map((r) => r.code)).toContain('disk.mounted');
});

describe.skipIf(!hasLoop)('with loop devices', () => {
  it('a live medium in a file makes the disk below that file the live medium', async () => {
    const dir = scratch();
    const name = loop(dir, 'medium.img', 64 * 1024 ** 2);
    sh('mkfs.ext4', '-q', `/dev/${name}`);
    mount(`/dev/${name}`, `/run/live/probe-test-${process.pid}`);
    const machine = await probeMachine();
    expect(machine.liveMedium).toContain(name);
    const disk = rootDisk(machine);
    if (disk !== null) {
      expect(device(machine, name)?.parents.length).toBe(1);
      expect(machine.liveMedium).toContain(disk);
      expect(
        judgeDisks(machine)
          .find((v) => v.kname === disk)
          ?.reasons.map((r) => r.code),
      ).toContain('disk.live-medium');
    }
    expect(judgeDisks(machine).map((v) => v.kname)).not.toContain(name);
  });

  it.skipIf(!fs.existsSync('/dev/shm'))('a live medium in memory (toram) makes no disk the live medium', async () => {
    const name = loop(scratch('/dev/shm'), 'medium.img', 16 * 1024 ** 2);
    sh('mkfs.ext4', '-q', `/dev/${name}`);
    mount(`/dev/${name}`, `/run/live/probe-test-${process.pid}`);
    const machine = await probeMachine();
    expect(machine.liveMedium).toEqual([name]);
  });

  it('a disk that changed between confirmation and the first write is another disk', async () => {
    const name = loop(scratch(), 'disk.img', 40 * GIB);
    const identity = async () => identityOf(await probeMachine(), name);
    const blank = await identity();
    expect(blank).toMatchObject({ path: `/dev/${name}`, sizeBytes: 40 * GIB, table: 'none' });
    expect(sameDisk(blank, await identity())).toBeNull();
    sh('mkfs.ext4', '-q', '-F', `/dev/${name}`);
    const formatted = await identity();
    expect(sameDisk(blank, formatted)).toContain('partition table');
    sh('sgdisk', '-Z', '-n1:1M:+100M', `/dev/${name}`);
    expect(sameDisk(formatted, await identity())).toContain('partition table');
  });

  it('the kernel tells a device in use from a free one', async () => {
    const name = loop(scratch(), 'disk.img', 64 * 1024 ** 2);
    const sources = sourcesOf();
    sh('mkfs.ext4', '-q', '-F', `/dev/${name}`);
    expect(await sources.claimed(`/dev/${name}`)).toBe(false);
    mount(`/dev/${name}`, path.join(scratch(), 'mnt'));
    expect(await sources.claimed(`/dev/${name}`)).toBe(true);
    expect(await sources.claimed('/dev/no-such-device')).toBeNull();
  });

  it('signatures are read from the device, not only from the udev database', async () => {
    const name = loop(scratch(), 'disk.img', 64 * 1024 ** 2);
    sh('mkfs.ext4', '-q', '-F', '-L', 'my disk', `/dev/${name}`);
    expect(device(await probeMachine(), name)).toMatchObject({ fsType: 'ext4', fsLabel: 'my disk', mountpoints: [] });
  });

  it.skipIf(!works('vgs', '--version'))('physical volumes know their group, and each other', async () => {
    const dir = scratch();
    const [a, b] = [loop(dir, 'a.img', 64 * 1024 ** 2), loop(dir, 'b.img', 64 * 1024 ** 2)];
    const group = `probe_test_${process.pid}`;
    sh('pvcreate', '-q', '-ff', '-y', `/dev/${a}`, `/dev/${b}`);
    sh('vgcreate', '-q', group, `/dev/${a}`, `/dev/${b}`);
    undo.push(() => works('vgremove', '-q', '-f', group));
    const machine = await probeMachine();
    expect([device(machine, a)?.volumeGroup, device(machine, b)?.volumeGroup]).toEqual([group, group]);
  });

  it('a member of a stopped array is seen as one', async () => {
    const name = loop(scratch(), 'member.img', 64 * 1024 ** 2);
    // The superblock alone, as `mdadm --create` writes it; this kernel need not have md.
    fs.writeFileSync(`/dev/${name}`, mdSuperblock({ name: 'any:var', dataOffsetSectors: 2048, dataSectors: 120_000 }), { flag: 'r+' });
    const machine = await probeMachine();
    expect(device(machine, name)).toMatchObject({ fsType: 'linux_raid_member', fsVersion: '1.2', fsLabel: 'any:var' });
  });
});

describe.skipIf(!hasDm)('with device-mapper', () => {
  it('a mounted map on a partition is found through the whole stack', async () => {
    const name = loop(scratch(), 'disk.img', 64 * 1024 ** 2);
    const map = `probe-test-${process.pid}`;
    sh('dmsetup', 'create', map, '--table', `0 100000 linear /dev/${name} 0`);
    undo.push(() => works('dmsetup', 'remove', map));
    sh('mkfs.ext4', '-q', `/dev/mapper/${map}`);
    mount(`/dev/mapper/${map}`, `/run/live/${map}`);
    const machine = await probeMachine();
    const dm = machine.devices.find((d) => d.path === `/dev/mapper/${map}`);
    expect(dm?.parents).toEqual([name]);
    expect(machine.liveMedium).toEqual(expect.arrayContaining([name, dm?.kname]));
  });
});

describe.skipIf(!hasMd)('with md', () => {
  it('an array has its name, metadata and members', async () => {
    const dir = scratch();
    const [a, b] = [loop(dir, 'a.img', 64 * 1024 ** 2), loop(dir, 'b.img', 64 * 1024 ** 2)];
    const node = '/dev/md/probe-test';
    sh(
      'mdadm',
      '--create',
      node,
      '--level=1',
      '--raid-devices=2',
      '--metadata=1.2',
      '--homehost=any',
      '--name=probe-test',
      '--run',
      '--assume-clean',
      `/dev/${a}`,
      `/dev/${b}`,
    );
    undo.push(() => works('mdadm', '--stop', node));
    const machine = await probeMachine();
    const md = machine.devices.find((d) => d.type === 'raid1' && d.parents.includes(a));
    expect(md).toMatchObject({ mdMetadata: '1.2', parents: [a, b] });
    expect(md?.mdName).toMatch(/probe-test$/);
  });
});
