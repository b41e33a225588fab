import { describe, expect, it } from 'vitest';
import { CONFIRM_MS, type Intent, initialUi, reduce, SETTLE_MS, type UiEvent, type UiState } from '#console/reducer.ts';
import { OPEN_POLICY, parsePolicy } from '#status/policy.ts';
import { decodeKeys, type Key } from '#ui/terminal/keys.ts';
import { logLines } from '../../support/console-fixtures.ts';

const press = (name: Key['name'], text = ''): UiEvent => ({
  t: 'key',
  key: { name, text, shift: false, alt: false, ctrl: false },
  pageRows: 10,
  scrollLimit: 20,
});
const PLAN = { name: 'power.reboot', summary: 's', consequences: [], typed_confirm: null, confirm_token: 't', expires_s: 30 };

const ALL = { loginWhy: null, powerWhy: null };

/** Plays events a second apart, unless an event carries its own pause. */
function play(events: readonly (UiEvent | number)[], policy = OPEN_POLICY) {
  let ui: UiState = initialUi(policy, ALL);
  let nowMs = 0;
  const intents: Intent[] = [];
  for (const e of events) {
    if (typeof e === 'number') {
      nowMs += e;
      continue;
    }
    const step = reduce(ui, e, nowMs);
    ui = step.ui;
    intents.push(...step.intents);
    nowMs += SETTLE_MS;
  }
  return { ui, intents };
}
const bytes = (text: string): UiEvent[] =>
  decodeKeys(text, true).events.flatMap((e) => (e.key ? [{ ...(press('enter') as UiEvent & { t: 'key' }), key: e.key }] : []));

describe('power', () => {
  it('F5, Enter asks what a reboot would do, and nothing more', () => {
    expect(play([press('f5'), press('enter')]).intents).toEqual([{ kind: 'plan', action: 'power.reboot' }]);
  });
  it('the plan opens a dialog on No; Enter there does nothing', () => {
    const { ui, intents } = play([{ t: 'planned', plan: PLAN }, press('enter')]);
    expect([ui.dialog, intents]).toEqual([null, []]);
  });
  it('only a turn to Yes and Enter runs it', () => {
    expect(play([{ t: 'planned', plan: PLAN }, press('right'), press('enter')]).intents).toEqual([{ kind: 'run', plan: PLAN }]);
  });
  it.each([
    ['escape', ''],
    ['text', 'n'],
    ['text', 'q'],
  ] as const)('%s%s is No', (name, text) => {
    expect(play([{ t: 'planned', plan: PLAN }, press('right'), press(name, text), press('enter')]).intents).toEqual([]);
  });
  it('y alone is not a yes', () => {
    expect(play([{ t: 'planned', plan: PLAN }, press('text', 'y'), press('enter')]).intents).toEqual([]);
  });
  it('time runs out to No', () => {
    const { ui, intents } = play([{ t: 'planned', plan: PLAN }, press('right'), CONFIRM_MS, { t: 'tick' }, press('enter')]);
    expect([ui.dialog, intents]).toEqual([null, []]);
  });
  it('keys that were under way when the dialog opened do not answer it', () => {
    let ui = reduce(initialUi(OPEN_POLICY, ALL), { t: 'planned', plan: PLAN }, 1000).ui;
    for (const key of ['right', 'enter'] as const) ui = reduce(ui, press(key), 1000 + SETTLE_MS - 1).ui;
    expect(ui.dialog).toMatchObject({ kind: 'confirm', yes: false });
  });
  it('a paste of all the right bytes at once does not reboot', () => {
    let ui = initialUi(OPEN_POLICY, ALL);
    const intents: Intent[] = [];
    for (const e of bytes('\x1b[15~\r\x1b[C\r\r\r')) {
      const step = reduce(ui, e, 5000);
      ui = step.ui;
      intents.push(...step.intents);
    }
    expect(intents).toEqual([]);
  });
  it.each(['1', '5', '15~', '5\r', 'yes\r', '\x1b[', '\x00\x00\x01'])('noise %j does nothing', (noise) => {
    const { ui, intents } = play(bytes(noise));
    expect([ui.dialog, ui.page, intents]).toEqual([null, 'dashboard', []]);
  });
});

describe('policy', () => {
  const locked = parsePolicy('{"login":false,"actions":[]}');
  it('a locked image has neither login nor power behind the keys', () => {
    const { ui, intents } = play([press('f1'), press('f5'), press('enter')], locked);
    expect([intents, ui.dialog]).toEqual([[], null]);
  });
  it('a menu made before cannot start what the policy forbids', () => {
    const ui = {
      ...initialUi(OPEN_POLICY, ALL),
      dialog: { kind: 'menu' as const, title: '', at: 0, items: [{ id: 'power.reboot', title: '', key: null, why: null }] },
      policy: locked,
    };
    expect(reduce(ui, press('enter'), 10_000).intents).toEqual([]);
  });
});

describe('menu', () => {
  it('says why something cannot be done now', () => {
    const { ui } = play([press('f5'), press('down'), press('down'), press('enter')]);
    expect(ui.dialog).toMatchObject({ kind: 'note', text: 'Not possible now: nothing is pending.' });
  });
  it('closes by itself', () => {
    expect(play([press('f10'), 61_000, { t: 'tick' }]).ui.dialog).toBeNull();
  });
});

describe('log page', () => {
  const opened = [press('f6'), { t: 'log', lines: logLines(100) } as const];
  it('stands still while scrolled up, and follows again at the end', () => {
    const up = play([...opened, press('pageup'), { t: 'log', lines: logLines(3) }]).ui;
    expect(up.log.scroll).toBe(13);
    expect(play([...opened, press('pageup'), press('end')]).ui.log.scroll).toBe(0);
  });
  it('filters as typed, and Esc clears', () => {
    const typing = [...opened, press('text', '/'), press('text', 'k3'), press('text', 's')];
    expect(play([...typing, press('enter')]).ui.log).toMatchObject({ filter: 'k3s', typing: false });
    expect(play([...typing, press('escape')]).ui.log.filter).toBe('');
  });
  it('F5 while typing a filter opens nothing', () => {
    expect(play([...opened, press('text', '/'), press('f5')]).ui.dialog).toBeNull();
  });
  it('keeps a bounded number of lines', () => {
    expect(play([{ t: 'log', lines: logLines(5000) }]).ui.log.lines.length).toBe(2000);
  });
});

describe('what this terminal or machine cannot do', () => {
  const refused = { ...initialUi(OPEN_POLICY, { loginWhy: 'no terminal', powerWhy: 'no appliance' }), live: true, pending: true };
  it('F1 says why and asks for no login', () => {
    const { ui, intents } = reduce(refused, press('f1'), 1000);
    expect([ui.dialog?.kind === 'note' && ui.dialog.text, intents]).toEqual(['Not possible now: no terminal.', []]);
  });
  it('every power action carries the reason and Enter plans none', () => {
    const { ui } = reduce(refused, press('f5'), 1000);
    if (ui.dialog?.kind !== 'menu') throw new Error('no menu');
    expect(ui.dialog.items.map((i) => i.why)).toEqual(ui.dialog.items.map(() => 'no appliance'));
    expect(reduce(ui, press('enter'), 2000).intents).toEqual([]);
  });
});
