/** A bad line and a bad day: noise, resizes without end, pastes of the wrong thing, signals. The answers given so far have to stand. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { at, openWizard, pastStart } from '../support/open.ts';
import { KEYS, type Pty } from '../support/pty.ts';
import type { WizardOptions } from '../support/wizard.ts';

const SECRET = 'planted-Secret-9731';
const ANSWERS = { role: 'control-plane', keymap: 'us', target_disk: '/dev/sdb', confirm_wipe: true };

async function atHostName(options: WizardOptions): Promise<Pty> {
  const pty = openWizard({ answers: ANSWERS, ...options });
  await pastStart(pty, 'Host name');
  return pty;
}

/** Job control and flow control, answers of a terminal that nobody asked here, sequences of no terminal, halves of sequences. */
const NOISE = [
  '\x1a',
  '\x13',
  '\x11',
  '\x1c',
  '\x00',
  '\x0e\x0f',
  '\x9b',
  '\x1b[99;99~',
  '\x1b[?1;2c',
  '\x1b[24;80R',
  '\x1b[>41;390;0c',
  '\x1b]11;rgb:0000/0000/0000\x1b\\',
  '\x1bP>|xterm(390)\x1b\\',
  '\x1b[1;5C',
];

it.each(['linux', 'vt100', 'xterm'])('noise and resizes change no answer (%s)', async (term) => {
  const pty = await atHostName({ term });
  pty.send('ddi-7');
  await pty.waitFor('[ddi-7 ');
  for (const [index, noise] of [...NOISE, ...NOISE].entries()) {
    if (index < NOISE.length) pty.send(noise);
    else
      for (const byte of noise) {
        pty.send(byte);
        await sleep(2);
      }
    pty.resize([80, 132, 40, 200][index % 4] ?? 80, [24, 43, 10, 60][index % 4] ?? 24);
  }
  for (let i = 0; i < 60; i += 1) pty.resize(60 + ((i * 37) % 100), 10 + ((i * 13) % 40));
  pty.resize(80, 24);
  await at(pty, 'Host name');
  await pty.waitFor('[ddi-7 ');
  await pty.settle(200);
  for (const row of pty.grid()) expect(row.length).toBeLessThanOrEqual(80);
  expect(pty.text().match(/Host name \[ddi-7 /g)).toHaveLength(1);
});

it('a paste of 100 kB is cut and said so, and the next key is answered', async () => {
  const pty = await atHostName({ term: 'xterm' });
  pty.send(`\x1b[200~${'x'.repeat(100_000)}\x1b[201~`);
  await pty.waitFor('A field takes 8192 characters');
  pty.send(`${KEYS.ctrlU}ddi-8`);
  await pty.waitFor('[ddi-8 ');
  pty.send('\x1b[200~one\ntwo\nthree\x1b[201~');
  await pty.waitFor('A field takes one line');
  await pty.waitFor('[ddi-8one ');
});

it.each([
  ['HUP', 129],
  ['TERM', 143],
] as const)('SIG%s ends it with the terminal as it was, and no secret in what it drew', async (signal, code) => {
  const pty = await atHostName({ term: 'xterm' });
  pty.send(`ddi-9${KEYS.enter}`);
  await at(pty, 'Administrator');
  pty.send(`${KEYS.enter}${SECRET}`);
  await pty.waitFor(`[${'*'.repeat(SECRET.length)} `);
  pty.signalProgram(signal);
  expect(await pty.exit).toBe(code);
  expect(pty.output).toContain('\x1b[?25h');
  expect(pty.output).toContain('\x1b[?1049l');
  expect(pty.output).not.toContain(SECRET);
});

it('a line that is hung up ends it', async () => {
  const pty = await atHostName({ term: 'vt100' });
  pty.hangUp();
  expect([129, 1]).toContain(await pty.exit);
});
