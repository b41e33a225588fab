/** Machines and moves that an operator meets once a year. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { at, openWizard, pastStart } from '../support/open.ts';
import { KEYS } from '../support/pty.ts';
import { SERVER } from '../support/wizard.ts';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'wizard-hostile-'));
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));
const EVIL = `\x1b[2J\x1b]0;owned\x07\u202eABC\u6f22${'L'.repeat(300)}`;

/** The recorded machine with two disks that say too much, one of which is in the way of the other. */
function talkative(): string {
  const machine = JSON.parse(fs.readFileSync(SERVER, 'utf8'));
  for (const device of machine.devices) {
    if (!['sda', 'sdb'].includes(device.kname)) continue;
    Object.assign(device, { model: EVIL, vendor: EVIL, serial: `${EVIL}-4711-${device.kname}`, fsLabel: EVIL, fsType: 'ext4', links: [] });
  }
  const file = path.join(dir, 'machine.json');
  fs.writeFileSync(file, JSON.stringify(machine));
  return file;
}

it('two disks whose texts fill pages: what has to be typed stays on the screen, and nothing of them reaches the terminal', async () => {
  const pty = openWizard({ term: 'linux', machine: talkative(), answers: { role: 'control-plane', keymap: 'us' } });
  await pastStart(pty, 'Disk to install on');
  pty.send(KEYS.enter);
  await at(pty, 'Second disk as a mirror');
  pty.send(`${KEYS.down}${KEYS.enter}`);
  await at(pty, 'Erase the disk');
  pty.send(KEYS.enter);
  const screen = await pty.waitFor('is erased only after you typed');
  expect(screen).toContain('last 4 characters of its serial number (sda)');
  expect(screen).toContain('last 4 characters of its serial number (sdb)');
  expect(screen.match(/4711-sd[ab]$/gm)).toHaveLength(2);
  pty.send(`-sda\t-sdb${KEYS.enter}`);
  await at(pty, 'Host name');
  expect(pty.output).not.toMatch(/\x1b\]0;owned|\x1b\[2J\x1b\]/);
  expect(pty.text()).not.toMatch(/\u202e|\u6f22/);
});

it('the field that keys go to is marked when the one before is gone', async () => {
  const answers = { role: 'control-plane', keymap: 'us', target_disk: '/dev/sdb', confirm_wipe: true, hostname: 'a1' };
  const pty = openWizard({ term: 'xterm', answers: { ...answers, admin_password: 'correct horse battery' } });
  await pastStart(pty, 'SSH keys');
  pty.send('\x1b[200~ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUm a@b\x1b[201~');
  await pty.waitFor('1 key held');
  pty.send(`${KEYS.tab}\x1b[3~`);
  await pty.waitFor('0 keys held');
  await pty.waitFor(/> Add \[/);
});
