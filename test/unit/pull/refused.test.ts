/** What the panel's refusals make of the pace, also after a restart. */
import { beforeEach, expect, it } from 'vitest';
import type { IdentityState, StatusReport } from '#model/pull.ts';
import { Reporter } from '#supervisor/pull/reporter.ts';
import { atEnd } from '../../support/at-end.ts';
import { FakeIdentity, reply } from '../../support/pull-world.ts';
import { pollerWorld } from './poller-world.ts';

const MINUTE_MS = 60_000;

class Refused extends FakeIdentity {
  verdict: IdentityState = 'active';
  override readonly state = () => this.verdict as 'active';
}

const world = pollerWorld();
let identity: Refused;
beforeEach(async () => {
  identity = new Refused();
  world.identity = identity;
  await world.open();
});

it.each<[IdentityState, number, number]>([
  ['retired', 410, 60],
  ['revoked', 401, 2.5],
  ['revoked', 403, 2.5],
  ['revoked', 404, 2.5],
])('%s from before the restart: asked once, then not for the usual pause after a %i', async (verdict, status, minutes) => {
  identity.verdict = verdict;
  identity.answers = [() => reply(status)];
  world.poller.start();
  await world.clock.run(5000);
  expect(identity.requests).toHaveLength(1);
  await world.clock.run(minutes * MINUTE_MS - 5000);
  expect(identity.requests).toHaveLength(1);
  await world.clock.run(minutes * MINUTE_MS);
  expect(identity.requests.length).toBeGreaterThan(1);
});

it('a panel in trouble is asked at the usual backoff, whatever it said before', async () => {
  identity.verdict = 'revoked';
  identity.answers = [() => reply(503)];
  world.poller.start();
  await world.clock.run(30_000);
  expect(identity.requests.length).toBeGreaterThan(2);
});

it('a retired box sends no report, and one as soon as it is taken again', async () => {
  identity.verdict = 'retired';
  identity.answers = [() => reply(204)];
  const facts = { boot_id: 'b', uptime_s: 1, warnings: [] } as unknown as Omit<StatusReport, 'seq'>;
  const reporter = new Reporter({
    identity,
    path: '/v1/lb/status',
    clock: world.clock,
    log: () => undefined,
    build: async () => facts,
    load: async () => null,
    save: async () => undefined,
  });
  reporter.start();
  atEnd(() => reporter.stop());
  await world.clock.run(60 * MINUTE_MS);
  expect(identity.requests).toEqual([]);
  identity.verdict = 'active';
  identity.change();
  await world.clock.run(5000);
  expect(identity.requests).toHaveLength(1);
});
