import { describe, expect, it } from 'vitest';
import { CONFIRM_MS, type Intent, initialUi, reduce, SETTLE_MS, type UiEvent, type UiState } from '#console/reducer.ts';
import { OPEN_POLICY, parsePolicy } from '#status/policy.ts';
import { decodeKeys, type Key } from '#ui/terminal/keys.ts';
import { logLines } from '../../support/console-fixtures.ts';
import { ALL, bytes, PLAN, play, press } from '../../support/console-play.ts';

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
  it.each(['\t\r', '\x1b[C\r', '\x1b[Z\r\r', '\t\t\t\r'])('%j pasted without brackets into the open question is no yes', (paste) => {
    let ui = reduce(initialUi(OPEN_POLICY, ALL), { t: 'planned', plan: PLAN }, 1000).ui;
    const intents: Intent[] = [];
    for (const e of bytes(paste)) {
      const step = reduce(ui, e, 5000);
      ui = step.ui;
      intents.push(...step.intents);
    }
    expect([ui.dialog, intents]).toMatchObject([{ kind: 'confirm', yes: true }, []]);
    expect(reduce(ui, press('enter'), 5000 + SETTLE_MS).intents.map((i) => i.kind)).toEqual(['admins']);
  });
  it('a typed confirmation pasted whole, turn and Enter included, is no yes either', () => {
    const plan = { ...PLAN, typed_confirm: 'node-7' };
    let ui = reduce(initialUi(OPEN_POLICY, ALL), { t: 'planned', plan }, 1000).ui;
    const intents: Intent[] = [];
    for (const e of bytes('node-7\t\r')) {
      const step = reduce(ui, e, 5000);
      ui = step.ui;
      intents.push(...step.intents);
    }
    expect([ui.dialog, intents]).toMatchObject([{ kind: 'confirm', yes: true, typed: { value: 'node-7' } }, []]);
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

describe('a note', () => {
  it('does not hold up the keys of pages, and any other key but Enter and Esc leaves it', () => {
    const noted = play([press('f5'), press('down'), press('down'), press('enter')]).ui;
    expect(noted.dialog?.kind).toBe('note');
    expect(reduce(noted, press('f7'), 10_000).ui).toMatchObject({ page: 'health', dialog: null });
    expect(reduce(noted, press('text', 'x'), 10_000).ui.dialog?.kind).toBe('note');
  });
  it('says at once that the supervisor is asked, and gives way to its answer', () => {
    const asked = play([press('f5'), press('enter')]).ui;
    expect(asked.dialog).toMatchObject({ kind: 'note', title: 'Reboot', text: expect.stringContaining('Finding out') });
    expect(reduce(asked, { t: 'planned', plan: PLAN }, 3000).ui.dialog).toMatchObject({ kind: 'confirm', yes: false });
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
