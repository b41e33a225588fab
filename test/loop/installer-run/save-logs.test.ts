/** Logs saved by the real mount on real file systems: what a failed run leaves in an operator's hand. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { saveLogs } from '#installer/run/save-logs.ts';
import type { Machine } from '#model/machine.ts';
import { succeeded, whyFailed } from '#system/run.ts';
import { machine } from '../../unit/rules/disks/build.ts';
import { benchRunner } from '../bench-disk.ts';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'save-logs-'));
const attachedNodes: string[] = [];
afterAll(() => {
  for (const node of attachedNodes) spawnSync('losetup', ['-d', node]);
  fs.rmSync(dir, { recursive: true, force: true });
});

const logDir = path.join(dir, 'logs');
fs.mkdirSync(path.join(logDir, 'more'), { recursive: true });
fs.writeFileSync(path.join(logDir, 'install.log'), 'line one\n');
fs.writeFileSync(path.join(logDir, 'more', 'dmesg.txt'), 'kernel\n');
fs.symlinkSync('/etc/shadow', path.join(logDir, 'link'));

const run = benchRunner();
const now = new Date('2026-11-30T20:04:33Z');
const FOLDER = 'spatium-install-logs_2026-11-30_200433';
const mountPoint = path.join(dir, 'mnt');

function image(name: string, type: 'vfat' | 'ext4'): string {
  const file = path.join(dir, name);
  fs.writeFileSync(file, '');
  fs.truncateSync(file, 16 * 1024 ** 2);
  const made = spawnSync(`mkfs.${type}`, type === 'vfat' ? [file] : ['-q', '-F', file], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  const attached = spawnSync('losetup', ['--show', '-f', file], { encoding: 'utf8' });
  if (attached.status !== 0) throw new Error(attached.stderr);
  const node = attached.stdout.trim();
  attachedNodes.push(node);
  return node;
}

/** One USB disk per image, in the order given. */
function machineWith(images: readonly { readonly file: string; readonly type: string; readonly label?: string }[]): Machine {
  const built = machine(
    images.map((one, index) => ({
      kname: `sd${'bcd'[index]}`,
      type: 'disk',
      size: 16 * 1024 ** 2,
      fstype: one.type,
      label: one.label ?? null,
    })),
  );
  return {
    ...built,
    devices: built.devices.map((device, index) => ({
      ...device,
      path: images[index]?.file ?? device.path,
      transport: 'usb',
      removable: true,
    })),
  };
}

/** What the volume holds, seen through a mount of its own. */
async function held(file: string, type: string): Promise<string[]> {
  const at = path.join(dir, 'look');
  fs.mkdirSync(at, { recursive: true });
  const mounted = await run(['mount', '-t', type, '-o', 'rw', file, at]);
  if (!succeeded(mounted)) throw new Error(whyFailed(mounted));
  try {
    return (fs.readdirSync(at, { recursive: true }) as string[]).filter((name) => !name.startsWith('lost+found')).sort();
  } finally {
    await run(['umount', at]);
  }
}

const COPIED = [FOLDER, `${FOLDER}/install.log`, `${FOLDER}/more`, `${FOLDER}/more/dmesg.txt`];

it.each(['vfat', 'ext4'] as const)('are on a %s volume, which is let go of; a link is not followed', async (type) => {
  const file = image(`${type}.img`, type);
  const said = await saveLogs(machineWith([{ file, type }]), { logDir, planDisks: [], runner: run, now, mountPoint });
  expect(said).toContain(`saved on ${file}`);
  expect(said).toContain(FOLDER);
  expect(fs.existsSync(mountPoint)).toBe(false);
  expect(await held(file, type)).toEqual(COPIED);
});

it('go to the next volume when the first cannot be mounted', async () => {
  const torn = path.join(dir, 'torn.img');
  fs.writeFileSync(torn, Buffer.alloc(1024 ** 2));
  const file = image('good.img', 'vfat');
  const said = await saveLogs(
    machineWith([
      { file: torn, type: 'vfat', label: 'CIDATA' },
      { file, type: 'vfat' },
    ]),
    { logDir, planDisks: [], runner: run, now, mountPoint },
  );
  expect(said).toContain(`saved on ${file}`);
  expect(await held(file, 'vfat')).toEqual(COPIED);
});

it('stay where they are, and the reason is said, when nothing takes them', async () => {
  const torn = path.join(dir, 'torn.img');
  const options = { logDir, planDisks: [], runner: run, now, mountPoint };
  expect(await saveLogs(machineWith([{ file: torn, type: 'vfat' }]), options)).toMatch(
    new RegExp(`could not be saved.*${torn}.*cannot be mounted: (?!dmesg).+The logs are in ${logDir}`),
  );
  expect(await saveLogs(machineWith([]), options)).toMatch(/No USB disk .*Plug one in/);
  expect(await saveLogs(machineWith([]), { ...options, logDir: path.join(dir, 'none') })).toContain('no logs yet');
  expect(fs.existsSync(mountPoint)).toBe(false);
});
