/** From an answer file to a running console, on the shipped medium, under both firmwares. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { answerVolume, blankDisk, inspectDisk, occurrences } from './lib/media.ts';
import { bootMedium, ISO, requireIso } from './lib/medium.ts';
import { Vm } from './lib/qemu.ts';

const BOOT_MS = 600_000;
const INSTALL_MS = 1_200_000;

interface Case {
  readonly firmware: 'bios' | 'uefi';
  readonly hostname: string;
  readonly address: RegExp;
  /** Last lines of the answer file. */
  readonly more: string;
  readonly after: 'reboot' | 'poweroff';
  readonly pairingCode: string | null;
}

// Made at each run, so that no test can pass by a value that was built in.
const mark = createHash('sha256').update(`${process.pid} ${Date.now()}`).digest('hex');
const password = `Zx9-${mark.slice(0, 14)}`;
const pairingCode = String(10_000_000 + (Number.parseInt(mark.slice(20, 28), 16) % 89_999_999));

const CASES: readonly Case[] = [
  {
    firmware: 'bios',
    hostname: `cp-${mark.slice(0, 6)}`,
    address: /10\.0\.2\.77/,
    more: 'role: control-plane\n  network: { mode: static, interface: enp0s2, ip: 10.0.2.77, prefix: 24, gateway: 10.0.2.2, dns: 10.0.2.3 }',
    after: 'reboot',
    pairingCode: null,
  },
  {
    firmware: 'uefi',
    hostname: `node-${mark.slice(6, 12)}`,
    address: /10\.0\.2\.15/,
    more: `role: appliance\n  network: { mode: dhcp }\n  control_plane_url: "https://cp.example.test"\n  pairing_code: "${pairingCode}"`,
    after: 'poweroff',
    pairingCode,
  },
];

const answers = (c: Case): string => `#cloud-config
spatium_preseed:
  unattended: true
  target_disk: /dev/vda
  confirm_wipe: true
  hostname: ${c.hostname}
  admin_user: ops
  admin_password: "${password}"
  timezone: Europe/Berlin
  after_install: ${c.after}
  ${c.more}
`;

/** What the packages' own boot scripts complain of where nothing is wrong. */
const NOISE = /No such file or directory|whom to kill|unknown filesystem type/;

describe.each(CASES)('an answer file on a CIDATA volume, $firmware', (c) => {
  let dir = '';
  let disk = '';
  let vm: Vm | null = null;

  beforeAll(() => {
    requireIso();
    dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-install-'));
    disk = blankDisk(dir, 40);
  });
  afterEach(async () => {
    await vm?.stop();
    vm = null;
  });
  afterAll(() => {
    fs.rmSync(dir, { recursive: true, force: true });
  });

  test('installs without a key', async () => {
    vm = await Vm.start({ firmware: c.firmware, iso: ISO, disk, volumes: [answerVolume(dir, answers(c))] });
    await bootMedium(vm, 'install');
    await vm.ended(INSTALL_MS, /HALTED|FAILED at .*|service ended: .*/);
    const { raw } = vm.screen;
    expect(raw).toMatch(/100%\] installed; (\d+) of \1 checks passed/);
    expect(raw).not.toContain('CHECK FAILED');
    expect(raw).not.toMatch(NOISE);
    expect(raw).not.toContain(password);
    if (c.pairingCode !== null) expect(raw).not.toContain(c.pairingCode);
  });

  test('boots from the disk into the console, with name, address and slot', async () => {
    vm = await Vm.start({ firmware: c.firmware, disk });
    const text = await vm.screen.waitFor(
      new RegExp(`${c.hostname}[\\s\\S]*(HEALTHY|UNKNOWN)|(HEALTHY|UNKNOWN)[\\s\\S]*${c.hostname}`),
      BOOT_MS,
    );
    expect(text).toContain(c.hostname);
    const shown = await vm.screen.waitFor(c.address, 60_000, 'address on the console');
    expect(shown).toMatch(/slot[ _:]*A/i);
    expect(shown).toMatch(/HEALTHY|UNKNOWN/);
    expect(shown).not.toMatch(/CRITICAL|login:/);
    expect(vm.screen.raw).not.toMatch(NOISE);
    await vm.powerOff(120_000);
  });

  test('leaves no secret on the disk but where it belongs', () => {
    expect(occurrences(disk, c.hostname)).toBeGreaterThan(0);
    expect(occurrences(disk, password)).toBe(0);
    inspectDisk(disk, dir, ({ ext4, espText }) => {
      const state = ext4('state');
      expect(fs.readFileSync(path.join(state, 'spatium-config.yaml'), 'utf8')).toContain(`hostname: "${c.hostname}"`);
      expect(fs.readFileSync(path.join(ext4('var'), 'persist/etc/shadow'), 'utf8')).toMatch(/^ops:\$/m);
      expect(espText('grub/grub.cfg')).toContain('norandmaps');
      expect(fs.existsSync(path.join(state, 'ssh/ssh_host_ed25519_key'))).toBe(true);
      if (c.pairingCode === null) return;
      const file = path.join(state, 'pairing-code');
      expect(fs.readFileSync(file, 'utf8').trim()).toBe(c.pairingCode);
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    });
    if (c.pairingCode !== null) expect(occurrences(disk, c.pairingCode)).toBe(1);
  });
});

describe('an answer file that must not be used', () => {
  test('halts with the reason on the console, a failed unit, and an untouched disk', async () => {
    requireIso();
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-halt-'));
    const disk = blankDisk(dir, 40);
    const bad = answers({ ...CASES[0]!, hostname: 'two.parts' }).replace('confirm_wipe: true', 'confirm_wipe: maybe');
    const vm = await Vm.start({ firmware: 'bios', iso: ISO, disk, volumes: [answerVolume(dir, bad)] });
    try {
      await bootMedium(vm, 'install');
      await vm.screen.waitFor(/spatium-install\.service ended: exit-code, exited 1/, BOOT_MS, 'end of the installer unit');
      const { raw } = vm.screen;
      expect(raw).toContain('HALTED');
      expect(raw).toMatch(/hostname/);
      expect(raw).toMatch(/confirm_wipe/);
      expect(raw).not.toContain(password);
      expect(raw).not.toMatch(/login:|root@/);
      expect(vm.running).toBe(true);
      expect(fs.statSync(disk).size).toBeLessThan(1 << 20);
    } finally {
      await vm.stop();
      fs.rmSync(dir, { recursive: true, force: true });
    }
  });
});
