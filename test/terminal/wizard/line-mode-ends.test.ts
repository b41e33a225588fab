/** Line mode with hostile machines and impatient operators: it never goes round by itself, and it always ends. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openWizard } from '../support/open.ts';
import type { Pty } from '../support/pty.ts';
import { SERVER, type WizardOptions } from '../support/wizard.ts';

type Capture = Record<string, unknown> & { devices: Record<string, unknown>[] };

/** A copy of the recorded server, changed. */
function machineWith(change: (capture: Capture) => void): string {
  const capture = JSON.parse(fs.readFileSync(SERVER, 'utf8')) as Capture;
  change(capture);
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'wizard-machine-')), 'machine.json');
  fs.writeFileSync(file, JSON.stringify(capture));
  return file;
}

const openLineMode = (options: WizardOptions = {}): Pty => openWizard({ term: 'dumb', rows: 400, ...options });

const prompt = (pty: Pty): string => pty.output.slice(pty.output.lastIndexOf('\n') + 1);

async function until(pty: Pty, expected: RegExp): Promise<void> {
  for (const end = Date.now() + 50_000; !expected.test(prompt(pty)); await pty.settle(20))
    if (Date.now() > end) throw new Error(`no ${expected} in:\n${pty.output.slice(-1500)}`);
}

async function answer(pty: Pty, expected: RegExp, text: string): Promise<void> {
  await until(pty, expected);
  const asked = pty.output.length;
  pty.send(`${text}\r`);
  // The prompt that was answered must not be taken for the next one.
  for (const end = Date.now() + 5_000; !pty.output.slice(asked).includes('\n') && Date.now() < end; ) await pty.settle(10);
}

const toRole = async (pty: Pty): Promise<void> => {
  await answer(pty, /What next, number \[1\]: $/, '');
  await answer(pty, /Continue, number \[1\]: $/, '');
  await answer(pty, /Layout, number \[1\]: $/, '');
  await answer(pty, /Try it here: $/, '');
  await answer(pty, /Role, number \[1\]: $/, '1');
};

const noDisk = (): string =>
  machineWith((capture) => {
    capture.devices = [];
  });
const NO_DISK_PROMPT = /again \(look again\), < \(back\), quit: $/;

describe('a machine without a disk', () => {
  it('says so once a question, looks again, goes back, and leaves', async () => {
    const pty = openLineMode({ machine: noDisk() });
    await toRole(pty);
    await until(pty, NO_DISK_PROMPT);
    await pty.settle(300);
    expect(pty.output.match(/No disk was found/g)).toHaveLength(1);
    await answer(pty, NO_DISK_PROMPT, '');
    await answer(pty, NO_DISK_PROMPT, 'again');
    await answer(pty, NO_DISK_PROMPT, '<');
    expect(pty.output).toContain('its disks do not change');
    await answer(pty, /Role, number \[\d\]: $/, '1');
    await answer(pty, NO_DISK_PROMPT, 'quit');
    await answer(pty, /Number \[1\]: $/, '2');
    expect(await pty.exit).toBe(1);
  });

  it.each(['TERM', 'HUP'] as const)('ends with SIG%s', async (name) => {
    const pty = openLineMode({ machine: noDisk() });
    await toRole(pty);
    await until(pty, NO_DISK_PROMPT);
    pty.signalProgram(name);
    expect(await pty.exit).not.toBe(0);
  });

  it('ends with 1 at the end of the input', async () => {
    const pty = openLineMode({ machine: noDisk() });
    await toRole(pty);
    await until(pty, NO_DISK_PROMPT);
    pty.send('\x04');
    expect(await pty.exit).toBe(1);
  });
});

describe('the end of the input', () => {
  it('ends the program with 1 at a question about leaving too', async () => {
    const pty = openLineMode();
    await answer(pty, /What next, number \[1\]: $/, 'quit');
    await until(pty, /Number \[1\]: $/);
    pty.send('\x04');
    expect(await pty.exit).toBe(1);
  });
});

describe('Ctrl-C', () => {
  it('asks first, goes on after Stay, and leaves at the second one', async () => {
    const pty = openLineMode();
    await until(pty, /What next, number \[1\]: $/);
    pty.send('\x03');
    await until(pty, /Number \[1\]: $/);
    expect(pty.output).toContain('Leave the installer?');
    await answer(pty, /Number \[1\]: $/, '1');
    await until(pty, /What next, number \[1\]: $/);
    pty.send('\x03');
    await until(pty, /Number \[1\]: $/);
    pty.send('\x03');
    expect(await pty.exit).toBe(1);
  });

  it('asks while a password is typed, and drops what was typed of it', async () => {
    const pty = openLineMode({ answers: { role: 'appliance', keymap: 'us', hostname: 'a', target_disk: '/dev/sdb', confirm_wipe: true } });
    await answer(pty, /What next, number \[1\]: $/, '');
    await answer(pty, /Continue, number \[1\]: $/, '');
    await answer(pty, /User name \[admin\]: $/, '');
    await until(pty, /Password \(not shown\): $/);
    pty.send('half\x03');
    await answer(pty, /Number \[1\]: $/, '1');
    await until(pty, /User name \[admin\]: $/);
    expect(pty.output).not.toContain('half');
  });
});

describe('text from outside', () => {
  const EVIL = '\x1b[31m\x1b]0;pwn\x07\x9b2J\nFAKE [ ok ]\r\u202ereversed\u200b\x00';
  const evilMachine = (): string =>
    machineWith((capture) => {
      capture['product'] = { vendor: EVIL, name: EVIL, serial: EVIL, uuid: null };
      for (const [index, device] of capture.devices.entries())
        for (const key of ['model', 'serial', 'vendor', 'wwn', 'fsLabel', 'partLabel'])
          if (device[key]) device[key] = `${EVIL}${index}98765`;
    });

  it('reaches no terminal raw and forges no line, from the welcome to the printed plan', async () => {
    const pty = openLineMode({
      machine: evilMachine(),
      answers: {
        role: 'control-plane',
        keymap: 'us',
        hostname: 'ddi-1',
        target_disk: '/dev/sdb',
        confirm_wipe: true,
        admin_user: 'admin',
        admin_password: 'correct horse battery',
        network: { mode: 'dhcp' },
        ssh_authorized_keys: [],
        ntp_servers: ['pool.ntp.org'],
        k3s: {},
      },
    });
    await answer(pty, /What next, number \[1\]: $/, '');
    await answer(pty, /Continue, number \[1\]: $/, '');
    await answer(pty, /part of it.*: $/, 'UTC');
    await answer(pty, /Change, number \[\d+\]: $/, '3');
    await until(pty, /Disk, number \[\d+\]: $/);
    await answer(pty, /Disk, number \[\d+\]: $/, '<');
    await answer(pty, /Change, number \[\d+\]: $/, '13');
    expect(await pty.exit).toBe(0);
    expect(pty.output).toContain('WILL BE ERASED');
    expect(pty.output).not.toMatch(/[^\r\n\x20-\x7e]/);
    expect(pty.output).not.toMatch(/^FAKE/m);
    expect(pty.output.replaceAll('\r\n', '\n')).not.toContain('\r\r');
  });

  it('nor does an answer file that is refused', async () => {
    const pty = openLineMode({ answers: { [`key\x1b[31m\nFAKE`]: 1, timezone: 'UTC\x1b[31m\nFAKE', hostname: EVIL } });
    expect(await pty.exit).toBe(1);
    expect(pty.output).toContain('The installer would stop at this file');
    expect(pty.output).not.toMatch(/[^\r\n\x20-\x7e]/);
    expect(pty.output).not.toMatch(/^FAKE/m);
  });
});
