/** The locked image in a virtual machine: installed from its medium, then every door tried from outside. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { addUnit } from './lib/journal.ts';
import { BOOT_MS, installLocked, LOCKED_DISK, lockedIso } from './lib/locked.ts';
import { blankDisk, inspectDisk, withSlotA } from './lib/media.ts';
import { Vm } from './lib/qemu.ts';
import { until } from './lib/until.ts';
import { TEST_WORDS } from './lib/words.ts';

const MENU_MS = 120_000;

const mark = createHash('sha256').update(`${process.pid} ${Date.now()}`).digest('hex');
const password = `Zx9-${mark.slice(0, 14)}`;
const hostname = `lb-${mark.slice(0, 6)}`;
const token = `not-a-token-${mark.slice(20, 40)}`;
/** The console's screen. The host name of a disk that was there already is not known. */
const STATUS = /lb-[0-9a-f]{6}[\s\S]*(HEALTHY|UNKNOWN|DEGRADED)|(HEALTHY|UNKNOWN|DEGRADED)[\s\S]*lb-[0-9a-f]{6}/;
/** What a prompt, a shell or a menu of one looks like. */
const PROMPT = /login:|Password:|root@|^\s*(bash|sh)-?[\d.]*[#$]\s|\(initramfs\)|Give root password|Press Enter for maintenance/im;

/** Without colours. */
const plain = (text: string): string => text.replace(/\x1b\[[0-9;]*[mK]/g, '');

/** Keys of the machine's own keyboard, as QEMU names them, all pressed at once. */
async function press(vm: Vm, ...chords: string[][]): Promise<void> {
  const socket = net.connect(path.join(vm.dir, 'qmp.sock'));
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(`${JSON.stringify({ execute: 'qmp_capabilities' })}\n`);
  for (const chord of chords) {
    const keys = chord.map((data) => ({ type: 'qcode', data }));
    socket.write(`${JSON.stringify({ execute: 'send-key', arguments: { keys } })}\n`);
    await pause(300);
  }
  socket.end();
}

/** Everything a person at the console or the serial line might try. */
async function tryEverything(vm: Vm): Promise<void> {
  const { screen } = vm;
  for (const text of [
    '\r\r\r',
    '\x03\x03\x1a\x1c\x04',
    'root\r',
    'q',
    '!sh\r',
    ':!sh\r',
    '\x1b[11~',
    '\x1bOP',
    '\x1b[[A',
    '\x00',
    '\x1b\x1b',
    '\x01c',
    '~.',
  ]) {
    screen.type(text);
    await pause(700);
  }
  await press(vm, ['ret'], ['ctrl', 'alt', 'delete'], ['alt', 'sysrq', 'b'], ['alt', 'sysrq', 'r'], ['alt', 'sysrq', 'e']);
  await press(vm, ...Array.from({ length: 7 }, () => ['ctrl', 'alt', 'delete']));
  await press(vm, ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((n) => ['ctrl', 'alt', `f${n}`]), ['ret']);
  screen.type('\r');
  await pause(3000);
}

/** In the machine, on a second serial line: what listens, what runs, who is who. Never part of the image; the test puts it there. */
const PROBE = `[Unit]
Description=what the test asks
After=spatium-supervisor.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'sleep 20; exec >/dev/ttyS1 2>&1; echo BEGIN; ss -H -ltn | sed "s/^/TCP /"; systemctl list-units --all --plain --no-legend --no-pager | sed "s/^/UNIT /"; cut -d: -f1,2 /etc/shadow | sed "s/^/SHADOW /"; ps -eo user:20,args | sed "s/^/PS /"; cat /proc/sys/kernel/sysrq | sed "s/^/SYSRQ /"; journalctl -b --no-pager | grep -c "${token}" | sed "s/^/TOKEN /"; cat /proc/sys/kernel/core_pattern | sed "s/^/CORE /"; echo END'
`;

/** A copy of the disk with the probe in slot A. */
function withProbe(disk: string, dir: string): string {
  return withSlotA(disk, dir, 'probe', (root) => {
    addUnit(root, 'probe.service', PROBE);
    for (const name of ['vmlinuz', 'initrd.img']) fs.copyFileSync(fs.realpathSync(path.join(root, 'boot', name)), path.join(dir, name));
  });
}

const credential = (name: string, value: string): string[] => [
  '-smbios',
  `type=11,value=io.systemd.credential.binary:${name}=${Buffer.from(value).toString('base64').replaceAll('=', '')}`,
];
const EVIL = "[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo EVIL-UNIT-RAN >/dev/ttyS1'\n";
const CREDENTIALS = [
  ...credential('passwd.plaintext-password.root', 'opensesame'),
  ...credential('ssh.authorized_keys.root', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHRlc3Rrb3l0ZXN0a2V5dGVzdGtleXRlc3RrZXk x'),
  ...credential('getty.ttys.serial', 'ttyS0'),
  ...credential('systemd.extra-unit.evil.service', EVIL),
  ...credential('systemd.unit-dropin.multi-user.target', '[Unit]\nWants=evil.service\n'),
];

describe('the locked image', () => {
  let dir = '';
  let disk = LOCKED_DISK;
  let iso = '';
  let vm: Vm | null = null;
  // What starts from an empty disk only waits for its limit.
  let isInstalled = disk !== '';

  beforeAll(() => {
    iso = lockedIso();
    dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-locked-'));
    if (disk === '') disk = blankDisk(dir, 40);
  });
  afterEach(async () => {
    await vm?.stop();
    vm = null;
  });
  afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

  test('offers a boot menu that cannot be edited', async () => {
    vm = await Vm.start({ firmware: 'bios', iso });
    await vm.screen.waitFor(/Install SpatiumDDI/, MENU_MS, 'boot menu');
    for (const key of ['e', 'c']) {
      vm.screen.type(key);
      await vm.screen.waitFor(/Enter username/, 30_000, 'it asks for a user that nobody is');
      vm.screen.type('root\r');
      await vm.screen.waitFor(/Enter password/, 30_000, 'and for a password');
      vm.screen.type('root\r');
      await vm.screen.waitFor(/Use the /, 30_000, 'boot menu again');
    }
    expect(vm.screen.raw).not.toMatch(/setparams|grub>/);
  });

  test.skipIf(disk !== '')('lays down a system without an account', async () => {
    const { said, kernelWords } = await installLocked(dir, disk, { hostname, password });
    expect(kernelWords).toContain('panic=30');
    expect(said).toMatch(/100%\] installed; (\d+) of \1 checks passed/);
    inspectDisk(disk, dir, ({ ext4, espText }) => {
      const shadow = fs.readFileSync(path.join(ext4('root_A'), 'etc/shadow'), 'utf8');
      expect(shadow).not.toMatch(/^[^:]+:[^!*]/m);
      expect(fs.existsSync(path.join(ext4('var'), 'persist/etc/shadow'))).toBe(false);
      const menu = espText('grub/grub.cfg');
      expect(menu).toMatch(/^set superusers=""$/m);
      expect(menu).not.toContain('--id rescue');
      expect(menu.match(/^ {2}linux .*$/gm)?.every((l) => l.includes('panic=30') && l.includes('systemd.import_credentials=no'))).toBe(
        true,
      );
    });
    isInstalled = true;
  });

  test('shows its boot log and its status, and answers no key with a prompt', async () => {
    if (!isInstalled) throw new Error('nothing was installed');
    vm = await Vm.start({ firmware: 'bios', disk, hardware: ['-smbios', `type=1,serial=${token}`, ...CREDENTIALS] });
    await vm.screen.waitFor(STATUS, BOOT_MS, 'status');
    expect(plain(vm.screen.raw)).toMatch(/\[ +OK +\] (Started|Reached|Mounted)/);
    await tryEverything(vm);
    expect(vm.running).toBe(true);
    const text = await vm.screen.waitFor(STATUS, 60_000, 'status after every key');
    expect(text).not.toMatch(PROMPT);
    expect(vm.screen.raw).not.toMatch(PROMPT);
    expect(vm.screen.raw).not.toContain(token);
  });

  test('kernel words and credentials of the hypervisor open nothing, nothing listens, no getty is there', async () => {
    if (!isInstalled) throw new Error('nothing was installed');
    const copy = withProbe(disk, dir);
    const log = path.join(dir, 'probe.log');
    const root = /root=UUID=([0-9a-f-]{36})/;
    let uuid = '';
    inspectDisk(copy, dir, ({ espText }) => {
      uuid = root.exec(espText('grub/grub.cfg'))?.[1] ?? '';
    });
    const words = [
      `root=UUID=${uuid}`,
      `rw systemd.gpt_auto=0 console=ttyS0,115200n8 ${TEST_WORDS.join(' ')}`,
      'systemd.debug_shell systemd.debug_shell=ttyS0 systemd.default_debug_tty=ttyS0 systemd.wants=debug-shell.service systemd.getty_auto=yes',
      'systemd.run="/bin/sh -c id" systemd.ssh_auto=yes systemd.ssh_listen=0.0.0.0:22 spatium-console=off',
    ];
    vm = await Vm.start({
      firmware: 'bios',
      disk: copy,
      hardware: [
        ...['-kernel', path.join(dir, 'vmlinuz'), '-initrd', path.join(dir, 'initrd.img'), '-append', words.join(' ')],
        ...['-chardev', `file,id=probe,path=${log}`, '-device', 'isa-serial,chardev=probe'],
        ...['-smbios', `type=1,serial=${token}`, ...CREDENTIALS],
      ],
    });
    const said = (): string => (fs.existsSync(log) ? fs.readFileSync(log, 'latin1') : '');
    await until(vm, () => /^END\r?$/m.test(said()), 'probe', BOOT_MS, said);
    vm.screen.type('\r\rid\r');
    await pause(3000);
    const lines = (name: string): string[] =>
      said()
        .split(/\r?\n/)
        .filter((l) => l.startsWith(`${name} `));
    expect(lines('TCP')).toEqual([]);
    const live = lines('UNIT').filter((l) => /getty|debug-shell|ssh|sulogin|evil/.test(l) && / active | activating /.test(l));
    expect(live).toEqual([]);
    expect(lines('SHADOW').filter((l) => !/^SHADOW [^:]+:[!*]/.test(l))).toEqual([]);
    expect(
      lines('PS').filter((l) => /getty|\bsshd?\b|sulogin|\/bin\/(ba)?sh$|debug|login/.test(l) && !l.includes('systemd-logind')),
    ).toEqual([]);
    expect(lines('SYSRQ')).toEqual(['SYSRQ 0']);
    expect(lines('CORE')).toEqual(['CORE |/bin/false']);
    expect(lines('TOKEN')).toEqual(['TOKEN 0']);
    expect(said()).not.toContain('EVIL-UNIT-RAN');
    expect(vm.screen.raw).not.toMatch(PROMPT);
    // What a root shell would have answered; audit lines of the kernel have another form.
    expect(vm.screen.raw).not.toMatch(/uid=0\(root\)/);
  });
});
