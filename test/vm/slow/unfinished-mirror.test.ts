/**
 * A mirror that was being installed when the power went, on the shipped medium: what it says at its next start, with the arrays
 * assembled as the medium does and with both halves stopped, and how it goes on from there, without anybody and by hand.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { copyOfDisk, diskArguments, makeDiskFile, type VmDisk, WWN_PATHS } from '../engine/disks.ts';
import { Installed } from '../engine/installed.ts';
import { answerVolume, directBoot } from '../lib/media.ts';
import { ISO, requireIso } from '../lib/medium.ts';
import { Vm } from '../lib/qemu.ts';
import { BENCH_PASSWORD } from '../lib/words.ts';

const BOOT_MS = 600_000;
const INSTALL_MS = 1_500_000;
const SCREEN_MS = 120_000;
const DOWN_MS = 120_000;
const ENDED_BADLY = /HALTED|FAILED at .*|service ended: .*/;

const ANSWERS = `spatium_preseed:
  unattended: true
  role: control-plane
  target_disk: ${WWN_PATHS[0]}
  mirror_disk: ${WWN_PATHS[1]}
  confirm_wipe: true
  hostname: two-disks
  admin_user: ops
  admin_password: "${BENCH_PASSWORD}"
  set_root_password: true
  timezone: UTC
  network: { mode: dhcp }
  after_install: poweroff
`;

let dir: string;
let boot: string[];
let disks: readonly VmDisk[];
let vm: Vm | null = null;
let machine: Installed | null = null;

beforeAll(() => {
  requireIso();
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-unfinished-'));
  // Behind the mark: the installed system then has login prompts.
  boot = directBoot(ISO, dir).map((word) => (word.includes(' --- ') ? `${word} spatium-console=off` : word));
  disks = ['a', 'b'].map((name) => ({ file: makeDiskFile(dir, name, 40, 'raw'), format: 'raw', serial: `CUT-${name}` }));
});
afterEach(async () => {
  await machine?.stop();
  await vm?.stop();
  machine = null;
  vm = null;
});
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

/** Starts the medium with these disks; with the answer file it installs, as a rescue it gives a shell. */
async function startMedium(on: readonly VmDisk[], entry: 'install' | 'rescue'): Promise<Vm> {
  const words = entry === 'install' ? boot : boot.map((word) => word.replace('spatium-mode=install', 'spatium-mode=live'));
  const hardware = [...words, ...diskArguments(on, 2)];
  vm = await Vm.start({ firmware: 'bios', iso: ISO, hardware, volumes: [answerVolume(dir, ANSWERS)] });
  return vm;
}

/** Waits for a line of the unattended run. */
async function said(started: Vm, wanted: RegExp, timeoutMs: number): Promise<string> {
  for (const deadlineMs = Date.now() + timeoutMs; Date.now() < deadlineMs; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const found = wanted.exec(started.screen.raw);
    if (found !== null) return found[0];
    if (ENDED_BADLY.test(started.screen.raw) || !started.running) break;
  }
  throw new Error(`${wanted}: not seen; the serial line ends:\n${started.screen.raw.slice(-4000)}`);
}

async function cutAfter(started: Vm, wanted: RegExp, moreMs: number): Promise<void> {
  await said(started, wanted, INSTALL_MS);
  await new Promise((resolve) => setTimeout(resolve, moreMs));
  expect(started.running).toBe(true);
  await started.stop();
}

it('goes on by itself, twice, when the same answer file is there', async () => {
  await cutAfter(await startMedium(disks, 'install'), /%\] Copy the system/, 20_000);
  const second = await startMedium(disks, 'install');
  const line = await said(second, /An installation on .*was cut short.*/, BOOT_MS);
  expect(line).toMatch(
    /on \/dev\/sda and \/dev\/sdb was cut short at "Copy the system" .*it goes on, since it was begun with the same answers/,
  );
  await cutAfter(second, /%\] Copy slot A to slot B/, 12_000);
});

it('tells of stopped halves without writing, and goes on by hand once they are assembled', async () => {
  const on = disks.map((disk, i) => copyOfDisk(disk, `by-hand-${i}`));
  const started = await startMedium(on, 'rescue');
  const { screen } = started;
  const shell = await Installed.onMedium(started, BOOT_MS);
  expect((await shell.run('cat /proc/mdstat')).match(/active (\(\S+\) )?raid1/g)).toHaveLength(4);
  await shell.run('mdadm --stop --scan');
  expect(await shell.run('spatium machine disks')).not.toContain('did not make');
  const written = 'cat /sys/block/sd[ab]/stat | tr -s " " | cut -d" " -f6,8';
  const before = await shell.run(written);
  const cutShort = async (): Promise<string> => {
    screen.type('spatium-install --mono\r');
    await screen.waitFor(/^ Welcome /m, SCREEN_MS);
    await screen.settle(1000, 10_000);
    screen.type('\r');
    const text = await screen.waitFor(/It stopped at: /, SCREEN_MS, 'what was cut short');
    expect(text).toMatch(/two-disks \(first node\) on \/dev\/sda and\s+\/dev\/sdb/);
    expect(text).toContain('It stopped at: Copy slot A to slot B');
    return text;
  };
  expect((await cutShort()).replaceAll(/\s+/g, ' ')).toContain('It cannot go on: the mirror it lies on is not assembled on this medium');
  screen.type('\x03');
  await screen.settle(1000, 10_000);
  screen.type('\x03');
  await screen.settle(2000, 10_000);
  expect(await shell.run(written)).toBe(before);

  await shell.run('mdadm --assemble --scan; udevadm settle');
  expect(await cutShort()).not.toContain('It cannot go on');
  await screen.settle(1000, 10_000);
  screen.type('\r');
  await screen.waitFor(/Go on now\?/, SCREEN_MS);
  await screen.settle(1000, 10_000);
  screen.type('y');
  await screen.settle(1000, 10_000);
  screen.type('\r');
  await screen.waitFor(/All \d+ checks passed/, INSTALL_MS, 'end of the installation');
  screen.type('\r');
  await started.ended(DOWN_MS);
  await started.stop();
  machine = await Installed.start([on[1] as VmDisk], 'uefi');
  expect(await machine.run('lsblk -dno TYPE $(findmnt -no SOURCE /)')).toBe('raid1');
  expect(await machine.failedUnits()).toBe('');
  await machine.off();
});

it('takes half of it for ours, and for no reason to refuse the disk', async () => {
  const shell = await Installed.onMedium(await startMedium([copyOfDisk(disks[1] as VmDisk, 'lonely')], 'rescue'), BOOT_MS);
  expect(await shell.run('spatium machine disks; cat /proc/mdstat')).not.toContain('did not make');
});
