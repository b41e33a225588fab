/** The control plane is asked before its screen is accepted; what it says is no order. */
import { expect, it } from 'vitest';
import type { WizardPorts } from '#installer/wizard/ports.ts';
import { WizardStore } from '#installer/wizard/store.ts';
import type { Answers } from '#model/answers.ts';
import type { Plan } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { FIRST_NODE, key, Operator, SERVER, SURROUNDINGS } from './support.ts';

const ANSWERS: Answers = { ...FIRST_NODE, role: 'appliance', pairing_code: new Secret('01234567') };
const FAILED = { name: 'Control plane', state: 'failed', detail: 'connection refused' } as const;

const atApplication = (): Operator => new Operator(ANSWERS).type('<enter><enter>');

it('goes on when it answers', () => {
  const operator = atApplication().type('ddi.example.net<enter><enter>');
  expect(operator.screen).toBe('confirm');
  expect(operator.effects).toContainEqual({ type: 'probe', url: 'https://ddi.example.net' });
});

it('asks whether to go on when it does not, No by default, and asks it anew after a No', () => {
  const operator = atApplication();
  operator.controlPlane = FAILED;
  operator.type('ddi.example.net<enter><enter>');
  expect(operator.state.overlay).toMatchObject({
    choice: 'no',
    question: { paragraphs: [expect.stringContaining('connection refused'), expect.anything()] },
  });
  operator.type('<enter>');
  expect([operator.screen, operator.state.overlay]).toEqual(['application', null]);
  operator.controlPlane = { ...FAILED, state: 'ok' };
  operator.type('<enter>');
  expect(operator.screen).toBe('confirm');
  expect(operator.effects.filter((effect) => effect.type === 'probe')).toHaveLength(2);
});

it('goes on all the same when that is wanted, and asks again about another address', () => {
  const operator = atApplication();
  operator.controlPlane = FAILED;
  operator.type('ddi.example.net<enter><enter>y<enter>');
  expect(operator.screen).toBe('confirm');
  operator.choose('application').type('<ctrl-u>https://other.example.net<enter><enter>');
  expect(operator.state.overlay).toMatchObject({ kind: 'question' });
});

it('asks nobody in a rehearsal', () => {
  const operator = new Operator(ANSWERS, 'rehearse').type('<enter><enter>ddi.example.net<enter><enter>');
  expect([operator.screen, operator.effects]).toEqual(['confirm', []]);
});

it('takes no key meanwhile, and goes on where nobody can be asked', async () => {
  let answer = (): void => undefined;
  const ports: WizardPorts = {
    makePlan: () => ({ schema: 1 }) as Plan,
    printPlan: () => '',
    runPlan: () => Promise.reject(new Error('not here')),
    probeControlPlane: (_url, onLines) =>
      new Promise((resolve) => {
        answer = () => {
          onLines([{ name: 'Name', state: 'ok', detail: 'found' }]);
          onLines([{ name: 'Control plane', state: 'ok', detail: 'version 1' }]);
          resolve();
        };
      }),
  };
  const given = { ...ANSWERS, control_plane_url: 'https://ddi.example.net' };
  const run = (withPort: boolean) => {
    const { probeControlPlane, ...rest } = ports;
    const store = new WizardStore(
      { machine: SERVER, answers: given, mode: 'install', surroundings: SURROUNDINGS },
      withPort ? { ...rest, probeControlPlane: probeControlPlane! } : rest,
    );
    const press = (...names: Parameters<typeof key>[0][]): void => {
      for (const name of names) store.send({ type: 'key', key: key(name), terminal: null });
    };
    press('enter', 'enter');
    store.send({ type: 'set', id: 'row', value: 'application' });
    press('enter', 'enter', 'enter');
    return { store, press };
  };
  const { store, press } = run(true);
  expect(store.getState().busy).toContain('ddi.example.net');
  press('escape');
  expect(store.getState().screen).toBe('application');
  answer();
  await new Promise((resolve) => setImmediate(resolve));
  expect(store.getState()).toMatchObject({ screen: 'confirm', busy: null, awaiting: null });
  const alone = run(false).store;
  await new Promise((resolve) => setImmediate(resolve));
  expect(alone.getState().screen).toBe('confirm');
});
