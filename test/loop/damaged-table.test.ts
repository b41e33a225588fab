/** Whatever table a disk comes with, whole or damaged: the planned one replaces it, and nothing of the old one is found again. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { GIB } from '#model/limits.ts';
import { type BenchDisk, machineWith, makeDisk, planOn, sh } from './bench-disk.ts';
import { runEngine } from './run-engine.ts';

const SECTOR_BYTES = 512;

function overwrite(node: string, atBytes: number, bytes: Uint8Array): void {
  const fd = fs.openSync(node, 'r+');
  fs.writeSync(fd, bytes, 0, bytes.length, atBytes);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

const gpt = (disk: BenchDisk) => void sh('sgdisk', '--clear', '--new=1:0:+1G', '--new=2:0:+2G', disk.node);
const junk = (length: number) => new Uint8Array(length).fill(0xa5);
const lastSector = (disk: BenchDisk) => Number(sh('blockdev', '--getsize64', disk.node)) - SECTOR_BYTES;

const DAMAGES: Readonly<Record<string, (disk: BenchDisk) => void>> = {
  'a whole table': gpt,
  'the first header with a wrong checksum': (disk) => {
    gpt(disk);
    overwrite(disk.node, SECTOR_BYTES + 56, junk(16));
  },
  'both headers with a wrong checksum': (disk) => {
    gpt(disk);
    overwrite(disk.node, SECTOR_BYTES + 56, junk(16));
    overwrite(disk.node, lastSector(disk) + 56, junk(16));
  },
  'entries overwritten': (disk) => {
    gpt(disk);
    overwrite(disk.node, 2 * SECTOR_BYTES, junk(16 * 1024));
  },
  'the first header gone, the last one there': (disk) => {
    gpt(disk);
    overwrite(disk.node, SECTOR_BYTES, new Uint8Array(SECTOR_BYTES));
  },
  'a boot record over a table, with overlapping partitions': (disk) => {
    gpt(disk);
    const entry = [0x80, 0, 2, 0, 0x83, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f];
    overwrite(disk.node, 446, Uint8Array.from([...entry, ...entry, ...entry, ...entry, 0x55, 0xaa]));
  },
  'a table of another sector size': (disk) => overwrite(disk.node, 4096, new TextEncoder().encode('EFI PART')),
  'nothing but junk at both ends': (disk) => {
    overwrite(disk.node, 0, junk(1024 ** 2));
    overwrite(disk.node, lastSector(disk) + SECTOR_BYTES - 1024 ** 2, junk(1024 ** 2));
  },
};

it.each(Object.keys(DAMAGES))('%s', async (name) => {
  const disk = makeDisk(40 * GIB);
  try {
    DAMAGES[name]!(disk);
    // Fails where there is nothing left to show, which is part of the case.
    spawnSync('partx', ['--update', disk.node]);
    const plan = planOn(disk, await machineWith([disk]));
    const ended = await runEngine({
      plan,
      disk,
      logDir: path.join(disk.dir, 'logs'),
      resume: false,
      dieAt: { step: 'partition', state: 'done' },
    });
    expect(ended.result?.failure).toBeUndefined();
    expect(ended.lines.at(-1)).toBe('done partition');
    expect(sh('sgdisk', '--verify', disk.node)).toContain('No problems found');
    const names = sh('sfdisk', '--json', disk.node);
    for (const p of plan.disks[0]!.partitions) expect(names).toContain(p.partUuid.toUpperCase());
    expect(sh('wipefs', '--noheadings', '--output', 'TYPE', disk.node).split('\n').filter(Boolean)).toEqual(['gpt', 'gpt', 'PMBR']);
  } finally {
    disk.remove();
  }
});
