import { afterEach, describe, expect, it } from 'vitest';
import type { WizardPorts } from '#installer/wizard/ports.ts';
import type { EngineEvent, Plan } from '#model/plan.ts';
import { detectProfile } from '#ui/profile.ts';
import { runWizard, type WizardResult } from '../../../installer/wizard-main.tsx';
import { FIRST_NODE, SERVER, SURROUNDINGS } from '../../unit/wizard/support.ts';
import { FakeTerminal } from '../support/fake-terminal.ts';

const PLAN = { settings: {}, steps: [] } as unknown as Plan;
const ports = (changes: Partial<WizardPorts> = {}): WizardPorts => ({
  makePlan: () => PLAN,
  printPlan: () => 'the plan',
  runPlan: () => Promise.reject(new Error('not in this test')),
  ...changes,
});

const profiles = {
  tty1: detectProfile({ TERM: 'linux', LANG: 'C.UTF-8' }),
  ttyS0: detectProfile({ TERM: 'vt220' }),
};

let over: Promise<WizardResult> | null = null;
let terminals: FakeTerminal[] = [];

function start(changes: Partial<WizardPorts> = {}, mode: 'install' | 'rehearse' = 'install'): [FakeTerminal, FakeTerminal] {
  const tty1 = new FakeTerminal(132, 43);
  const serial = new FakeTerminal();
  terminals = [tty1, serial];
  over = runWizard({
    machine: SERVER,
    answers: FIRST_NODE,
    mode,
    surroundings: SURROUNDINGS,
    terminals: [
      { name: 'tty1', input: tty1.input, output: tty1.output, profile: profiles.tty1 },
      { name: 'ttyS0', input: serial.input, output: serial.output, profile: profiles.ttyS0 },
    ],
    ports: ports(changes),
  });
  return [tty1, serial];
}

afterEach(async () => {
  for (const terminal of terminals) terminal.input.end();
  await over;
});

describe('one dialogue on two terminals', () => {
  it('shows on both what is typed on either, text and highlight included', async () => {
    const [tty1, serial] = start();
    await tty1.waitFor('Welcome');
    tty1.type('\r');
    await serial.waitFor(/^ What this machine has/);
    serial.type('\r');
    await tty1.waitFor(/^ Ready to install.*keys: ttyS0/);
    tty1.type('\x1b[B\x1b[B\x1b[B');
    await serial.waitFor(/> +Host name/);
    serial.type('\r');
    await tty1.waitFor(/^ Host name/);
    serial.type('\x15half');
    await tty1.waitFor('[half ');
    tty1.type('way');
    await serial.waitFor('[halfway ');
    expect(serial.text()).not.toMatch(/[^\x20-\x7e\n]/);
    tty1.type('\x1b');
    await serial.waitFor(/Host name +ddi-1/);
  });

  it('goes on when one line is hung up, and leaves when the last one is', async () => {
    const [tty1, serial] = start();
    await serial.waitFor('Welcome');
    serial.input.end();
    tty1.type('\r');
    await tty1.waitFor('What this machine has');
    tty1.input.end();
    expect((await over)?.outcome).toBe('left');
  });
});

describe('installing', () => {
  const begin = async (changes: Partial<WizardPorts>): Promise<FakeTerminal> => {
    const [tty1, serial] = start(changes);
    await tty1.waitFor('Welcome');
    tty1.type('\r');
    await tty1.waitFor('What this machine has');
    tty1.type('\r');
    await tty1.waitFor('Ready to install');
    tty1.type('\x1b[F');
    await tty1.waitFor(/> +Install/);
    tty1.type('\r');
    return serial;
  };

  it('hands over plan and secrets, shows progress, and cannot be left meanwhile', async () => {
    let emit: (event: EngineEvent) => void = () => {};
    let finish: () => void = () => {};
    let password = '';
    const serial = await begin({
      runPlan: (plan, secrets, onEvent) => {
        expect(plan).toBe(PLAN);
        password = secrets.adminPassword?.reveal() ?? '';
        emit = onEvent;
        return new Promise((resolve) => {
          finish = () => resolve();
        });
      },
    });
    await serial.waitFor('Installing');
    expect(password).toBe('correct horse battery');
    emit({ type: 'step', id: 'copy', title: 'Copy the system', state: 'started' });
    emit({ type: 'progress', fraction: 0.42, bytesPerSecond: 123_000_000, secondsLeft: 75, detail: '1.2 of 3.0 GiB' });
    await serial.waitFor(/Copy the system[\s\S]*123\.0 MB\/s, about 1 min 15 s left, 1\.2 of 3\.0 GiB[\s\S]*42%/);
    serial.type('\x03');
    await serial.waitFor('cannot be left now');
    emit({ type: 'finished', checks: [{ name: 'boot menu', ok: true, detail: '' }], warnings: ['no UEFI entry could be made'] });
    finish();
    await serial.waitFor(/Note: no UEFI entry[\s\S]*1 checks? passed/);
    serial.type('\r');
    expect((await over)?.outcome).toBe('installed');
  });

  it('offers to try again, to change an answer and to save the logs after a failure', async () => {
    let runs = 0;
    const serial = await begin({
      runPlan: async (_plan, _secrets, onEvent) => {
        runs++;
        onEvent({
          type: 'failed',
          id: 'partition',
          message: 'The disk refused to be partitioned',
          command: 'sgdisk /dev/sdb',
          output: ['Error 4'],
          nothingWritten: true,
        });
      },
      saveLogs: async () => 'The logs are in /run/logs.',
    });
    await serial.waitFor(/refused to be partitioned[\s\S]*Nothing was written[\s\S]*sgdisk[\s\S]*Error 4/);
    serial.type('\x1b[B\r');
    await serial.waitFor('The logs are in /run/logs.');
    serial.type('\x1b[A\r');
    await serial.waitFor('Ready to install');
    serial.type('\x1b[F\r');
    await serial.waitFor('refused to be partitioned');
    expect(runs).toBe(2);
    serial.type('\x1b[H\r');
    await serial.waitFor('refused to be partitioned');
    expect(runs).toBe(3);
    serial.type('\x1b[F\r');
    expect((await over)?.outcome).toBe('failed');
  });

  it('says why when no plan can be made', async () => {
    const serial = await begin({
      makePlan: () => {
        throw new Error('The disk is gone.');
      },
    });
    await serial.waitFor('The disk is gone.');
    expect(serial.text()).toMatch(/^ Ready to install/);
  });
});
