/** Passwords, typed confirmations, forms and lists, as keys. */
import { describe, expect, it } from 'vitest';
import { type Intent, initialUi, reduce, SETTLE_MS, type UiEvent, type UiState } from '#console/reducer.ts';
import { OPEN_POLICY } from '#status/policy.ts';
import { ALL, PLAN, play, press } from '../../support/console-play.ts';

describe('the password', () => {
  const order = { plan: PLAN, args: {}, typed: null };
  const asked = { t: 'ask_password', order, admins: ['ops', 'root2'] } as const;
  const typed = [asked, press('text', 'horse'), press('enter')];
  it('is checked for the account shown, as a Secret, and the field is empty again', () => {
    const { ui, intents } = play(typed);
    expect(intents).toHaveLength(1);
    expect(intents[0]).toMatchObject({ kind: 'check', user: 'ops' });
    expect(JSON.stringify([ui, intents])).not.toContain('horse');
    expect(intents[0]?.kind === 'check' && intents[0].password.reveal()).toBe('horse');
  });
  it('Down takes the next administrator and forgets what was typed', () => {
    const { intents } = play([asked, press('text', 'x'), press('down'), press('text', 'y'), press('enter')]);
    expect(intents[0]).toMatchObject({ user: 'root2' });
    expect(intents[0]?.kind === 'check' && intents[0].password.reveal()).toBe('y');
  });
  it('takes no second answer while one is being checked, and none that is empty', () => {
    expect(play([...typed, press('text', 'again'), press('enter')]).intents).toHaveLength(1);
    expect(play([asked, press('enter')]).intents).toEqual([]);
  });
  it('refused, the reason stands there and it can be tried again', () => {
    const { ui, intents } = play([...typed, { t: 'refused', why: 'Wrong password.' }, press('text', 'b'), press('enter')]);
    expect(intents).toHaveLength(2);
    expect(play([...typed, { t: 'refused', why: 'Wrong password.' }]).ui.dialog).toMatchObject({ fault: 'Wrong password.', busy: false });
    expect(ui.dialog).toMatchObject({ busy: true });
  });
  it('nobody with a password is said, not skipped', () => {
    expect(play([{ ...asked, admins: [] }]).ui.dialog).toMatchObject({ kind: 'note', text: expect.stringContaining('no administrator') });
  });
  it('goes away by itself, and Esc is No', () => {
    expect(play([asked, 91_000, { t: 'tick' }]).ui.dialog).toBeNull();
    expect(play([asked, press('text', 'x'), press('escape'), press('enter')]).intents).toEqual([]);
  });
});

describe('what has to be typed', () => {
  const plan = { ...PLAN, name: 'etcd.restore', typed_confirm: 'ddi-01' };
  const planned = { t: 'planned', plan, args: { snapshot: 's' } } as const;
  it('Yes without it, or with something else, does nothing', () => {
    for (const text of ['', 'ddi-0', 'DDI-01']) {
      const { ui, intents } = play([planned, ...(text === '' ? [] : [press('text', text)]), press('tab'), press('enter')]);
      expect([ui.dialog?.kind, intents]).toEqual(['confirm', []]);
    }
  });
  it('n and q are letters there, and a paste is no answer', () => {
    expect(play([planned, press('text', 'nq')]).ui.dialog).toMatchObject({ typed: { value: 'nq' } });
    expect(play([planned, press('paste', 'ddi-01'), press('tab'), press('enter')]).intents).toEqual([]);
  });
  it('with it, the order carries it and its words', () => {
    const { intents } = play([planned, press('text', 'ddi-01'), press('tab'), press('enter')]);
    expect(intents).toEqual([{ kind: 'admins', order: { plan, args: { snapshot: 's' }, typed: 'ddi-01' } }]);
  });
});

describe('forms and lists', () => {
  const live = { ...initialUi(OPEN_POLICY, { ...ALL, offered: { 'pair.set': { why: null, choices: null } } }), live: true };
  const choose = (ui: UiState, title: string): UiState => {
    let now = reduce(ui, press('f10'), 0).ui;
    if (now.dialog?.kind !== 'menu') throw new Error('no menu');
    const at = now.dialog.items.findIndex((i) => i.title === title);
    now = { ...now, dialog: { ...now.dialog, at } };
    return reduce(now, press('enter'), SETTLE_MS).ui;
  };
  it('pairing asks for URL and code, says what is wrong with one, and plans with both', () => {
    let ui = choose(live, 'Pair again');
    expect(ui.dialog).toMatchObject({ kind: 'form', fields: [{ arg: { name: 'url' } }, { arg: { name: 'code', secret: true } }] });
    const intents: Intent[] = [];
    const say = (...events: UiEvent[]): void => {
      for (const e of events) {
        const step = reduce(ui, e, 10_000);
        ui = step.ui;
        intents.push(...step.intents);
      }
    };
    say(press('text', 'ddi.example.net'), press('enter'));
    expect(ui.dialog).toMatchObject({ at: 0, fault: 'Control plane: a URL such as https://ddi.example.net' });
    say(press('home'), press('text', 'https://'), press('enter'), press('text', '1234 567'), press('enter'));
    expect(ui.dialog).toMatchObject({ at: 1, fault: 'Pairing code: 8 digits' });
    say(press('text', '8'), press('enter'));
    expect([ui.dialog, intents]).toMatchObject([
      { kind: 'note' },
      [{ kind: 'plan', action: 'pair.set', args: { url: 'https://ddi.example.net', code: '1234 5678' } }],
    ]);
  });
  it('a snapshot is picked from those there are', () => {
    const offered = { 'etcd.restore': { why: null, choices: { snapshot: ['new', 'old'] } } };
    const ui = choose({ ...live, offered }, 'Restore etcd');
    expect(ui.dialog).toMatchObject({ kind: 'menu', items: [{ title: 'new' }, { title: 'old' }] });
    const down = reduce(ui, press('down'), 5000).ui;
    expect(reduce(down, press('enter'), 6000).intents).toEqual([{ kind: 'plan', action: 'etcd.restore', args: { snapshot: 'old' } }]);
  });
  it('what the supervisor says it cannot do has its reason in the menu', () => {
    const offered = { 'firewall.revert': { why: 'spatiumddi-firewall-revert is not installed', choices: null } };
    const ui = choose({ ...live, offered }, 'Revert firewall');
    expect(ui.dialog).toMatchObject({ text: 'Not possible now: spatiumddi-firewall-revert is not installed.' });
  });
});
