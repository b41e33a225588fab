/** What a run that fails offers: again, another answer, the logs; and that Ctrl-C meanwhile only says why not. */
import { expect, it } from 'vitest';
import type { WizardPorts } from '#installer/wizard/ports.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import { WizardStore } from '#installer/wizard/store.ts';
import type { LeavesTo } from '#installer/wizard/types.ts';
import type { Plan } from '#model/plan.ts';
import { FIRST_NODE, key, SERVER, SURROUNDINGS } from './support.ts';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function failing(leavesTo: LeavesTo = 'caller') {
  const runs: (() => void)[] = [];
  const ports: WizardPorts = {
    makePlan: () => ({ schema: 1 }) as Plan,
    printPlan: () => '',
    runPlan: (_plan, _secrets, onEvent) =>
      new Promise((resolve) => {
        runs.push(() => {
          onEvent({ type: 'failed', id: 'copy', message: 'The copy broke off', command: null, output: [], nothingWritten: false });
          resolve();
        });
      }),
    saveLogs: async () => 'The logs are saved on /dev/sdx1.',
  };
  const store = new WizardStore(
    { machine: SERVER, answers: FIRST_NODE, mode: 'install', surroundings: { ...SURROUNDINGS, leavesTo } },
    ports,
  );
  const press = (...names: Parameters<typeof key>[0][]): void => {
    for (const name of names) store.send({ type: 'key', key: key(name, name === 'ctrl' ? 'c' : ''), terminal: null });
  };
  const choose = (value: string): void => {
    store.send({ type: 'set', id: 'next', value });
    press('enter');
  };
  const install = (): void => {
    press('enter', 'enter');
    store.send({ type: 'set', id: 'row', value: 'install' });
    press('enter');
  };
  return { store, runs, press, choose, install };
}

it('offers to try again, to change an answer, and to save the logs', async () => {
  const { store, runs, press, choose, install } = failing();
  install();
  expect(store.getState().screen).toBe('progress');
  runs[0]?.();
  await settled();
  expect(store.getState().screen).toBe('failed');
  choose('logs');
  expect(store.getState().busy).toContain('logs');
  await settled();
  expect(store.getState()).toMatchObject({ screen: 'failed', busy: null, notice: 'The logs are saved on /dev/sdx1.' });
  choose('retry');
  expect(store.getState().screen).toBe('progress');
  expect(runs).toHaveLength(2);
  runs[1]?.();
  await settled();
  choose('change');
  expect(store.getState()).toMatchObject({ screen: 'confirm', answers: FIRST_NODE });
  press('ctrl');
  expect(JSON.stringify(store.getState().overlay)).toContain('written to in part');
});

it('cannot be left while the disk is written, and says so', async () => {
  const { store, runs, press, install } = failing();
  install();
  press('ctrl', 'ctrl');
  expect(store.getState()).toMatchObject({ screen: 'progress', overlay: null, outcome: null });
  expect(store.getState().notice).toContain('cannot be left now');
  runs[0]?.();
  await settled();
  press('ctrl', 'ctrl');
  expect(store.getState()).toMatchObject({ screen: 'failed', outcome: null });
});

it.each([
  ['caller', ['retry', 'change', 'logs', 'leave']],
  ['shell', ['retry', 'change', 'logs', 'leave', 'restart']],
  ['nothing', ['retry', 'change', 'logs', 'restart']],
] as const)('has ways out in words where leaving leads to %s', async (leavesTo, values) => {
  const { store, runs, choose, install } = failing(leavesTo);
  install();
  runs[0]?.();
  await settled();
  const state = store.getState();
  const [item] = screenOf('failed').body(state, state.draft).items;
  const options = item?.kind === 'list' ? item.options : [];
  expect(options.map((option) => option.value)).toEqual(values);
  expect(options.some((option) => option.label.includes('shell'))).toBe(leavesTo === 'shell');
  const last = values.at(-1) ?? '';
  choose(last);
  expect(store.getState().outcome).toBe(last === 'restart' ? 'restart' : 'failed');
});
