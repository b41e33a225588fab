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
  pods: [],
});
const PLAN = { name: 'power.reboot', summary: 's', consequences: [], typed_confirm: null, confirm_token: 't', expires_s: 30 };

const ALL = { loginWhy: null, powerWhy: null, editWhy: null, offered: {} };

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
    expect(play([press('f5'), press('enter')]).intents).toEqual([{ kind: 'plan', action: 'power.reboot', args: {} }]);
  });
  it('the plan opens a dialog on No; Enter there does nothing', () => {
    const { ui, intents } = play([{ t: 'planned', plan: PLAN }, press('enter')]);
    expect([ui.dialog, intents]).toEqual([null, []]);
  });
  const ORDER = { plan: PLAN, args: {}, typed: null };
  it('only a turn to Yes and Enter goes on, to the password of an administrator', () => {
    expect(play([{ t: 'planned', plan: PLAN }, press('right'), press('enter')]).intents).toEqual([{ kind: 'admins', order: ORDER }]);
  });
  it('where the policy wants no password it runs', () => {
    const policy = parsePolicy('{"password":false}');
    const { ui, intents } = play([{ t: 'planned', plan: PLAN }, press('right'), press('enter')], policy);
    expect([ui.dialog?.kind, intents]).toEqual(['output', [{ kind: 'run', order: ORDER, admin: null }]]);
  });
  it('to keep the box as it is wants no password', () => {
    const cancel = { ...PLAN, name: 'power.cancel' };
    const { intents } = play([{ t: 'planned', plan: cancel }, press('right'), press('enter')]);
    expect(intents.map((i) => i.kind)).toEqual(['run']);
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
  const refused = { ...initialUi(OPEN_POLICY, { ...ALL, loginWhy: 'no terminal', powerWhy: 'no appliance' }), live: true, pending: true };
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
    expect([ui.dialog, intents]).toEqual([
      null,
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

describe('pods', () => {
  const offered = { 'pod.logs': { why: null, choices: null }, 'pod.restart': { why: null, choices: null } };
  const start = { ...initialUi(OPEN_POLICY, { ...ALL, offered }), live: true, hasK3s: true, page: 'pods' as const };
  const pods = ['a', 'b', 'c'].map((name) => ({ ns: 'spatium', name }));
  const at = (name: Key['name'], text = ''): UiEvent => ({ ...(press(name, text) as UiEvent & { t: 'key' }), pods });
  it('Down chooses the next, which stays chosen when the order changes; Enter offers its log and its restart', () => {
    let ui = reduce(start, at('down'), 0).ui;
    expect(ui.pod).toBe('spatium/b');
    ui = reduce(ui, { ...(at('enter') as UiEvent & { t: 'key' }), pods: [...pods].reverse() }, 0).ui;
    expect(ui.dialog).toMatchObject({ title: 'b', items: [{ id: 'pod.logs' }, { id: 'pod.restart' }] });
  });
  it('a log is followed at once, a restart is planned', () => {
    const menu = reduce(start, at('enter'), 0).ui;
    const followed = reduce(menu, at('enter'), 5000);
    expect([followed.ui.page, followed.intents]).toEqual(['podlog', [{ kind: 'follow', ns: 'spatium', pod: 'a' }]]);
    const restart = reduce(reduce(menu, at('down'), 5000).ui, at('enter'), 6000);
    expect(restart.intents).toEqual([{ kind: 'plan', action: 'pod.restart', args: { ns: 'spatium', pod: 'a' } }]);
    expect(reduce(followed.ui, at('escape'), 9000).ui).toMatchObject({ page: 'pods', podLog: null });
  });
  it('a policy without pod actions says so', () => {
    const ui = reduce({ ...start, policy: parsePolicy('{"actions":["power.reboot"]}') }, at('enter'), 0).ui;
    expect(ui.dialog).toMatchObject({ kind: 'note' });
  });
});

describe('a locked image', () => {
  const locked = { ...initialUi(parsePolicy('{"login":false}'), ALL), live: true, hasK3s: true, hasPull: true };
  it('offers nothing that leads to a shell, behind any function key or menu entry', () => {
    const { ui } = reduce(locked, press('f10'), 0);
    if (ui.dialog?.kind !== 'menu') throw new Error('no menu');
    const kinds = new Set<string>();
    ui.dialog.items.forEach((_, at) => {
      const here = { ...ui, dialog: { ...(ui.dialog as object), at } as UiState['dialog'] };
      for (const i of reduce(here, press('enter'), 5000).intents) kinds.add(i.kind);
    });
    for (let n = 1; n <= 12; n += 1) for (const i of reduce(locked, press(`f${n}`), 5000).intents) kinds.add(i.kind);
    expect([...kinds].sort()).toEqual(['plan', 'repaint']);
  });
});

describe('noise', () => {
  /** Pieces of keys, in any order and torn anywhere; the same numbers at every run. */
  const PIECES = [
    '\x1b',
    '[',
    'O',
    '[[',
    '1',
    '5',
    '~',
    '15~',
    '17~',
    'A',
    'C',
    'E',
    '\r',
    '\n',
    '\t',
    'y',
    'q',
    '\x00',
    '\x7f',
    '\xff',
    '\x1b[200~',
    '\x1b[201~',
    '\x1b[15~',
    '\x1b[21~',
    '\x1b[C',
    ';2',
  ];
  function* numbers(seed: number): Generator<number> {
    for (let x = seed; ; ) {
      x = (x * 1_103_515_245 + 12_345) % 2_147_483_648;
      yield x / 2_147_483_648;
    }
  }
  const start = {
    ...initialUi(parsePolicy('{"password":false}'), { ...ALL, loginWhy: 'no terminal', editWhy: 'no terminal' }),
    live: true,
    pending: true,
    hasK3s: true,
    hasSlots: true,
  };
  it('that comes at once asks for nothing and does nothing, whatever is in it', () => {
    const random = numbers(7);
    const next = (n: number): number => Math.floor((random.next().value as number) * n);
    let keys = 0;
    for (let round = 0; round < 2000; round += 1) {
      let ui: UiState = start;
      let rest = '';
      for (let i = 0; i < 30; i += 1) {
        const decoded = decodeKeys(rest + (PIECES[next(PIECES.length)] as string), next(4) === 0);
        rest = decoded.rest;
        for (const { key } of decoded.events) {
          if (!key) continue;
          keys += 1;
          const step = reduce(ui, { ...(press('enter') as UiEvent & { t: 'key' }), key }, 1000);
          ui = step.ui;
          expect(step.intents.filter((intent) => intent.kind !== 'repaint')).toEqual([]);
        }
      }
    }
    expect(keys).toBeGreaterThan(10_000);
  });
  it('that comes while a reboot is being asked about is no yes', () => {
    const random = numbers(11);
    const next = (n: number): number => Math.floor((random.next().value as number) * n);
    const asked = reduce(start, { t: 'planned', plan: PLAN }, 1000).ui;
    for (let round = 0; round < 2000; round += 1) {
      let ui: UiState = asked;
      const text = Array.from({ length: 20 }, () => PIECES[next(PIECES.length)]).join('');
      for (const { key } of decodeKeys(text, true).events) {
        if (!key) continue;
        const step = reduce(ui, { ...(press('enter') as UiEvent & { t: 'key' }), key }, 1000 + SETTLE_MS - 1);
        ui = step.ui;
        expect(step.intents.filter((intent) => intent.kind !== 'repaint')).toEqual([]);
      }
    }
  });
});
