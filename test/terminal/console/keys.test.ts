/** What each key of the console does, and what it does not. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.ts';
import { waitFor } from '../../support/wait-for.ts';
import { refusingControl } from '../support/console.ts';
import { openConsole, openStand } from '../support/open.ts';
import { KEYS } from '../support/pty.ts';

async function standWithActions(): Promise<string> {
  const { socket } = await openStand();
  atEnd(await refusingControl(socket));
  return socket;
}

it('T66: F5 whose bytes come 300 ms apart is one F5, and digits are nothing', async () => {
  const socket = await standWithActions();
  const pty = openConsole({ socket });
  await pty.waitFor('HEALTHY');
  await pty.press('5');
  expect(pty.text()).not.toContain('Reboot');
  for (const part of ['\x1b[', '1', '5~']) {
    pty.send(part);
    await sleep(300);
  }
  await pty.waitFor('Power off');
});

it('F5 outside an appliance offers nothing it could switch off, and says why', async () => {
  const { socket } = await openStand();
  const pty = openConsole({ socket });
  await pty.waitFor('HEALTHY');
  expect(pty.grid()[23]).not.toContain('Power');
  pty.send(KEYS.f5);
  await pty.waitFor(/Reboot +no appliance, no control socket/);
  expect(pty.text()).toMatch(/Power off +no appliance, no control socket/);
  await sleep(300);
  pty.send(KEYS.enter);
  await pty.waitFor('Not possible now: no appliance, no control socket.');
});

it('login is not offered on the terminal of a shell, says why, and keys still work', async () => {
  const { socket } = await openStand();
  const pty = openConsole({ socket });
  await pty.waitFor('HEALTHY');
  expect(pty.grid()[23]).not.toContain('Login');
  pty.send(KEYS.f1);
  await pty.waitFor('Not possible now: only with --tty.');
  await sleep(300);
  pty.send(KEYS.enter);
  await sleep(300);
  pty.send('\x1b[21~');
  await pty.waitFor(/Login +F1 +only with --tty/);
});

it('a reboot asks, says No by itself, and Esc is No', async () => {
  const socket = await standWithActions();
  const pty = openConsole({ socket });
  await pty.waitFor('HEALTHY');
  await pty.waitFor('F5 Power');
  await pty.press(KEYS.f5);
  await pty.waitFor('Power off');
  await sleep(300);
  await pty.press(KEYS.enter);
  await pty.waitFor('[> No <]');
  expect(pty.text()).toContain('Everything it serves stops');
  pty.send(KEYS.escape);
  await waitFor(() => !pty.text().includes('[> No <]'), 'the question is gone');
});

it('a lone Esc closes a menu, and a torn F10 is F10', async () => {
  const { socket } = await openStand();
  const pty = openConsole({ socket });
  await pty.waitFor('HEALTHY');
  pty.send('\x1b[21~');
  await pty.waitFor(/─ Menu ─/);
  await sleep(300);
  pty.send(KEYS.escape);
  await waitFor(() => !/─ Menu ─/.test(pty.text()), 'the menu is gone');
  for (const part of ['\x1b[', '2', '1~']) {
    pty.send(part);
    await sleep(150);
  }
  await pty.waitFor(/─ Menu ─/);
});

it('the log page filters and the pods page lists', async () => {
  const { socket, log } = await openStand();
  log.add({ at: new Date().toISOString(), src: 'journal', unit: 'k3s', sev: 'err', text: 'needle in the log' });
  log.add({ at: new Date().toISOString(), src: 'journal', unit: 'sshd', sev: 'info', text: 'hay' });
  const pty = openConsole({ socket });
  await pty.waitFor('needle in the log');
  pty.send('\x1b[17~');
  await pty.waitFor('PgUp PgDn');
  pty.send('/');
  await pty.waitFor('Enter filter');
  await pty.press('needle');
  await pty.press(KEYS.enter);
  await pty.waitFor('only "needle"');
  expect(pty.text()).not.toContain('hay');
  await pty.press('\x1bOR');
  await pty.waitFor('pod-10');
});

it('Ctrl-C leaves, with the cursor back', async () => {
  const { socket } = await openStand();
  const pty = openConsole({ socket });
  await pty.waitFor('HEALTHY');
  pty.send(KEYS.ctrlC);
  expect(await pty.exit).toBe(0);
  expect(pty.output).toMatch(/\x1b\[\?25h[^\x1b]*(\x1b\[\?1049l)?\s*$/);
});
