/** The console on a terminal of its own, with real accounts, the real password helper and a program that gets the terminal. Needs root. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { NODE, REPO } from '../../support/program.ts';
import { consoleProgram } from '../../terminal/support/console.ts';
import { KEYS, Pty } from '../../terminal/support/pty.ts';

const TAB = '\t';
const F4 = '\x1bOS';
const PASSWORD = 'pass word0';

let pty: Pty | null = null;
let dir = '';
afterEach(async () => {
  pty?.signalProgram('TERM');
  await pty?.exit;
  fs.rmSync(dir, { recursive: true, force: true });
});

async function machine(policy = ''): Promise<Pty> {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-own-'));
  const argv = ['unshare', '--mount', path.join(import.meta.dirname, 'own-machine.sh'), dir, ...consoleProgram()];
  const socket = path.join(dir, 'none.sock');
  pty = new Pty({
    argv: [...argv, '--socket', socket],
    term: 'linux',
    env: { SPATIUM_POLICY: policy, SPATIUM_PROGRAM: `${NODE} ${path.join(REPO, 'src/main.ts')}` },
  });
  await pty.waitFor('supervisor not available');
  await pty.waitFor('F10 Menu');
  return pty;
}

/** Dialogs take no key right after they opened. */
async function type(p: Pty, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await sleep(350);
    p.send(key);
  }
}

async function toEditor(p: Pty): Promise<void> {
  p.send(F4);
  await p.waitFor('Edit the network settings with nmtui');
  await type(p, TAB, KEYS.enter);
  await p.waitFor(/Password of ops/);
  await type(p, PASSWORD, KEYS.enter);
  await p.waitFor('THE EDITOR');
}

const state = (): string => fs.readFileSync(path.join(dir, 'lib/spatium-state/spatium-config.yaml'), 'utf8');

describe('network settings', () => {
  it('asks for the password, hands the terminal over as root, comes back, and keeps the edit when told to', async () => {
    const p = await machine();
    await toEditor(p);
    expect(p.text()).toMatch(/THE EDITOR on \/dev\/pts\/\d+, uid 0, ctty pts\/\d+/);
    p.send('e');
    await p.waitFor('Write the edit of the network profile into STATE');
    expect(p.text()).toContain('network_ip: 192.0.2.10 -> 192.0.2.99');
    expect(p.text()).not.toContain('left raw');
    await type(p, TAB, KEYS.enter);
    await p.waitFor('written to STATE');
    expect(state()).toContain('network_ip: "192.0.2.99"');
    await type(p, KEYS.enter);
    // The screen is whole again and hears keys.
    p.send(KEYS.f2);
    await p.waitFor(/Memory[\s\S]*F2 Back/);
  });
  it('an edit that changed nothing is said so; No is the default and changes nothing', async () => {
    const p = await machine();
    await toEditor(p);
    p.send('x');
    await p.waitFor('the network profile and STATE agree');
    await type(p, KEYS.enter);
    await toEditor(p);
    p.send('e');
    await p.waitFor('[> No <]');
    const before = state();
    await type(p, KEYS.enter);
    await sleep(1000);
    expect(state()).toBe(before);
  });
});

describe('login', () => {
  it('F1 gives the terminal to a login prompt, and its end brings the screen back', async () => {
    const p = await machine();
    p.send(KEYS.f1);
    await p.waitFor(/login: $/m);
    await sleep(500);
    p.send('\x04');
    await p.waitFor('supervisor not available', 20_000);
    p.send(KEYS.f2);
    await p.waitFor('F2 Back');
  });
  it('a locked image has no such key, and no menu entry; an action that policy leaves out is not there either', async () => {
    const p = await machine('{"login":false,"actions":["power.reboot","power.poweroff"]}');
    expect(p.grid()[23]).not.toMatch(/F1 |F4 /);
    p.send(KEYS.f1);
    p.send(F4);
    await sleep(800);
    expect(p.text()).toContain('supervisor not available');
    p.send('\x1b[21~');
    await p.waitFor('Redraw the screen');
    expect(p.text()).not.toMatch(/Login|Network|Restore|Pair/);
  });
});

describe('the password of an administrator', () => {
  it('three wrong ones close the gate, reboot nothing, and are in the audit trail with the terminal', async () => {
    const p = await machine();
    p.send(KEYS.f5);
    await p.waitFor('Power off');
    await type(p, KEYS.enter);
    await p.waitFor('Reboot this appliance now?');
    await type(p, TAB, KEYS.enter);
    await p.waitFor('Password of ops');
    // The account without a password is not offered.
    expect(p.text()).not.toContain('locked');
    for (const left of [/2 of 3 tries left/, /1 of 3 tries left/, /Too many wrong passwords. Wait \d+ s/]) {
      await type(p, 'wrong', KEYS.enter);
      await p.waitFor(left);
    }
    // The right one is of no use now.
    await type(p, PASSWORD, KEYS.enter);
    await p.waitFor('Too many wrong passwords');
    await type(p, KEYS.escape);
    // Standard error is the journal on an appliance; here it is the terminal itself.
    expect(p.output.match(/wrong password of ops for power\.reboot on \/dev\/pts\/\d+/g)).toHaveLength(3);
    expect(p.output).not.toContain(PASSWORD);
  });
});
