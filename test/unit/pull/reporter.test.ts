import { beforeEach, describe, expect, it } from 'vitest';
import type { StatusReport } from '#model/pull.ts';
import { type FailedConfig, NO_QUARANTINE, type Quarantine, type RefusedBody } from '#supervisor/apply/records.ts';
import { buildReport, failedOf, stateOf } from '#supervisor/pull/report.ts';
import { type KeptReport, Reporter } from '#supervisor/pull/reporter.ts';
import { stored } from '../../support/crash-world.ts';
import { FakeClock, FakeIdentity, reply } from '../../support/pull-world.ts';

const [one, two] = [stored(1, 'good'), stored(2, 'good')];
const failed: FailedConfig = {
  sha256: two.sha256,
  version: 2,
  phase: 'health',
  outcome: 'reverted',
  message: 'not well',
  failures: 3,
  retry_at: '2026-11-30T12:00:00.000Z',
  agent_version: '1',
  daemon_version: null,
};
const refused: RefusedBody = {
  etag: '"x"',
  sha256: 'r',
  version: null,
  phase: 'schema',
  message: 'no',
  agent_version: '1',
  device_id: 'd1',
};

describe('what is reported', () => {
  const store = (fetched: typeof one | null, applied: typeof one | null, quarantine: Quarantine = NO_QUARANTINE) => ({
    fetched,
    applied,
    quarantine,
  });
  it.each([
    ['idle', store(null, null), false, false],
    ['unassigned', store(one, one), false, true],
    ['applied', store(one, one), false, false],
    ['applied', store(null, one), false, false],
    ['applying', store(two, one), false, false],
    ['applying', store(two, one, { failed, refused: null }), true, false],
    ['failed', store(two, one, { failed, refused: null }), false, false],
    ['failed', store(one, one, { failed: null, refused }), false, false],
    ['applied', store(two, two, { failed, refused: null }), false, false],
  ] as const)('%s', (state, given, isApplying, isUnassigned) => expect(stateOf({ store: given, isApplying, isUnassigned })).toBe(state));

  it('tells the applied and the failed one at once', () => {
    const report = buildReport({
      bootId: 'b',
      agentVersion: '1',
      daemonVersion: null,
      uptimeS: 5,
      isClockSynced: null,
      store: store(two, one, { failed, refused: null }),
      isApplying: false,
      isUnassigned: false,
      update: undefined,
      warnings: ['a\u001bb'],
    });
    expect(report).toMatchObject({
      state: 'failed',
      applied_version: 1,
      applied_sha256: one.sha256,
      fetched_version: 2,
      warnings: ['a b'],
    });
    expect(report.failed).toEqual({
      version: 2,
      sha256: two.sha256,
      phase: 'health',
      outcome: 'reverted',
      message: 'not well',
      attempts: 3,
      retry_at: failed.retry_at,
    });
    expect('update' in report).toBe(false);
    expect(failedOf(store(two, one, { failed, refused }))?.version).toBeNull();
  });
});

describe('sending it', () => {
  let clock: FakeClock;
  let identity: FakeIdentity;
  let facts: Omit<StatusReport, 'seq'>;
  let kept: KeptReport | null;
  let saves: number;
  let logs: string[];
  const base = {
    boot_id: 'b',
    agent_version: '1',
    daemon_version: null,
    uptime_s: 1,
    clock_synced: null,
    applied_version: null,
    applied_sha256: null,
    fetched_version: null,
    state: 'idle',
    warnings: [],
  } as const;

  const open = (): Reporter =>
    new Reporter({
      identity,
      path: '/v1/lb/status',
      clock,
      build: async () => ({ ...facts, uptime_s: Math.floor(clock.nowMs / 1000) }),
      load: async () => kept,
      save: async (next) => {
        kept = next;
        saves += 1;
      },
      log: (text) => logs.push(text),
    });
  const bodies = (): StatusReport[] => identity.requests.map((r) => r.body as StatusReport);

  beforeEach(() => {
    clock = new FakeClock();
    identity = new FakeIdentity();
    identity.answers = [() => reply(204)];
    facts = base;
    kept = null;
    saves = 0;
    logs = [];
  });

  it('sends at once, keeps quiet while nothing changes, and says it again after five minutes with the same number', async () => {
    const reporter = open();
    reporter.start();
    await clock.run(200_000);
    for (let i = 0; i < 100; i++) reporter.touch();
    await clock.run(60_000);
    expect(bodies().length).toBe(1);
    expect(identity.requests[0]).toMatchObject({ method: 'POST', path: '/v1/lb/status' });
    await clock.run(100_000);
    expect(bodies().map((b) => b.seq)).toEqual([1, 1]);
    expect(bodies()[1]?.uptime_s).toBeGreaterThan(200);
    expect(saves).toBe(2);
    await reporter.stop();
  });

  it('sends only the newest of many changes, two seconds apart', async () => {
    const reporter = open();
    reporter.start();
    await clock.run(0);
    for (let version = 1; version <= 50; version++) {
      facts = { ...base, fetched_version: version };
      reporter.touch();
      await clock.run(100);
    }
    await clock.run(5000);
    expect(bodies().length).toBeLessThanOrEqual(5);
    expect(bodies().at(-1)).toMatchObject({ fetched_version: 50 });
    const seqs = bodies().map((b) => b.seq);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    await reporter.stop();
  });

  it('drops what the panel never takes, and says so once', async () => {
    identity.answers = [() => reply(422)];
    const reporter = open();
    reporter.start();
    await clock.run(200_000);
    expect(bodies().length).toBe(1);
    expect(logs).toEqual(['the panel does not take status report 1 (it answers 422); dropped']);
    await reporter.stop();
  });

  it.each([401, 403, 404, 408, 429, 500, 503])('goes on trying at %i, ever more slowly', async (status) => {
    identity.answers = [() => reply(status)];
    const reporter = open();
    reporter.start();
    await clock.run(3_600_000);
    expect(bodies().length).toBeGreaterThan(10);
    expect(bodies().length).toBeLessThan(40);
    expect(kept?.isSent).toBe(false);
    await reporter.stop();
  });

  it('after a restart sends what was not sent, under its number; a new boot counts anew', async () => {
    identity.answers = [() => reply(503)];
    facts = { ...base, applied_version: 7 };
    const first = open();
    first.start();
    await clock.run(1000);
    await first.stop();
    identity.answers = [() => reply(204)];
    identity.requests.length = 0;
    const second = open();
    second.start();
    await clock.run(1000);
    await second.stop();
    expect(bodies()).toMatchObject([{ seq: 1, applied_version: 7 }]);
    facts = { ...facts, boot_id: 'b2' };
    kept = kept && { ...kept, report: { ...kept.report, seq: 41 } };
    const third = open();
    third.start();
    await clock.run(1000);
    await third.stop();
    expect(bodies().at(-1)).toMatchObject({ seq: 1, boot_id: 'b2' });
  });

  it('waits when it is told to, and waits without an identity', async () => {
    const { secret } = identity;
    identity.secret = null;
    const reporter = open();
    reporter.start();
    await clock.run(1_000_000);
    expect(bodies().length).toBe(0);
    reporter.touch(20_000);
    identity.secret = secret;
    identity.change();
    await clock.run(19_000);
    expect(bodies().length).toBe(0);
    await clock.run(2000);
    expect(bodies().length).toBe(1);
    await reporter.stop();
  });
});
