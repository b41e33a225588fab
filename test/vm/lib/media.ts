/** Disks and volumes for a virtual machine, and what is found on them afterwards. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { TEST_WORDS } from './words.ts';

const tool = (file: string, args: readonly string[]): string =>
  execFileSync(file, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
  });

/** A blank disk; only what is written takes room. */
export function blankDisk(dir: string, sizeGib: number): string {
  const file = path.join(dir, 'target.qcow2');
  tool('qemu-img', ['create', '-q', '-f', 'qcow2', file, `${sizeGib}G`]);
  return file;
}

/** A FAT volume labelled CIDATA that holds one answer file. */
export function answerVolume(dir: string, answers: string): string {
  const image = path.join(dir, 'cidata.img');
  const text = path.join(dir, 'spatium-preseed.yaml');
  fs.writeFileSync(text, answers);
  fs.rmSync(image, { force: true });
  tool('mkfs.vfat', ['-C', '-n', 'CIDATA', image, '1440']);
  tool('mcopy', ['-i', image, text, '::spatium-preseed.yaml']);
  return image;
}

/** How often a text occurs in a file of any size. Blocks overlap, so that none is cut in two. */
export function occurrences(file: string, text: string): number {
  const needle = Buffer.from(text);
  const block = Buffer.allocUnsafe(8 << 20);
  const fd = fs.openSync(file, 'r');
  let found = 0;
  let kept = 0;
  try {
    for (
      let n = fs.readSync(fd, block, kept, block.length - kept, null);
      n > 0;
      n = fs.readSync(fd, block, kept, block.length - kept, null)
    ) {
      const end = kept + n;
      const view = block.subarray(0, end);
      for (let at = view.indexOf(needle); at >= 0; at = view.indexOf(needle, at + 1)) found++;
      kept = Math.min(needle.length - 1, end);
      block.copyWithin(0, end - kept, end);
    }
  } finally {
    fs.closeSync(fd);
  }
  return found;
}

export interface OpenDisk {
  /** Mount point of an ext4 partition, by its GPT name, read-only. */
  readonly ext4: (name: string) => string;
  /** Text of a file on the boot partition, read without the kernel: not every build host's has FAT. */
  readonly espText: (file: string) => string;
}

interface Span {
  readonly startBytes: number;
  readonly sizeBytes: number;
}

/** A disk as a raw file, and where its partitions are, by their GPT names. */
function rawCopy(disk: string, raw: string): { readonly raw: string; readonly partition: (name: string) => Span } {
  tool('qemu-img', ['convert', '-O', 'raw', disk, raw]);
  const table = JSON.parse(tool('sfdisk', ['-J', raw])) as {
    partitiontable: { partitions: { start: number; size: number; name?: string }[] };
  };
  const partition = (name: string): Span => {
    const found = table.partitiontable.partitions.find((p) => p.name === name);
    if (!found) throw new Error(`no partition named ${name}`);
    return { startBytes: found.start * 512, sizeBytes: found.size * 512 };
  };
  return { raw, partition };
}

/** By offset: nodes of a loop device's partitions do not appear everywhere that tests run. */
const mountSpan = (raw: string, { startBytes, sizeBytes }: Span, point: string, options: string): string =>
  tool('mount', ['-t', 'ext4', '-o', `${options}loop,offset=${startBytes},sizelimit=${sizeBytes}`, raw, point]);

/** The file systems of a disk while `look` runs. */
export function inspectDisk(disk: string, dir: string, look: (open: OpenDisk) => void): void {
  const { raw, partition } = rawCopy(disk, path.join(dir, 'target.raw'));
  const mounted: string[] = [];
  try {
    look({
      ext4: (name) => {
        const point = path.join(dir, `mnt-${name}`);
        if (mounted.includes(point)) return point;
        fs.mkdirSync(point, { recursive: true });
        mountSpan(raw, partition(name), point, 'ro,noload,');
        mounted.push(point);
        return point;
      },
      espText: (file) => tool('mtype', ['-i', `${raw}@@${partition('ESP').startBytes}`, `::${file}`]),
    });
  } finally {
    for (const point of mounted.reverse()) tool('umount', [point]);
    fs.rmSync(raw);
  }
}

/** A copy of a disk in which slot A was changed by `edit`, which gets its mount point. */
export function withSlotA(disk: string, dir: string, name: string, edit: (root: string) => void): string {
  const { raw, partition } = rawCopy(disk, path.join(dir, `${name}.raw`));
  const point = path.join(dir, `${name}-mnt`);
  fs.mkdirSync(point);
  mountSpan(raw, partition('root_A'), point, '');
  try {
    edit(point);
  } finally {
    tool('umount', [point]);
  }
  const copy = path.join(dir, `${name}.qcow2`);
  tool('qemu-img', ['convert', '-O', 'qcow2', raw, copy]);
  fs.rmSync(raw);
  return copy;
}

/**
 * Arguments that start a medium's own kernel with its menu's own words, and after them what makes software emulation twice as fast,
 * also in the installed system. For a medium whose menu cannot be edited.
 */
export function directBoot(iso: string, dir: string): string[] {
  for (const name of ['live/vmlinuz', 'live/initrd.img', 'boot/grub/grub.cfg'])
    tool('xorriso', ['-osirrox', 'on', '-indev', iso, '-extract', `/${name}`, path.join(dir, `medium-${path.basename(name)}`)]);
  const menu = fs.readFileSync(path.join(dir, 'medium-grub.cfg'), 'utf8');
  const set = new Map([...menu.matchAll(/^set (\w+)="(.*)"$/gm)].map(([, name, value]) => [name, value]));
  const words = /^ *linux \S+ (.*)$/m.exec(menu)?.[1]?.replace(/\$(\w+)/g, (_, name: string) => set.get(name) ?? '');
  if (!words?.includes('boot=live')) throw new Error(`no start of the medium in the menu of ${iso}`);
  const files = ['-kernel', path.join(dir, 'medium-vmlinuz'), '-initrd', path.join(dir, 'medium-initrd.img')];
  return [...files, '-append', `${words} ${TEST_WORDS.join(' ')}`];
}
