import { expect, it } from 'vitest';
import { movedCount, movedKeys } from '#installer/wizard/keyboard-difference.ts';
import { KEYBOARDS } from '#installer/wizard/keyboards.gen.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import { Operator } from './support.ts';

it('has every layout of the list, each with as many keys as a US keyboard', () => {
  const state = new Operator().type('<enter><enter>').state;
  const [list] = screenOf('keyboard').body(state, state.draft).items;
  const names = list && 'options' in list ? list.options.map((option) => option.value).filter((name) => name !== 'other') : [];
  expect(Object.keys(KEYBOARDS).sort()).toEqual([...names].sort());
  for (const [name, levels] of Object.entries(KEYBOARDS)) expect([name, ...levels.map((level) => level.length)]).toEqual([name, 48, 48]);
});

it('tells what a German keyboard moves', () => {
  const [plain, shifted] = movedKeys('de') ?? [];
  expect(plain).toEqual({ labels: 'y]\\z/', types: 'z+#y-' });
  expect(shifted?.labels).toContain('@');
  expect(shifted?.types[shifted.labels.indexOf('@')]).toBe('"');
  expect([movedKeys('us'), movedKeys('pl'), movedKeys('ch')]).toEqual([null, null, null]);
});

it('counts the characters of a password that lie elsewhere, and no more', () => {
  expect(movedCount('de', 'yellow-Zebra 1')).toBe(3);
  expect(movedCount('us', 'yellow-Zebra 1')).toBe(0);
  expect(movedCount('ru', 'abc')).toBe(3);
  expect(movedCount('ch', 'abc')).toBeNull();
});

it('loads a layout before its keys are tried, and shows what it does', () => {
  const operator = new Operator().type('<enter><enter><down><down>');
  const text = (): string =>
    screenOf('keyboard')
      .body(operator.state, operator.state.draft)
      .aside.map((line) => line.text)
      .join('\n');
  expect(text()).toContain('Keys of a US keyboard  y');
  operator.type('<enter>');
  expect(operator.state.draft.focus).toBe('try');
  expect(operator.effects).toEqual([{ type: 'apply-keymap', keymap: 'de' }]);
  operator.type('qwertz<enter>');
  expect(operator.state.answers.keymap).toBe('de');
});

it('warns on the account screen by number only', () => {
  const operator = new Operator({ keymap: 'de' }).type('<enter><enter>');
  operator.event({ type: 'set', id: 'x', value: '' });
  const account = screenOf('account');
  const draft = { ...account.open(operator.state), values: { ...account.open(operator.state).values, password: 'yellow-Zebra' } };
  const aside = account.body(operator.state, draft).aside.map((line) => line.text);
  expect(aside.at(-1)).toBe('3 of its 12 characters lie on another key of a US keyboard, which remote consoles often assume.');
});
