/** A sparse file as a disk, on a loop device, and all that must be taken away afterwards. */
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makePlan } from '#installer/plan/make-plan.ts';
import { probeMachine } from '#machine/probe.ts';
import type { Settings } from '#model/answers.ts';
import type { Machine } from '#model/machine.ts';
import type { Plan } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { identityOf } from '#rules/disks.ts';
import { type Runner, run } from '#system/run.ts';
import { settings } from '../unit/plan/samples.ts';
import { makeRoot } from './make-root.ts';

export interface BenchDisk {
  readonly node: string;
  readonly kname: string;
  readonly dir: string;
  remove(): void;
}

/** Runs a tool to its end and gives its output. Throws when it fails. */
export const sh = (file: string, ...args: string[]): string =>
  execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

export function makeDisk(sizeBytes: number, sectorBytes = 512): BenchDisk {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-loop-'));
  const image = path.join(dir, 'disk.img');
  fs.writeFileSync(image, '');
  fs.truncateSync(image, sizeBytes);
  const node = sh('losetup', '--find', '--show', '--partscan', '--sector-size', String(sectorBytes), image).trim();
  return {
    node,
    kname: path.basename(node),
    dir,
    remove() {
      const mounts = fs
        .readFileSync('/proc/self/mountinfo', 'utf8')
        .split('\n')
        .map((l) => l.split(' ')[4] ?? '')
        .filter((t) => t.startsWith(`${dir}/`));
      for (const target of mounts.reverse()) {
        try {
          sh('umount', '-l', target);
        } catch {
          // Already gone with its parent.
        }
      }
      sh('losetup', '--detach', node);
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Name by which a bench disk goes in the machine: the rules refuse loop devices by their kernel name, as they should. */
export const benchName = (disk: BenchDisk): string => disk.kname.replace('loop', 'bench');

/** The probed machine, with those loop devices standing for disks: real disks are the one thing a test cannot take. */
export async function machineWith(disks: readonly BenchDisk[], firmware: Machine['firmware'] = 'bios'): Promise<Machine> {
  const machine = await probeMachine();
  const names = new Map(disks.map((d) => [d.kname, benchName(d)]));
  const renamed = (name: string) => names.get(name) ?? name;
  const devices = machine.devices.map((d) => ({
    ...d,
    kname: renamed(d.kname),
    children: d.children.filter((c) => !names.has(c)),
    parents: names.has(d.kname) ? [] : d.parents.map(renamed),
    type: names.has(d.kname) ? 'disk' : d.type,
  }));
  return { ...machine, firmware, devices };
}

const kernelHasFat = (): boolean => {
  if (/\bvfat$/m.test(fs.readFileSync('/proc/filesystems', 'utf8'))) return true;
  try {
    sh('modprobe', 'vfat');
    return true;
  } catch {
    return false;
  }
};

/**
 * The real runner; where the host's kernel has no FAT, `mount -t vfat` becomes the user-space one, on the same partition.
 * Everything else is run as it is.
 */
export function benchRunner(): Runner {
  if (kernelHasFat()) return run;
  const fusefat = ['/usr/bin/fusefat', process.env['SPATIUM_FUSEFAT'] ?? ''].find((f) => f !== '' && fs.existsSync(f));
  if (fusefat === undefined) throw new Error('this kernel cannot mount FAT and fusefat is not installed: apt-get install fusefat');
  return (argv, options) => {
    if (argv[0] !== 'mount' || argv[2] !== 'vfat') return run(argv, options);
    const [node = '', target = ''] = argv.slice(-2);
    return run([fusefat, node, target, '-o', 'rw+', '-o', `blkdev,fsname=${node},allow_other`], options);
  };
}

/** The plan of an installation on that disk of that machine. */
export const planOn = (disk: BenchDisk, machine: Machine, more: Partial<Settings> = {}): Plan =>
  makePlan({
    settings: settings({ targetDisk: disk.node, ...more }),
    machine,
    target: identityOf(machine, benchName(disk)),
    uuids: () => crypto.randomUUID(),
    extraKernelWords: [],
    exportedAnswers: '#\n',
  });

/** What the engine needs to run a plan on that disk, beside it: places, the image, real tools. */
export const benchOptions = (disk: BenchDisk) => ({
  secrets: { adminPassword: new Secret('first-Passw0rd'), adminPasswordHash: null, pairingCode: null },
  sourceSquashfs: makeRoot(),
  targetRoot: path.join(disk.dir, 'target'),
  logDir: path.join(disk.dir, 'logs'),
  reprobe: () => machineWith([disk]),
  onEvent: () => undefined,
  runner: benchRunner(),
});
