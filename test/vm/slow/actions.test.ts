/**
 * What the menus of the console do to an installed machine, worked over its serial line like an operator does: power, slots,
 * the diagnostics bundle, a login, and what is refused. The open image as it ships.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Desk } from '../lib/desk.ts';
import { inspectDisk } from '../lib/media.ts';
import { requireIso } from '../lib/medium.ts';
import { ADMIN, INSTALL_MS, type OpenBox, openBox } from '../lib/open-box.ts';
import { Vm } from '../lib/qemu.ts';

const BOOT_MS = 900_000;
const DOWN_MS = 300_000;
/** A dozen commands in software emulation. */
const BUNDLE_MS = 600_000;

let dir = '';
let box: OpenBox;
let vm: Vm;
let desk: Desk;
const took = (what: string, sinceMs: number): void => console.info(`${what}: ${Math.round((Date.now() - sinceMs) / 1000)} s`);

/** Starts the disk, and waits for the console to show this slot. */
async function boot(slot: RegExp): Promise<void> {
  const beganMs = Date.now();
  vm = await Vm.start({ firmware: 'bios', disk: box.disk });
  desk = new Desk(vm.screen, ADMIN, box.password);
  await desk.see(slot, 'slot on the console', BOOT_MS);
  await desk.see(/F5 Power/, 'power key');
  took('booted', beganMs);
}

async function rebootByConsole(): Promise<void> {
  const beganMs = Date.now();
  await desk.take('F5', 'Reboot');
  await desk.answer(/Reboot this appliance now\?/, 'Yes');
  await desk.givePassword();
  await vm.ended(DOWN_MS);
  took('went down', beganMs);
  await vm.stop();
}

beforeAll(async () => {
  requireIso();
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-actions-'));
  box = await openBox(dir);
}, INSTALL_MS);
afterAll(async () => {
  await vm?.stop();
  fs.rmSync(dir, { recursive: true, force: true });
});
test('a login gives a shell, and its end the console again', async () => {
  await boot(/Slot A \(kept\)/);
  await desk.logIn();
  expect(await desk.run('id -un')).toBe('ops');
  await desk.becomeAdmin();
  expect(await desk.run('sudo -n id -un')).toBe('root');
  // Secrets where they should not be: one that this machine knows, and ones that only look like it.
  await desk.run(`sudo -n logger -t planted 'one ${box.pairingCode} end'; sudo -n logger -t planted 'psk=${box.key} end'`);
  await desk.run('sudo -n sh -c \'logger -t planted "hash $(getent shadow ops | cut -d: -f2) end"\'');
  await desk.run('sudo -n shutdown -r +50 2>&1');
  await desk.leaveShell();
});

test('a reboot that is planned is shown, and cancelled', async () => {
  await desk.see(/Reboot pending/, 'the pending reboot');
  await desk.take('F5', 'Cancel reboot');
  await desk.answer(/Cancel the pending reboot or power off\?/, 'Yes');
  await desk.ended(/[|│] done/);
  await expect.poll(() => vm.screen.text(), { timeout: 60_000 }).not.toMatch(/Reboot pending/);
  await desk.logIn();
  expect(await desk.run('test -e /run/systemd/shutdown/scheduled || echo none')).toBe('none');
  await desk.leaveShell();
  expect(await desk.point('F5', 'Cancel reboot')).toContain('nothing is pending');
  desk.enter();
  await desk.ended(/Not possible now: nothing is pending/);
});

test('No to a reboot, and a wrong password, leave it running', async () => {
  await desk.take('F5', 'Reboot');
  expect(await desk.answer(/Reboot this appliance now\?/, 'No')).toContain('Everything it serves stops until it is back');
  await desk.take('F5', 'Reboot');
  await desk.answer(/Reboot this appliance now\?/, 'Yes');
  await desk.givePassword(`${box.password}x`);
  await desk.see(/Wrong password, \d of/, 'that it is wrong');
  vm.screen.key('escape');
  await expect.poll(() => vm.screen.text(), { timeout: 60_000 }).not.toMatch(/Password of ops/);
  expect(vm.running).toBe(true);
});

test('what needs k3s says that there is none', async () => {
  expect(await desk.point('F10', 'Restart k3s')).toContain('k3s is not installed');
  desk.enter();
  await desk.ended(/Not possible now: k3s is not installed/);
});

test('a diagnostics bundle is made, and told where', async () => {
  const beganMs = Date.now();
  await desk.take('F10', 'Diagnostics bundle');
  await desk.answer(/Collect logs and states into one file\?/, 'Yes');
  await desk.ended(/\/var\/log\/spatiumddi\/diag-\d{8}-\d{6}\.tar\.gz, \d+ KiB/, BUNDLE_MS);
  took('bundle', beganMs);
});

/** Tries the slot that does not run, and keeps it: there and, the same way, back. */
test.each([
  ['slot_b', /Slot B \(trial, reboot goes back to A/, /Slot B \(kept\)/],
  ['slot_a', /Slot A \(trial, reboot goes back to B/, /Slot A \(kept\)/],
])('%s is started once, and kept', async (slot, trial, kept) => {
  await desk.take('F10', 'Boot other slot once');
  await desk.answer(/Start the other slot at the next reboot, once\?/, 'Yes');
  await desk.givePassword();
  await desk.ended(new RegExp(`${slot} .*starts at`));
  await desk.see(new RegExp(`next boot ${slot.slice(-1).toUpperCase()}\\)`), 'the choice on the dashboard');
  await rebootByConsole();
  await boot(trial);
  await desk.take('F10', 'Keep this slot');
  await desk.answer(/Keep the slot that runs now\?/, 'Yes');
  await desk.givePassword();
  await desk.ended(new RegExp(`${slot} .*is kept`));
  await desk.see(kept, 'that it is kept');
});

test('a rollback chooses the slot before, from the next boot on', async () => {
  await desk.logIn();
  await desk.becomeAdmin();
  expect(await desk.run('sudo -n spatium slot rollback')).toContain('slot_b');
  await desk.leaveShell();
  await desk.see(/Slot A \(trial, reboot goes back to B/, 'where a reboot leads');
});

test('it is switched off, and no secret is in the bundle or was shown', async () => {
  await desk.take('F5', 'Power off');
  await desk.answer(/Switch this appliance off\?/, 'Yes');
  await desk.givePassword();
  await vm.ended(DOWN_MS);
  const { password, pairingCode, key } = box;
  expect(vm.screen.raw).not.toContain(password);
  await vm.stop();
  inspectDisk(box.disk, dir, ({ ext4, espText }) => {
    expect(espText('grub/grubenv')).toMatch(/^saved_entry=slot_b$/m);
    const at = path.join(ext4('var'), 'log/spatiumddi');
    const [name = '', ...more] = fs.readdirSync(at).filter((n) => n.startsWith('diag-'));
    expect(more).toEqual([]);
    expect(fs.statSync(path.join(at, name)).mode & 0o777).toBe(0o600);
    const text = execFileSync('tar', ['-xzOf', path.join(at, name)], { encoding: 'utf8', maxBuffer: 64 << 20 });
    const files = execFileSync('tar', ['-tzf', path.join(at, name)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(files).toEqual(expect.arrayContaining([expect.stringMatching(/status\.json$/), expect.stringMatching(/journal\.txt$/)]));
    for (const [what, secret] of Object.entries({ password, pairingCode, key })) expect(text.includes(secret), what).toBe(false);
    expect(text).not.toMatch(/\$y\$/);
    // The lines themselves are there, without what was secret in them.
    for (const line of ['one', 'psk=', 'hash']) expect(text).toMatch(new RegExp(`planted(\\[\\d+\\])?: ${line} ?\\[redacted\\] end`));
  });
});
