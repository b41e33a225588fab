/** The light of a disk's bay: one at a time, and out with the screen. */
import { expect, it } from 'vitest';
import { initialState } from '#installer/wizard/state.ts';
import { keyHints } from '#installer/wizard/view/key-hints.ts';
import { FIRST_NODE, Operator, SERVER, SURROUNDINGS } from './support.ts';

function atDisks(locatable: readonly string[]): Operator {
  const operator = new Operator(FIRST_NODE);
  operator.state = initialState({ machine: SERVER, answers: FIRST_NODE, mode: 'install', surroundings: { ...SURROUNDINGS, locatable } });
  return operator.type('<enter><enter>').choose('disk').type('<home>');
}
const hints = ({ state }: Operator): readonly string[] => keyHints(state).map((hint) => hint.key);
const lights = ({ effects }: Operator) =>
  effects.flatMap((effect) => (effect.type === 'light' ? [`${effect.kname} ${effect.isOn ? 'on' : 'off'}`] : []));

it('is offered only for a disk whose bay has one', () => {
  const operator = atDisks(['sda']);
  expect(hints(operator)).toContain('F7');
  operator.type('<down>');
  expect(hints(operator)).not.toContain('F7');
  operator.type('<f7>');
  expect(lights(operator)).toEqual([]);
});

it('goes out when another is lit, when it is pressed again, and when the screen is left', () => {
  const operator = atDisks(['sda', 'sdb']).type('<f7><down><f7>');
  expect(lights(operator)).toEqual(['sda on', 'sda off', 'sdb on']);
  operator.type('<f7>');
  expect(lights(operator).slice(3)).toEqual(['sdb off']);
  operator.type('<f7><escape>');
  expect(lights(operator).slice(4)).toEqual(['sdb on', 'sdb off']);
  expect([operator.screen, operator.state.lit]).toEqual(['confirm', null]);
});
