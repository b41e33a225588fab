/**
 * One installed machine, looked at on its screen and on its serial line at once: the same console on both, what else writes on
 * them, a supervisor that is stopped, a console that is killed, and the menu entries that hand the terminal on or write to STATE.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Desk } from '../lib/desk.ts';
import { requireIso } from '../lib/medium.ts';
import { ADMIN, INSTALL_MS, type OpenBox, openBox } from '../lib/open-box.ts';
import { Vm } from '../lib/qemu.ts';

const BOOT_MS = 900_000;
const LATE_MS = 180_000;
/** Seconds in which the shell is left and the console drawn, before what was planned there happens. */
const LEAD_S = 20;
/** Where a picture of the first screen goes, for somebody who wants to look at it. */
const PICTURE = process.env['SPATIUM_PICTURE'] ?? '';
const CTRL_L = '\x0c';

let dir = '';
let box: OpenBox;
let vm: Vm;
let desk: Desk;

const poll = (timeout = LATE_MS) => ({ timeout, interval: 500 });
const root = (command: string): Promise<string> => desk.run(`sudo -n sh -c '${command}'`);
/** Happens when the shell has been left. */
const later = (afterS: number, command: string): Promise<string> =>
  root(`systemd-run --quiet --collect --timer-property=AccuracySec=100ms --on-active=${afterS} sh -c "${command}" 2>&1`);

/** To a shell whose sudo asks nothing. Its word is good for one login only. */
async function logInAsAdmin(): Promise<void> {
  await desk.logIn();
  await desk.becomeAdmin();
}

/** The rows of the first screen, as the kernel holds them. */
async function firstScreen(): Promise<string[]> {
  const columns = Number((await root('stty size </dev/tty1')).split(' ')[1]);
  expect(columns).toBeGreaterThanOrEqual(80);
  const cells = await root('base64 -w 0 /dev/vcs1');
  const text = Buffer.from(cells, 'base64').toString('latin1');
  return text.match(new RegExp(`[^]{${columns}}`, 'g')) ?? [];
}

beforeAll(async () => {
  requireIso();
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-terminals-'));
  box = await openBox(dir);
  vm = await Vm.start({ firmware: 'bios', disk: box.disk, hardware: ['-device', 'VGA'] });
  desk = new Desk(vm.screen, ADMIN, box.password);
  await desk.see(/Slot A \(kept\)/, 'slot on the console', BOOT_MS);
}, INSTALL_MS + BOOT_MS);
afterAll(async () => {
  await vm?.stop();
  fs.rmSync(dir, { recursive: true, force: true });
});

test('the screen shows what the serial line shows', async () => {
  const serial = vm.screen.text();
  await logInAsAdmin();
  const rows = await firstScreen();
  if (PICTURE !== '') await vm.qmp('screendump', { filename: path.resolve(PICTURE), format: 'png' });
  const screen = rows.join('\n');
  for (const words of [/act-[0-9a-f]{6}/, /Slot A \(kept\)/, /F10 ?Menu/, /DEGRADED|CRITICAL|UNKNOWN|HEALTHY/]) {
    expect(screen).toMatch(words);
    expect(serial).toMatch(words);
  }
  expect(/DEGRADED|CRITICAL|UNKNOWN|HEALTHY/.exec(screen)?.[0]).toBe(/DEGRADED|CRITICAL|UNKNOWN|HEALTHY/.exec(serial)?.[0]);
  expect(await root('pgrep -c -f "[s]patium-console --tty"')).toBe('2');
});

test('what the kernel says is not in the frame', async () => {
  await later(LEAD_S, 'echo \\"<1>planted alert\\" >/dev/kmsg; echo \\"<4>planted warning\\" >/dev/kmsg');
  await desk.leaveShell();
  // The line stays the kernel's, for those who read it there; the frame heals, at once by Ctrl-L.
  await expect.poll(() => vm.screen.raw, poll()).toContain('planted');
  vm.screen.type(CTRL_L);
  await expect.poll(() => vm.screen.text().replace(/^.*planted (alert|warning)\s*$/gm, ''), poll()).toMatch(/F10 ?Menu/);
  await logInAsAdmin();
  const frame = (await firstScreen()).join('\n');
  expect(frame).toMatch(/F10 ?Menu/);
  expect(frame.split('\n').filter((row) => /^\[ *\d+\.\d+\].*planted/.test(row))).toEqual([]);
});

test('a stopped supervisor is told, power stays; started again it is taken up', async () => {
  await later(LEAD_S, 'systemctl stop spatium-supervisor');
  await later(LEAD_S + 60, 'systemctl start spatium-supervisor');
  await desk.leaveShell();
  await desk.see(/supervisor not available \(since/, 'that the supervisor is gone', LATE_MS);
  expect(vm.screen.text()).not.toMatch(/HEALTHY/);
  expect(await desk.point('F5', 'Reboot')).not.toMatch(/needs the supervisor|not installed/);
  vm.screen.key('escape');
  await desk.see(/Slot A \(kept\)/, 'the slots again', LATE_MS);
  await expect.poll(() => vm.screen.text(), poll()).not.toMatch(/supervisor not available/);
});

test('a killed console is back', async () => {
  await logInAsAdmin();
  const consoles = () => root('pgrep -f "[s]patium-console --tty"');
  const before = (await consoles()).split('\n');
  await later(LEAD_S, 'systemctl kill -s KILL spatium-console@ttyS0 spatium-console@tty1');
  await desk.leaveShell();
  await pause((LEAD_S + 20) * 1000);
  await logInAsAdmin();
  await expect.poll(async () => (await firstScreen()).join('\n'), poll()).toMatch(/F10 ?Menu/);
  const after = (await consoles()).split('\n');
  expect(after).toHaveLength(2);
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
  await desk.leaveShell();
});

test('nmtui gets the terminal and gives it back', async () => {
  await desk.take('F10', 'Network settings');
  await desk.answer(/Edit the network settings with nmtui on this terminal\?/, 'Yes');
  await desk.givePassword();
  await desk.see(/NetworkManager TUI|Edit a connection/, 'nmtui', LATE_MS);
  vm.screen.key('escape');
  await desk.see(/F10 ?Menu/, 'the console after nmtui', LATE_MS);
  await expect.poll(() => vm.screen.text(), poll()).not.toMatch(/Edit a connection/);
});

test('an edit of the network is shown, and kept in STATE', async () => {
  await logInAsAdmin();
  await root('nmcli con mod "$(nmcli -t -g NAME con show --active | grep -v ^lo$ | head -n 1)" ipv4.dns 10.0.2.4');
  await desk.leaveShell();
  await desk.take('F10', 'Keep network edit');
  const asked = await desk.answer(/Write the edit of the network profile into STATE\?/, 'Yes');
  expect(asked).toMatch(/network_dns: 10\.0\.2\.3 -> 10\.0\.2\.4/);
  await desk.ended(/[|│] done/);
  await logInAsAdmin();
  expect(await root('grep -h network_dns /var/lib/spatium-state/spatium-config.yaml')).toContain('10.0.2.4');
  await desk.leaveShell();
});

test('pairing again is written to STATE, and the code is not shown', async () => {
  await desk.take('F10', 'Pair again');
  await desk.see(/Pairing code/);
  await desk.typeInto('https://other.example.test');
  await desk.typeInto('2468 1357', '*********');
  await desk.answer(/Pair this appliance with a control plane\?/, 'Yes');
  await desk.givePassword();
  await desk.ended(/the first page shows how the pairing goes/);
  await logInAsAdmin();
  expect(await root('grep -h control_plane_url /var/lib/spatium-state/spatium-config.yaml')).toContain('https://other.example.test');
  expect(await root('grep -c ^24681357$ /var/lib/spatium-state/pairing-code')).toBe('1');
  expect(vm.screen.raw).not.toMatch(/2468[ -]?1357/);
  await desk.leaveShell();
});
