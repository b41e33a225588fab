/** The look at a mirror's second boot partition, on two real FAT file systems: in step, drifted, in step again, gone. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { espSync } from '#boot/esp-sync.ts';
import { secondEsp } from '#supervisor/collectors/second-esp.ts';
import { hostView } from '#system/observe.ts';
import { fileTree } from '../../support/temp.ts';
import { benchRunner } from '../bench-disk.ts';

const sh = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' }).trim();
const IDS = ['AAAA-0001', 'AAAA-0002'] as const;
const root = fileTree({
  'etc/fstab': `UUID=${IDS[0]} /boot/efi vfat defaults 0 2\nUUID=${IDS[1]} /boot/efi2 vfat noauto 0 2\n`,
  'dev/x': '',
});
const loops: string[] = [];
const own = path.join(root, 'boot/efi');
const deviceLink = (id: string): string => path.join(root, 'dev/disk/by-uuid', id);
let nowMs = 0;
const clock = { now: () => new Date(nowMs).toISOString(), monoMs: () => nowMs };
const runner = benchRunner();
const look = secondEsp(hostView(root), clock, runner, root);
const HOUR_MS = 3_600_000;
/** What the other one holds, read without mounting it. */
const onSecond = (file: string): string => {
  sh('blockdev', '--flushbufs', loops[1] as string);
  return sh('mtype', '-i', path.join(root, 'esp1.img'), `::/grub/${file}`);
};

beforeAll(async () => {
  fs.mkdirSync(path.dirname(deviceLink('x')), { recursive: true });
  for (const [i, id] of IDS.entries()) {
    const image = path.join(root, `esp${i}.img`);
    fs.writeFileSync(image, '');
    fs.truncateSync(image, 128 * 1024 * 1024);
    sh('mkfs.vfat', '-F', '32', '-i', id.replace('-', ''), '-n', 'ESP', image);
    sh('mmd', '-i', image, '::/grub');
    for (const [name, text] of [
      ['grub.cfg', 'menu one\n'],
      ['grubenv', 'saved_entry=slot_a\n'],
    ] as const) {
      fs.writeFileSync(path.join(root, name), text);
      sh('mcopy', '-i', image, path.join(root, name), `::/grub/${name}`);
    }
    const loop = sh('losetup', '--find', '--show', image);
    loops.push(loop);
    fs.symlinkSync(loop, deviceLink(id));
  }
  fs.mkdirSync(own, { recursive: true });
  const mounted = await runner(['mount', '-t', 'vfat', '-o', 'rw', loops[0] as string, own]);
  expect(mounted).toMatchObject({ kind: 'exited', code: 0 });
});
afterAll(() => {
  for (const point of [own, path.join(root, 'boot/efi2')])
    try {
      execFileSync('umount', [point], { stdio: 'ignore' });
    } catch {
      // It was not mounted.
    }
  for (const loop of loops) sh('losetup', '--detach', loop);
});

it('two that hold the same are in step, and the look leaves nothing mounted', async () => {
  expect(await look()).toEqual({ present: true, in_sync: true, checked_at: clock.now() });
  expect(fs.readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(path.join(root, 'boot/efi2'));
});

it('another menu on the first is drift, seen at the next look, and the look copies nothing', async () => {
  fs.writeFileSync(path.join(own, 'grub/grub.cfg'), 'menu two\n');
  nowMs += 60_000;
  expect(await look()).toMatchObject({ in_sync: true });
  nowMs += HOUR_MS;
  expect(await look()).toEqual({ present: true, in_sync: false, checked_at: clock.now() });
  expect(onSecond('grub.cfg')).toBe('menu one');
});

it('a file that only one has is drift too', async () => {
  expect(await espSync({ root, isCheck: false, runner })).toEqual({ kind: 'copied', names: ['grub.cfg'] });
  expect(onSecond('grub.cfg')).toBe('menu two');
  nowMs += HOUR_MS;
  expect(await look()).toMatchObject({ in_sync: true });
  fs.writeFileSync(path.join(own, 'grub/grub.cfg.bak'), 'menu one\n');
  nowMs += HOUR_MS;
  expect(await look()).toMatchObject({ in_sync: false });
});

it('one that cannot be mounted is not known, which is neither in step nor drift', async () => {
  const broken = path.join(root, 'broken.img');
  fs.writeFileSync(broken, Buffer.alloc(1024 * 1024));
  const loop = sh('losetup', '--find', '--show', broken);
  loops.push(loop);
  fs.unlinkSync(deviceLink(IDS[1]));
  fs.symlinkSync(loop, deviceLink(IDS[1]));
  nowMs += HOUR_MS;
  expect(await look()).toMatchObject({ present: true, in_sync: null });
});

it('a disk that is gone takes its boot partition with it; back again, it is compared at once', async () => {
  fs.unlinkSync(deviceLink(IDS[1]));
  expect(await look()).toEqual({ present: false, in_sync: null, checked_at: null });
  fs.symlinkSync(loops[1] as string, deviceLink(IDS[1]));
  expect(await look()).toMatchObject({ present: true, in_sync: false });
});
