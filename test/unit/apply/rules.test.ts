import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { workFor } from '#supervisor/apply/applier.ts';
import { HEALTH, watchHealth } from '#supervisor/apply/health.ts';
import { dueInMs, failedWith, reportable } from '#supervisor/apply/quarantine.ts';
import { type Attempt, type FailedConfig, markOf, NO_QUARANTINE } from '#supervisor/apply/records.ts';
import { planRecovery, recover } from '#supervisor/apply/recover.ts';
import { applyConfig } from '#supervisor/apply/steps.ts';
import { type ConfigStore, openStore } from '#supervisor/apply/store.ts';
import { bad, type Daemon, type DaemonState, good } from '#supervisor/kinds/kind.ts';
import { sha256Of } from '#supervisor/pull/envelope.ts';
import { modelKind, stored } from '../../support/crash-world.ts';
import { easyDaemon, easyKind, storeFiles } from '../../support/pull-world.ts';
import { tempDir } from '../../support/temp.ts';

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

describe('steps, with real files', () => {
  let dir = '';
  let store: ConfigStore;
  const one = stored(1, 'good');
  const two = stored(2, 'good');
  const context = (daemon: Partial<Daemon> = {}) => ({
    store,
    kind: modelKind('/nonexistent'),
    daemon: { ...easyDaemon, ...daemon },
    pause: { monoMs: () => 0, sleep: async () => undefined },
    wallMs: () => NOW,
    agentVersion: '1',
    bootId: 'boot',
    health: { windowMs: 0, everyMs: 1, goodInARow: 1 },
  });
  beforeEach(async () => {
    dir = tempDir();
    store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
  });
  afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

  it('keeps this one and the one before, owner only, and nothing else', async () => {
    for (const config of [stored(3, 'good'), one, two]) expect(await applyConfig(context(), config, () => false)).toBe('applied');
    expect(fs.readdirSync(path.join(dir, 'gen')).sort()).toEqual([markOf(one.sha256), markOf(two.sha256)].sort());
    expect(fs.readlinkSync(path.join(dir, 'current'))).toBe(`gen/${markOf(two.sha256)}`);
    expect(fs.readdirSync(dir).sort()).toEqual(['applied.json', 'current', 'gen']);
    for (const name of ['applied.json', 'current/nature', 'current/sub/mark'])
      expect(fs.statSync(path.join(dir, name)).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.join(dir, 'gen')).mode & 0o777).toBe(0o700);
  });

  it('the checker fails with exit 1 and says nothing: the running one was not touched', async () => {
    await applyConfig(context(), one, () => false);
    let reloads = 0;
    const daemon = {
      check: async () => bad(''),
      reload: async () => {
        reloads += 1;
        return good;
      },
    };
    expect(await applyConfig(context(daemon), two, () => false)).toBe('failed');
    expect(reloads).toBe(0);
    expect(store.quarantine.failed).toMatchObject({ phase: 'validate', outcome: 'not_started', message: '', version: 2 });
    expect(fs.existsSync(path.join(dir, 'attempt.json'))).toBe(false);
  });

  it('is called off before the swap by something newer, never after it', async () => {
    expect(await applyConfig(context(), one, () => true)).toBe('superseded');
    expect(fs.existsSync(path.join(dir, 'current'))).toBe(false);
    let isSuperseded = false;
    const daemon = {
      reload: async () => {
        isSuperseded = true;
        return good;
      },
    };
    expect(await applyConfig(context(daemon), one, () => isSuperseded)).toBe('applied');
  });

  it('a disk that is full at any write leaves the running one running, with a verdict', async () => {
    await applyConfig(context(), one, () => false);
    for (let n = 0; n < 12; n++) {
      let left = n;
      const full = async (): Promise<never> => {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      };
      const tight: typeof storeFiles = { ...storeFiles, write: (...args) => (left-- > 0 ? storeFiles.write(...args) : full()) };
      const there = await openStore({ dir, emptyDir: '/nonexistent' }, tight, 'lb');
      const end = await applyConfig({ ...context(), store: there }, two, () => false);
      const current = fs.readlinkSync(path.join(dir, 'current'));
      if (end === 'applied') expect(current).toBe(`gen/${markOf(two.sha256)}`);
      else expect([end, current, there.quarantine.failed?.sha256]).toEqual(['failed', `gen/${markOf(one.sha256)}`, two.sha256]);
      if (end === 'applied') break;
      expect(n).toBeLessThan(11);
    }
  });

  it('moves damaged files aside, and finds the last good one again from its own file', async () => {
    await applyConfig(context(), one, () => false);
    fs.rmSync(path.join(dir, 'gen'), { recursive: true });
    for (const name of ['attempt.json', 'quarantine.json', 'fetched.json']) fs.writeFileSync(path.join(dir, name), '{"half');
    store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
    expect(
      fs
        .readdirSync(dir)
        .filter((n) => n.endsWith('.corrupt'))
        .sort(),
    ).toEqual(['attempt.json.corrupt', 'fetched.json.corrupt', 'quarantine.json.corrupt']);
    await recover(store, modelKind('/nonexistent'), same, NOW);
    expect(fs.readFileSync(path.join(dir, 'current/sub/mark'), 'utf8')).toBe(markOf(one.sha256));
  });

  it('keeps what runs when only the record of it is lost, and falls back to it', async () => {
    await applyConfig(context(), one, () => false);
    fs.writeFileSync(path.join(dir, 'applied.json'), '{"half');
    store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
    expect(await recover(store, modelKind('/nonexistent'), same, NOW)).toEqual({ done: [], hasMoved: false });
    let reloads = 0;
    const fails = { reload: async () => (++reloads === 1 ? bad('no') : good) };
    expect(await applyConfig(context(fails), two, () => false)).toBe('failed');
    expect(store.quarantine.failed?.outcome).toBe('reverted');
    expect(fs.readFileSync(path.join(dir, 'current/sub/mark'), 'utf8')).toBe(markOf(one.sha256));
    const kind = modelKind('/nonexistent');
    const listening = {
      ...kind,
      prepare: (config: unknown) => {
        const made = kind.prepare(config);
        return made.ok ? { ...made, prepared: { ...made.prepared, listens: [{ address: null, port: 80 }] } } : made;
      },
    };
    // The port may be held by the daemon itself.
    const check = async (_: string, places: readonly unknown[]) => (places.length === 0 ? good : bad('taken'));
    expect(await applyConfig({ ...context({ check }), kind: listening }, stored(3, 'good'), () => false)).toBe('applied');
  });

  it.each(['attempt.json', 'quarantine.json'])('does not take for well what %s speaks against', async (name) => {
    await applyConfig(context(), one, () => false);
    fs.rmSync(path.join(dir, 'applied.json'));
    const failed = failedWith({ ...verdict, sha256: one.sha256 }, null, same, NOW);
    const text = name === 'attempt.json' ? '{"half' : JSON.stringify({ failed, refused: null });
    fs.writeFileSync(path.join(dir, name), text);
    store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
    expect((await recover(store, modelKind('/nonexistent'), same, NOW)).hasMoved).toBe(true);
    expect(fs.readlinkSync(path.join(dir, 'current'))).toBe('/nonexistent');
  });

  it('reads back whatever it has taken: the largest body, and none that could not be read', async () => {
    const body = `{${'\n'.repeat(1024 ** 2 - 100)}"schema":1,"kind":"lb","device_id":"d1","version":1,"config":{}}`;
    const large = { ...one, body, sha256: sha256Of(body), envelope: JSON.parse(body) };
    await store.putApplied(large, 'now');
    expect((await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb')).applied).toEqual(large);
    await expect(store.putApplied({ ...large, body: 'x'.repeat(9 * 1024 ** 2) }, 'now')).rejects.toThrow(/over/);
    expect((await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb')).applied).toEqual(large);
  });

  it('leads to the configuration of the image when there was never a good one', async () => {
    expect((await recover(store, easyKind('/nonexistent'), same, NOW)).hasMoved).toBe(true);
    expect(fs.readlinkSync(path.join(dir, 'current'))).toBe('/nonexistent');
    expect((await recover(store, easyKind('/nonexistent'), same, NOW)).done).toEqual([]);
  });
});
