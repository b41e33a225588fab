/** An installation that a power cut ended: going on asks for the secrets again, starting over for the disk. */
import { describe, expect, it } from 'vitest';
import { newDraft } from '#installer/wizard/draft.ts';
import type { WizardPorts } from '#installer/wizard/ports.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import { WizardStore } from '#installer/wizard/store.ts';
import type { UnfinishedView } from '#installer/wizard/unfinished-view.ts';
import type { Answers, InstallSecrets } from '#model/answers.ts';
import type { Plan } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { key, SERVER, SURROUNDINGS } from './support.ts';

const ANSWERS: Answers = {
  role: 'appliance',
  target_disk: '/dev/sdb',
  hostname: 'ddi-2',
  admin_user: 'ops',
  network: { mode: 'dhcp' },
  timezone: 'UTC',
  ntp_servers: ['pool.ntp.org'],
  keymap: 'us',
  control_plane_url: 'https://ddi.example.net',
};

const VIEW: UnfinishedView = {
  disks: ['/dev/sdb'],
  hostname: 'ddi-2',
  role: 'appliance',
  keepsData: false,
  lastAt: '2026-11-30T12:31:07.000Z',
  done: ['Check that the disk is still the same', 'Partition /dev/sdb'],
  total: 30,
  stoppedAt: 'Copy the system',
  refusal: null,
  answers: ANSWERS,
  needs: ['admin_password', 'pairing_code'],
};

function started(view: UnfinishedView, answers: Answers = {}) {
  const given: InstallSecrets[] = [];
  let isFailing = true;
  const ports: WizardPorts = {
    makePlan: () => ({ schema: 1 }) as Plan,
    printPlan: () => '',
    runPlan: () => Promise.reject(new Error('a new plan')),
    unfinished: {
      plan: { schema: 1 } as Plan,
      run: async (secrets, onEvent) => {
        given.push(secrets);
        onEvent(
          isFailing
            ? { type: 'failed', id: 'copy-system', message: 'No space', command: null, output: [], nothingWritten: false }
            : { type: 'finished', checks: [], warnings: [] },
        );
        isFailing = false;
      },
    },
  };
  const store = new WizardStore({ machine: SERVER, answers, mode: 'install', surroundings: SURROUNDINGS, unfinished: view }, ports);
  const press = (...names: Parameters<typeof key>[0][]): void => {
    for (const name of names) store.send({ type: 'key', key: key(name), terminal: null });
  };
  const type = (text: string): void => store.send({ type: 'key', key: key('text', text), terminal: null });
  press('enter');
  return { store, press, type, given };
}

const text = (store: WizardStore): string => {
  const { intro, aside } = screenOf(store.getState().screen).body(store.getState(), store.getState().draft);
  return [...intro, ...aside].map((line) => line.text).join('\n');
};

describe('an installation that was cut short', () => {
  it('is told of first, with what was done', () => {
    const { store } = started(VIEW);
    expect(store.getState().screen).toBe('unfinished');
    expect(text(store)).toMatch(/ddi-2 \(additional node\) on \/dev\/sdb.*\n.*12:31 UTC. Done: 2 of 30 steps.\n.*Copy the system/);
  });

  it('goes on with the secrets typed anew, after a question, and again after a failure', async () => {
    const { store, press, type, given } = started(VIEW);
    press('enter');
    type('correct horse battery');
    press('enter');
    type('correct horse batterx');
    press('enter');
    expect(store.getState()).toMatchObject({ draft: { focus: 'repeat' }, overlay: null });
    press('backspace');
    type('y');
    press('enter');
    type('12345678');
    press('enter');
    expect(store.getState().overlay).toMatchObject({ kind: 'question', choice: 'no' });
    expect(given).toEqual([]);
    type('y');
    press('enter');
    await new Promise((resolve) => setImmediate(resolve));
    expect(given.map((secrets) => [secrets.adminPassword?.reveal(), secrets.pairingCode?.reveal()])).toEqual([
      ['correct horse battery', '12345678'],
    ]);
    expect(store.getState().screen).toBe('failed');
    store.send({ type: 'set', id: 'next', value: 'retry' });
    press('enter');
    await new Promise((resolve) => setImmediate(resolve));
    expect(given).toHaveLength(2);
    expect(given[1]).toEqual(given[0]);
    expect(store.getState().screen).toBe('done');
  });

  it('judges a secret by the rules, and asks none that the rest does not use', () => {
    const weak = started(VIEW);
    weak.press('enter');
    weak.type('short');
    weak.press('enter');
    expect(weak.store.getState().draft.focus).toBe('password');
    expect(screenOf('unfinished').body(started({ ...VIEW, needs: [] }).store.getState(), weak.store.getState().draft).items).toHaveLength(
      1,
    );
  });

  it('takes the secrets of an answer file instead of asking', async () => {
    const answers = { admin_password: new Secret('correct horse battery'), pairing_code: new Secret('12345678') };
    const { press, type, given } = started(VIEW, answers);
    press('enter');
    type('y');
    press('enter');
    await new Promise((resolve) => setImmediate(resolve));
    expect(given[0]?.adminPassword?.reveal()).toBe('correct horse battery');
  });

  it('starts over with the same answers: only secrets and the disk are asked for', () => {
    const { store, press } = started(VIEW);
    press('down', 'enter');
    expect(store.getState().screen).toBe('preflight');
    press('enter');
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) {
      seen.push(store.getState().screen);
      store.send({ type: 'set', id: 'word', value: '8765' });
      store.send({ type: 'set', id: 'mirror', value: 'none' });
      store.send({ type: 'set', id: 'password', value: 'correct horse battery' });
      store.send({ type: 'set', id: 'repeat', value: 'correct horse battery' });
      store.send({ type: 'set', id: 'code', value: '12345678' });
      store.send({ type: 'accept' });
    }
    expect(seen).toEqual(['erase', 'account', 'ssh', 'application']);
    expect(store.getState().screen).toBe('confirm');
    expect(store.getState().answers.hostname).toBe('ddi-2');
  });

  it('says why it cannot go on, and then does not', () => {
    const { store, press } = started({ ...VIEW, refusal: '/dev/sdb is not the disk that was confirmed: the serial number differs' });
    expect(text(store)).toContain('It cannot go on: /dev/sdb is not the disk');
    expect(store.getState().draft.values['go']).toBe('again');
    press('up', 'enter');
    expect(store.getState()).toMatchObject({ screen: 'unfinished', overlay: null });
    expect(store.getState().notice).toContain('cannot be taken');
  });
});

it('is told of in the picker, beside disks that hold something else', () => {
  const state = started(VIEW).store.getState();
  const held = (path: string): string => {
    const { aside } = screenOf('disk').body(state, newDraft({ target: path }, 'target'));
    return aside.map((line) => line.text).find((line) => line.includes('Holds')) ?? '';
  };
  expect(held('/dev/sdb')).toBe('Holds: an installation of ddi-2 that was cut short (2 of 30 steps); it does not start');
  expect(held('/dev/sda')).toMatch(/^Holds: /);
  expect(held('/dev/sda')).not.toContain('cut short');
});
