/** A menu that stands open while the box changes. */
import { expect, it } from 'vitest';
import { choose } from '#console/choose.ts';
import { initialUi, reduce, type UiState } from '#console/reducer.ts';
import { MENU_MS } from '#console/ui-state.ts';
import { OPEN_POLICY } from '#status/policy.ts';
import { ALL, press } from '../../support/console-play.ts';

const whyOf = (ui: UiState, id: string): string | null | undefined =>
  ui.dialog?.kind === 'menu' ? ui.dialog.items.find((i) => i.id === id)?.why : undefined;

const facts = (ui: UiState, more: Partial<UiState>): UiState => reduce(ui, { t: 'facts', facts: { ...ui, ...more } }, 2000).ui;

it('an entry can be taken as soon as a supervisor takes actions, at the place where the mark stands', () => {
  const before = { ...initialUi(OPEN_POLICY, ALL), live: true, hasSlots: true, offered: null };
  let ui = reduce(before, press('f10'), 1000).ui;
  ui = reduce(ui, press('down'), 1500).ui;
  expect(whyOf(ui, 'slot.commit')).toBe('the supervisor takes no actions');
  ui = facts(ui, { offered: { 'slot.commit': { why: null, choices: null } } });
  expect(whyOf(ui, 'slot.commit')).toBeNull();
  expect(ui.dialog).toMatchObject({ kind: 'menu', at: 1 });
});

it('an entry that can no longer be taken says why', () => {
  const before = { ...initialUi(OPEN_POLICY, ALL), live: true, pending: true };
  const ui = reduce(before, press('f5'), 1000).ui;
  expect(whyOf(ui, 'power.cancel')).toBeNull();
  expect(whyOf(facts(ui, { pending: false }), 'power.cancel')).toBe('nothing is pending');
});

it('what is typed right after a form was opened is not lost, and takes nothing', () => {
  const before = { ...initialUi(OPEN_POLICY, ALL), live: true, offered: { 'pair.set': { why: null, choices: null } } };
  let ui = choose(before, { id: 'pair.set' }, 1000).ui;
  for (const key of [press('text', 'h'), press('enter'), press('text', 't')]) ui = reduce(ui, key, 1010).ui;
  expect(ui.dialog).toMatchObject({ kind: 'form', at: 0, fault: null });
  expect(ui.dialog?.kind === 'form' && ui.dialog.fields[0]?.state.value).toBe('ht');
});

it('it closes a minute after the last key, not while somebody reads it', () => {
  const tick = (ui: UiState, nowMs: number): UiState => reduce(ui, { t: 'tick' }, nowMs).ui;
  let ui = reduce(initialUi(OPEN_POLICY, ALL), press('f10'), 1000).ui;
  ui = tick(reduce(ui, press('down'), 50_000).ui, 60_900);
  expect(ui.dialog).toMatchObject({ kind: 'menu', at: 1 });
  expect(tick(ui, 1000 + MENU_MS + 1).dialog).not.toBeNull();
  expect(tick(ui, 50_000 + MENU_MS).dialog).toBeNull();
});
