import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PanelReply } from '#model/pull.ts';
import { envelope, reply } from '../../support/pull-world.ts';
import { pollerWorld } from './poller-world.ts';

const world = pollerWorld();

describe('poll', () => {
  const nest = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
  it.each([
    ['schema', '"schema":1', `"schema":${nest}`],
    ['a key that nobody knows', '{', `{"x":${nest},`],
  ])('a body nested without end in %s is refused, told and parked, not taken for a full disk', async (_name, from, to) => {
    world.identity.answers = [() => reply(200, JSON.stringify(envelope(1)).replace(from, to), { etag: '"deep"' }), () => reply(304)];
    world.poller.start();
    await world.clock.run(9000);
    expect(world.poller.facts().code).toBeNull();
    expect(world.refusals).toEqual([expect.stringContaining('nested deeper than 100')]);
    expect(world.identity.requests[1]).toMatchObject({ headers: { 'if-none-match': '"deep"' } });
  });

  it('brackets in a text are no depth', async () => {
    world.identity.answers = [() => reply(200, { ...envelope(1), epoch: '[{"\\'.repeat(40) }, { etag: '"b"' })];
    world.poller.start();
    await world.clock.run(3000);
    expect(world.store.fetched?.envelope.version).toBe(1);
  });

  it('asks for the first time after a random part of the interval, then at the interval', async () => {
    world.identity.answers = [() => reply(304)];
    world.poller.start();
    await world.clock.run(2499);
    expect(world.identity.requests.length).toBe(0);
    await world.clock.run(1);
    expect(world.identity.requests.length).toBe(1);
    expect(world.identity.requests[0]).toMatchObject({ method: 'GET', path: '/v1/lb/config', headers: { 'accept-encoding': 'identity' } });
  });

  it('echoes the tag as it came, weak and all, and an unchanged one costs nothing but the question', async () => {
    world.identity.answers = [() => reply(200, envelope(1), { etag: 'W/"v1"' }), () => reply(304)];
    world.poller.start();
    await world.clock.run(3000);
    const before = fs.statSync(path.join(world.dir, 'fetched.json')).ino;
    await world.clock.run(50_000);
    expect(world.identity.requests.slice(0, 3).map((r) => r.headers?.['if-none-match'])).toEqual([undefined, 'W/"v1"', 'W/"v1"']);
    expect(world.identity.requests.length).toBeGreaterThan(9);
    expect(fs.statSync(path.join(world.dir, 'fetched.json')).ino).toBe(before);
    expect(world.poller.facts()).toMatchObject({ failures: 0, code: null, lastStatus: 304 });
    expect(world.storedCount).toBe(1);
  });

  it('follows the interval that the panel gives', async () => {
    world.identity.answers = [() => reply(200, envelope(1, { poll_seconds: 60 }), { etag: '"a"' }), () => reply(304)];
    world.poller.start();
    await world.clock.run(2500 + 59_000);
    expect(world.identity.requests.length).toBe(1);
    await world.clock.run(2000);
    expect(world.identity.requests.length).toBe(2);
  });

  it('takes a 304 without a tag for a failure, and goes on without one', async () => {
    world.identity.answers = [() => reply(304)];
    world.poller.start();
    await world.clock.run(60_000);
    expect(world.poller.facts()).toMatchObject({ code: 'POL-304' });
    expect(world.identity.requests.length).toBeGreaterThan(2);
    expect(world.identity.requests.every((r) => r.headers?.['if-none-match'] === undefined)).toBe(true);
  });

  it.each<[string, PanelReply, string]>([
    ['a sign-in page', reply(200, '<html>', { 'content-type': 'text/html' }), 'POL-BODY'],
    ['no content type', { kind: 'reply', status: 200, headers: {}, body: '{}' }, 'POL-BODY'],
    ['half a body', reply(200, '{"schema":1,'), 'POL-BODY'],
    ['a cut connection', { kind: 'failed', fault: 'cut', message: 'x' }, 'POL-CUT'],
    ['a body over the limit', { kind: 'failed', fault: 'too_large', message: 'x' }, 'POL-SIZE'],
    [
      '1 MiB and one byte',
      reply(200, JSON.stringify(envelope(2, { config: { x: 'y'.repeat(1024 * 1024) } })), { etag: '"z"' }),
      'POL-BODY',
    ],
  ])('forgets the tag after %s, and keeps what is stored', async (_name, bad, code) => {
    world.identity.answers = [() => reply(200, envelope(1), { etag: '"a"' }), () => bad];
    world.poller.start();
    await world.clock.run(8000);
    expect(world.poller.facts().code).toBe(code);
    world.identity.answers = [() => reply(200, envelope(1), { etag: '"b"' }), () => reply(304)];
    await world.clock.run(60_000);
    const tags = world.tags();
    expect(tags.slice(0, 4)).toEqual([undefined, '"a"', undefined, '"b"']);
    expect(world.store.fetched?.envelope.version).toBe(1);
  });

  it.each([401, 403, 404, 410, 429, 500, 301, 422])('keeps configuration and tag at %i, and tells the identity', async (status) => {
    world.identity.answers = [() => reply(200, envelope(1), { etag: '"a"' }), () => reply(status)];
    world.poller.start();
    await world.clock.run(8000);
    expect(world.store.fetched?.etag).toBe('"a"');
    expect(world.identity.statuses).toEqual([200, status]);
    expect(world.poller.facts()).toMatchObject({ failures: 1, code: `POL-${status}`, lastStatus: status });
    await world.clock.run(3_700_000);
    expect(world.identity.requests.at(-1)?.headers?.['if-none-match']).toBe('"a"');
  });

  it('asks a panel that retired it once more, then hourly', async () => {
    world.identity.answers = [() => reply(410)];
    world.poller.start();
    await world.clock.run(2500 + 67_000);
    expect(world.identity.requests.length).toBe(2);
    await world.clock.run(3_500_000);
    expect(world.identity.requests.length).toBe(2);
    await world.clock.run(600_000);
    expect(world.identity.requests.length).toBe(3);
  });

  it('waits as long as Retry-After says', async () => {
    world.identity.answers = [() => reply(429, '', { 'retry-after': '120' }), () => reply(304)];
    world.poller.start();
    await world.clock.run(2500 + 131_000);
    expect(world.identity.requests.length).toBe(1);
    await world.clock.run(2000);
    expect(world.identity.requests.length).toBe(2);
  });

  it('says "unassigned" at 204 and keeps everything', async () => {
    world.identity.answers = [() => reply(200, envelope(1), { etag: '"a"' }), () => reply(204)];
    world.poller.start();
    await world.clock.run(8000);
    expect(world.poller.facts().isUnassigned).toBe(true);
    expect(world.store.fetched?.envelope.version).toBe(1);
    world.identity.answers = [() => reply(304)];
    await world.clock.run(8000);
    expect(world.poller.facts().isUnassigned).toBe(false);
  });

  it('stands still without an identity and starts when there is one', async () => {
    const { secret } = world.identity;
    world.identity.secret = null;
    world.identity.answers = [() => reply(304)];
    world.poller.start();
    await world.clock.run(600_000);
    expect(world.identity.requests.length).toBe(0);
    world.identity.secret = secret;
    world.identity.change();
    await world.clock.run(0);
    expect(world.identity.requests.length).toBe(1);
  });

  it('a change of the identity while it waits sends nothing', async () => {
    world.identity.answers = [() => reply(401)];
    world.poller.start();
    await world.clock.run(2500);
    for (let i = 0; i < 20; i++) world.identity.change();
    await world.clock.run(0);
    expect(world.identity.requests.length).toBe(1);
  });
});
