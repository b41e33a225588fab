import { describe, expect, it } from 'vitest';
import { workFor } from '#supervisor/apply/applier.ts';
import { HEALTH, watchHealth } from '#supervisor/apply/health.ts';
import { dueInMs, failedWith, reportable } from '#supervisor/apply/quarantine.ts';
import { type Attempt, type FailedConfig, NO_QUARANTINE } from '#supervisor/apply/records.ts';
import { planRecovery } from '#supervisor/apply/recover.ts';
import { bad, type Daemon, type DaemonState, good } from '#supervisor/kinds/kind.ts';
import { stored } from '../../support/crash-world.ts';
import { easyDaemon } from '../../support/pull-world.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const same = { agent: '1', daemon: '2.6' };
const verdict = { sha256: 'a', version: 2, phase: 'health', outcome: 'reverted', message: 'm' } as const;

function failures(n: number): FailedConfig {
  let failed: FailedConfig | null = null;
  for (let i = 0; i < n; i++) failed = failedWith(verdict, failed, same, NOW);
  return failed as FailedConfig;
}

describe('the ladder', () => {
  it.each([
    [1, 60],
    [2, 300],
    [3, 900],
    [4, 3600],
    [9, 3600],
  ])('after failure %i: %i s', (n, seconds) => {
    expect(dueInMs(failures(n), same, NOW)).toBe(seconds * 1000);
    expect(dueInMs(failures(n), same, NOW + seconds * 1000)).toBe(0);
  });

  it('starts again for other content', () => {
    expect(failedWith({ ...verdict, sha256: 'b' }, failures(3), same, NOW)).toMatchObject({
      failures: 1,
      retry_at: '2026-11-30T12:01:00.000Z',
    });
  });

  it('is over with another agent or another daemon, but not when the daemon cannot be asked', () => {
    expect(dueInMs(failures(4), { ...same, agent: '2' }, NOW)).toBe(0);
    expect(dueInMs(failures(4), { ...same, daemon: '3.0' }, NOW)).toBe(0);
    expect(dueInMs(failures(4), { ...same, daemon: null }, NOW)).toBe(3_600_000);
  });

  it('does not believe a time more than one step ahead: the clock was set', () => {
    expect(dueInMs(failures(1), same, NOW - 86_400_000)).toBe(0);
    expect(dueInMs({ ...failures(1), retry_at: 'rubbish' }, same, NOW)).toBe(0);
  });

  it('never tries again by itself what brought the box down, until something changes', () => {
    const failed = failedWith({ ...verdict, phase: 'crash_loop' }, null, same, NOW);
    expect([dueInMs(failed, same, NOW + 1e12), dueInMs(failed, { ...same, agent: '2' }, NOW)]).toEqual([null, 0]);
  });
});

describe('what is to be done', () => {
  const [one, two] = [stored(1, 'good'), stored(2, 'good')];
  const failedTwo = { ...failures(1), sha256: two.sha256 };
  it('applies what was fetched, leaves what runs, parks what failed', () => {
    expect(workFor({ fetched: null, applied: null, quarantine: NO_QUARANTINE }, same, NOW).kind).toBe('none');
    expect(workFor({ fetched: two, applied: one, quarantine: NO_QUARANTINE }, same, NOW)).toEqual({ kind: 'apply', target: two });
    expect(workFor({ fetched: two, applied: two, quarantine: { failed: failedTwo, refused: null } }, same, NOW).kind).toBe('none');
    expect(workFor({ fetched: two, applied: one, quarantine: { failed: failedTwo, refused: null } }, same, NOW)).toEqual({
      kind: 'parked',
      dueInMs: 60_000,
    });
    expect(workFor({ fetched: two, applied: one, quarantine: { failed: failures(1), refused: null } }, same, NOW).kind).toBe('apply');
  });
});

describe('the message of a failure', () => {
  it('is one line without secrets, keys and control characters, and not endless', () => {
    expect(reportable('a\u001b[31m\r\nb\tc\u202e', [])).toBe('a [31m b c');
    expect(reportable('crt secret-word x', ['secret-word'])).toBe('crt *** x');
    expect(reportable('x -----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY----- y', [])).toBe('x *** y');
    expect(reportable('x -----BEGIN PRIVATE KEY-----\nAAAA', [])).toBe('x ***');
    expect(reportable('y'.repeat(5000), []).length).toBe(2000);
  });
});

describe('at boot', () => {
  const home = 'gen/aaaa';
  const attempt = (n: number, failuresThen = 0, more: Partial<Attempt> = {}): Attempt => ({
    sha256: 'b',
    version: 2,
    n,
    agent_deaths: 0,
    boot_id: 'boot',
    daemon: { is_active: true, main_pid: 7, restarts: 0 },
    failures: failuresThen,
    ...more,
  });
  const judged = { ...failures(1), sha256: 'b' };
  const facts = { present: null, attempt: null, appliedSha256: 'a', failed: null, current: 'gen/bbbb', home };
  it.each([
    ['all is right', { ...facts, current: home }, { mark: null, crashLoop: null, pointAt: null, dropsAttempt: false }],
    ['current is astray', facts, { mark: null, crashLoop: null, pointAt: home, dropsAttempt: false }],
    ['current is missing', { ...facts, current: null }, { mark: null, crashLoop: null, pointAt: home, dropsAttempt: false }],
    [
      'cut after "applied"',
      { ...facts, attempt: { ...attempt(1), sha256: 'a' }, current: home },
      { mark: null, crashLoop: null, pointAt: null, dropsAttempt: true },
    ],
    ['cut in the window, once', { ...facts, attempt: attempt(1) }, { mark: null, crashLoop: null, pointAt: home, dropsAttempt: false }],
    [
      'cut in the window, twice',
      { ...facts, attempt: attempt(2) },
      { mark: null, crashLoop: attempt(2), pointAt: home, dropsAttempt: true },
    ],
    [
      'cut after the verdict',
      { ...facts, attempt: attempt(1), failed: judged },
      { mark: null, crashLoop: null, pointAt: home, dropsAttempt: true },
    ],
    [
      'cut in a retry of one that had failed before',
      { ...facts, attempt: attempt(1, 1), failed: judged },
      { mark: null, crashLoop: null, pointAt: home, dropsAttempt: false },
    ],
    [
      'the same, twice',
      { ...facts, attempt: attempt(2, 1), failed: judged },
      { mark: null, crashLoop: attempt(2, 1), pointAt: home, dropsAttempt: true },
    ],
  ])('%s', (_name, given, plan) => expect(planRecovery(given)).toEqual(plan));
});

describe('the health window', () => {
  async function watch(states: readonly Partial<DaemonState>[], probes: readonly boolean[], before: DaemonState | null) {
    let nowMs = 0;
    let i = -1;
    const daemon: Daemon = {
      ...easyDaemon,
      state: async () => ({ isActive: true, mainPid: 1, restarts: 0, ...(states[Math.min(++i, states.length - 1)] ?? {}) }),
      probe: async () => (probes[Math.min(i, probes.length - 1)] ? good : bad('not yet')),
    };
    const sleep = async (ms: number): Promise<void> => {
      nowMs += ms;
    };
    const outcome = await watchHealth({ daemon, mark: 'm', expected: [], before }, HEALTH, { monoMs: () => nowMs, sleep });
    return { outcome, nowMs };
  }
  const before = { isActive: true, mainPid: 1, restarts: 0 };
  const nth = (n: number, there: Partial<DaemonState>): Partial<DaemonState>[] => [...Array<Partial<DaemonState>>(n).fill({}), there];

  it('is watched to its end, and three good looks there are enough', async () => {
    expect(await watch([{}], [true], before)).toEqual({ outcome: good, nowMs: 15_000 });
    expect((await watch([{}], [...Array<boolean>(13).fill(false), true], before)).outcome).toEqual(good);
    expect((await watch([{}], [...Array<boolean>(14).fill(false), true], before)).outcome).toMatchObject({ ok: false });
    expect((await watch([{}], [...Array<boolean>(15).fill(true), false], before)).outcome).toEqual(bad('not yet'));
  });

  it('notices a daemon that dies in second 14, however it comes back', async () => {
    expect((await watch(nth(14, { mainPid: 2 }), [true], before)).outcome).toMatchObject({
      ok: false,
      message: expect.stringContaining('main process'),
    });
    expect((await watch(nth(14, { restarts: 1 }), [true], before)).outcome).toMatchObject({
      ok: false,
      message: expect.stringContaining('start it again'),
    });
    expect((await watch(nth(14, { isActive: false }), [true], before)).outcome).toMatchObject({
      ok: false,
      message: 'the service does not run',
    });
  });

  it('gives a service that was not running time to start, but not to end again', async () => {
    expect((await watch([{ isActive: false }, { isActive: false }, {}], [true], null)).outcome).toEqual(good);
    expect((await watch([{ isActive: false }], [true], null)).outcome).toEqual(bad('the service does not run'));
  });

  it('says of one that is only seen between its starts that it ends again and again', async () => {
    const loop = Array.from({ length: 16 }, (_, i) => ({ isActive: false, restarts: 3 + Math.floor(i / 3) }));
    expect((await watch(loop, [true], null)).outcome).toEqual(bad('it ends again and again, started anew 5 times'));
  });
});
