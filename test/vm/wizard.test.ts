/** The wizard on the medium, driven over the serial line: it asks what the answer file leaves open, and installs. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { answerVolume, blankDisk, inspectDisk } from './lib/media.ts';
import { bootMedium, ISO, requireIso } from './lib/medium.ts';
import { Vm } from './lib/qemu.ts';

const BOOT_MS = 300_000;
const INSTALL_MS = 600_000;
const SCREEN_MS = 60_000;
const PASSWORD = `Qw7-${process.pid}-${Date.now() % 1_000_000_000}`;

/** Disk, host name and password are left open. */
const PARTIAL = `spatium_preseed:
  role: control-plane
  timezone: Europe/Berlin
  ntp_servers: []
  keymap: us
  network: { mode: dhcp }
  k3s: {}
`;

test('asks over the serial line, shows no secret, and installs onto the disk whose name was typed', async () => {
  requireIso();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-wizard-'));
  const disk = blankDisk(dir, 40);
  // With less memory than is recommended the wizard asks once more.
  const vm = await Vm.start({ firmware: 'bios', memoryMib: 8192, iso: ISO, disk, volumes: [answerVolume(dir, PARTIAL)] });
  const { screen } = vm;
  const answer = async (title: RegExp, keys: string): Promise<void> => {
    await screen.waitFor(title, SCREEN_MS);
    await screen.settle(500, 10_000);
    screen.type(keys);
  };
  try {
    await bootMedium(vm, 'install');
    await screen.waitFor(/^ Welcome /, BOOT_MS, 'first screen of the wizard');
    await answer(/^ Welcome /, '\r');
    await answer(/^ What this machine has /, '\r');
    await answer(/^ Disk to install on /, '\r');
    await answer(/^ Erase the disk /, 'ST-0\r');
    await answer(/^ Host name /, 'by-hand\r');
    await answer(/^ Administrator /, '\r');
    // Text and Enter in one burst are a paste, which accepts nothing.
    for (const field of ['Password      ', 'Password again']) {
      await screen.waitFor(new RegExp(`> ${field}`), SCREEN_MS);
      screen.type(PASSWORD);
      await answer(new RegExp(`${field} \\[\\*{${PASSWORD.length}}`), '\r');
    }
    await answer(/^ Administrator /, '\r');
    await answer(/^ SSH keys /, '\r');
    await answer(/^ Ready to install /, '\x1b[F\r');
    await screen.waitFor(/^ Installed /, INSTALL_MS, 'end of the installation');
    expect(screen.raw).not.toContain(PASSWORD);
    screen.type('\r');
    await vm.ended(120_000);
    inspectDisk(disk, dir, ({ ext4 }) => {
      expect(fs.readFileSync(path.join(ext4('state'), 'spatium-config.yaml'), 'utf8')).toContain('hostname: "by-hand"');
    });
  } finally {
    await vm.stop();
    fs.rmSync(dir, { recursive: true, force: true });
  }
});

test('gives whoever leaves it a root shell on the console, from which it starts again', async () => {
  requireIso();
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-left-'));
  const vm = await Vm.start({ firmware: 'bios', memoryMib: 8192, iso: ISO, disk: blankDisk(dir, 40) });
  const { screen } = vm;
  try {
    await bootMedium(vm, 'install');
    await screen.waitFor(/Leave for a root shell/, BOOT_MS, 'first screen of the wizard');
    await screen.settle(500, 10_000);
    // The last choice of the list.
    screen.type('\x1b[F');
    await screen.settle(500, 10_000);
    screen.type('\r');
    await screen.waitFor(/root@spatium-medium:~#/, SCREEN_MS, 'root shell');
    screen.type('spatium-install\r');
    await screen.waitFor(/Leave the installer/, SCREEN_MS, 'the installer, started from the shell');
  } finally {
    await vm.stop();
    fs.rmSync(dir, { recursive: true, force: true });
  }
});
