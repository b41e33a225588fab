import { describe, expect, it } from 'vitest';
import { Desk, type DeskPorts, type PasswordAnswer } from '#console/desk.ts';
import { PasswordGate } from '#console/password-gate.ts';
import { type ProcessSample, processTable } from '#console/processes.ts';
import type { UiEvent } from '#console/ui-state.ts';
import { Secret } from '#model/secret.ts';
import { parseStat } from '#status/local/process-stat.ts';

const PLAN = { name: 'power.reboot', summary: 's', consequences: ['c'], typed_confirm: null, confirm_token: 'old', expires_s: 30 };
const ORDER = { plan: PLAN, args: {}, typed: null };
const CHECK = { kind: 'check', order: ORDER, user: 'ops', password: new Secret('pw') } as const;

function desk(answer: PasswordAnswer, over: Partial<DeskPorts> = {}) {
  const events: UiEvent[] = [];
  const audited: string[] = [];
  const ran: unknown[] = [];
  let nowMs = 0;
  const ports: DeskPorts = {
    monoMs: () => nowMs,
    plan: async () => ({ ok: true, plan: { ...PLAN, confirm_token: 'fresh' } }),
    runPlan: (order, admin) => ran.push([order.plan.confirm_token, admin]),
    followPod: () => ({ stop: () => undefined }),
    admins: async () => ['ops'],
    checkPassword: async () => answer,
    audit: (text) => audited.push(text),
    ...over,
  };
  const d = new Desk(
    ports,
    (e) => events.push(e),
    () => ran.push('terminal'),
    new PasswordGate(() => nowMs),
  );
  return { desk: d, events, audited, ran, pass: (ms: number) => (nowMs += ms) };
}

describe('after the password', () => {
  it('right: a fresh plan that says the same is carried out, with the name of who answered', async () => {
    const t = desk({ kind: 'right' });
    await t.desk.check(CHECK, () => true);
    expect(t.ran).toEqual([['fresh', 'ops']]);
    expect(t.events.map((e) => e.t)).toEqual(['started']);
  });
  it('right, but the dialog has gone: nothing is done', async () => {
    const t = desk({ kind: 'right' });
    await t.desk.check(CHECK, () => false);
    expect([t.ran, t.events]).toEqual([[], []]);
  });
  it('right, but the plan says something else by now: it is asked about again', async () => {
    const t = desk({ kind: 'right' }, { plan: async () => ({ ok: true, plan: { ...PLAN, consequences: ['other'] } }) });
    await t.desk.check(CHECK, () => true);
    expect(t.ran).toEqual([]);
    expect(t.events).toMatchObject([{ t: 'planned', plan: { consequences: ['other'] } }]);
  });
  it('wrong three times: closed, also for the right one, and for longer at the next round', async () => {
    let answer: PasswordAnswer = { kind: 'wrong' };
    const t = desk(answer, { checkPassword: async () => answer });
    for (let i = 0; i < 3; i += 1) await t.desk.check(CHECK, () => true);
    answer = { kind: 'right' };
    await t.desk.check(CHECK, () => true);
    expect(t.ran).toEqual([]);
    expect(t.events.at(-1)).toMatchObject({ t: 'refused', why: 'Too many wrong passwords. Wait 30 s.' });
    expect(t.audited).toEqual(Array.from({ length: 3 }, () => 'wrong password of ops for power.reboot'));
    answer = { kind: 'wrong' };
    t.pass(30_000);
    for (let i = 0; i < 3; i += 1) await t.desk.check(CHECK, () => true);
    expect(t.events.at(-1)).toMatchObject({ why: 'Too many wrong passwords. Wait 60 s.' });
    answer = { kind: 'right' };
    t.pass(60_000);
    await t.desk.check(CHECK, () => true);
    expect(t.ran).toHaveLength(1);
  });
  it('that cannot be checked is neither right nor counted as wrong', async () => {
    const t = desk({ kind: 'unknown', why: 'unix_chkpwd did not answer' });
    for (let i = 0; i < 5; i += 1) await t.desk.check(CHECK, () => true);
    expect(t.events.every((e) => e.t === 'refused' && e.why.includes('did not answer'))).toBe(true);
    expect(t.audited).toEqual([]);
  });
  it('an action for this terminal gives it away', () => {
    const t = desk({ kind: 'right' });
    t.desk.run({ ...ORDER, plan: { ...PLAN, name: 'network.edit' } }, 'ops');
    expect([t.ran, t.audited]).toEqual([['terminal'], ['network.edit confirmed by ops']]);
  });
  it('no way to check is said', async () => {
    const t = desk({ kind: 'right' }, { admins: async () => 'unix_chkpwd is not installed' });
    await t.desk.admins(ORDER);
    expect(t.events).toMatchObject([{ t: 'note', text: expect.stringContaining('unix_chkpwd is not installed') }]);
  });
});

describe('processes', () => {
  const STAT = '1234 (a (odd) name) S 1 1 1 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 7 0 5000 1000000 300 18446744073709551615 0 0 0';
  it('reads a line whatever the name holds', () => {
    expect(parseStat(STAT, 'root', 4096)).toEqual({
      pid: 1234,
      name: 'a (odd) name',
      state: 'S',
      user: 'root',
      ticks: 300,
      threads: 7,
      startTicks: 5000,
      memoryBytes: 300 * 4096,
    });
    for (const bad of ['', 'x', '12 (a', '12 (a) S 1']) expect(parseStat(bad, 'root', 4096)).toBeNull();
  });
  const one = (pid: number, ticks: number, startTicks = 1, state = 'S') => ({
    pid,
    name: `p${pid}`,
    state,
    user: 'root',
    ticks,
    startTicks,
    memoryBytes: pid,
    threads: 1,
  });
  const sample = (atMs: number, list: ProcessSample['list']): ProcessSample => ({ atMs, ticksPerS: 100, list });
  it('the share of a processor comes from two looks; what was not seen before has none, which is not zero', () => {
    const t = processTable(
      sample(0, [one(1, 0), one(2, 100), one(3, 10, 1)]),
      sample(2000, [one(1, 100), one(2, 100), one(3, 20, 2), one(4, 5)]),
    );
    expect(t.rows.map((r) => [r.pid, r.cpuPct])).toEqual([
      [1, 50],
      [4, null],
      [3, null],
      [2, 0],
    ]);
  });
  it('rows keep their places while shares differ little, and move when they differ much', () => {
    const look = (atS: number, ticks: readonly number[]): ProcessSample =>
      sample(
        atS * 1000,
        ticks.map((t, i) => one(i + 1, t)),
      );
    const looks = [look(0, [0, 0, 0]), look(1, [20, 18, 0]), look(2, [39, 39, 1]), look(3, [57, 61, 1]), look(4, [58, 140, 1])];
    const order: number[][] = [];
    let last: ReturnType<typeof processTable> | null = null;
    for (const [i, now] of looks.entries()) {
      last = processTable(looks[i - 1] ?? null, now, last);
      order.push(last.rows.map((r) => r.pid));
    }
    expect(order.slice(2)).toEqual([order[1], order[1], [2, 1, 3]]);
  });
  it('counts what asks for attention', () => {
    const t = processTable(null, sample(0, [one(1, 0, 1, 'R'), one(2, 0, 1, 'D'), one(3, 0, 1, 'Z'), one(4, 0, 1, 'Z')]));
    expect(t).toMatchObject({ total: 4, running: 1, blocked: 1, zombies: 2 });
  });
});
