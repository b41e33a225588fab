import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PanelReply } from '#model/pull.ts';
import { type ConfigStore, openStore } from '#supervisor/apply/store.ts';
import { Poller } from '#supervisor/pull/poller.ts';
import { easyKind, envelope, FakeClock, FakeIdentity, reply, storeFiles } from '../../support/pull-world.ts';
import { tempDir } from '../../support/temp.ts';

let dir = '';
let store: ConfigStore;
let clock: FakeClock;
let identity: FakeIdentity;
let poller: Poller;
let storedCount = 0;
let refusals: string[] = [];

async function open(): Promise<void> {
  store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
  poller = new Poller({
    identity,
    store,
    kind: easyKind('/nonexistent'),
    agentVersion: '1',
    clock,
    onStored: () => {
      storedCount += 1;
    },
    onRefused: (message) => refusals.push(message),
    onPolled: () => undefined,
  });
}

beforeEach(async () => {
  dir = tempDir();
  clock = new FakeClock();
  identity = new FakeIdentity();
  storedCount = 0;
  refusals = [];
  await open();
});
afterEach(async () => {
  await poller.stop();
  fs.rmSync(dir, { recursive: true, force: true });
});

describe('poll', () => {
  const nest = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
  it.each([
    ['schema', '"schema":1', `"schema":${nest}`],
    ['a key that nobody knows', '{', `{"x":${nest},`],
  ])('a body nested without end in %s is refused, told and parked, not taken for a full disk', async (_name, from, to) => {
    identity.answers = [() => reply(200, JSON.stringify(envelope(1)).replace(from, to), { etag: '"deep"' }), () => reply(304)];
    poller.start();
    await clock.run(9000);
    expect(poller.facts().code).toBeNull();
    expect(refusals).toEqual([expect.stringContaining('nested deeper than 100')]);
    expect(identity.requests[1]).toMatchObject({ headers: { 'if-none-match': '"deep"' } });
  });

  it('brackets in a text are no depth', async () => {
    identity.answers = [() => reply(200, { ...envelope(1), epoch: '[{"\\'.repeat(40) }, { etag: '"b"' })];
    poller.start();
    await clock.run(3000);
    expect(store.fetched?.envelope.version).toBe(1);
  });

  it('asks for the first time after a random part of the interval, then at the interval', async () => {
    identity.answers = [() => reply(304)];
    poller.start();
    await clock.run(2499);
    expect(identity.requests.length).toBe(0);
    await clock.run(1);
    expect(identity.requests.length).toBe(1);
    expect(identity.requests[0]).toMatchObject({ method: 'GET', path: '/v1/lb/config', headers: { 'accept-encoding': 'identity' } });
  });

  it('echoes the tag as it came, weak and all, and an unchanged one costs nothing but the question', async () => {
    identity.answers = [() => reply(200, envelope(1), { etag: 'W/"v1"' }), () => reply(304)];
    poller.start();
    await clock.run(3000);
    const before = fs.statSync(path.join(dir, 'fetched.json')).ino;
    await clock.run(50_000);
    expect(identity.requests.slice(0, 3).map((r) => r.headers?.['if-none-match'])).toEqual([undefined, 'W/"v1"', 'W/"v1"']);
    expect(identity.requests.length).toBeGreaterThan(9);
    expect(fs.statSync(path.join(dir, 'fetched.json')).ino).toBe(before);
    expect(poller.facts()).toMatchObject({ failures: 0, code: null, lastStatus: 304 });
    expect(storedCount).toBe(1);
  });

  it('follows the interval that the panel gives', async () => {
    identity.answers = [() => reply(200, envelope(1, { poll_seconds: 60 }), { etag: '"a"' }), () => reply(304)];
    poller.start();
    await clock.run(2500 + 59_000);
    expect(identity.requests.length).toBe(1);
    await clock.run(2000);
    expect(identity.requests.length).toBe(2);
  });

  it('takes a 304 without a tag for a failure, and goes on without one', async () => {
    identity.answers = [() => reply(304)];
    poller.start();
    await clock.run(60_000);
    expect(poller.facts()).toMatchObject({ code: 'POL-304' });
    expect(identity.requests.length).toBeGreaterThan(2);
    expect(identity.requests.every((r) => r.headers?.['if-none-match'] === undefined)).toBe(true);
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
    identity.answers = [() => reply(200, envelope(1), { etag: '"a"' }), () => bad];
    poller.start();
    await clock.run(8000);
    expect(poller.facts().code).toBe(code);
    identity.answers = [() => reply(200, envelope(1), { etag: '"b"' }), () => reply(304)];
    await clock.run(60_000);
    const tags = identity.requests.map((r) => r.headers?.['if-none-match']);
    expect(tags.slice(0, 4)).toEqual([undefined, '"a"', undefined, '"b"']);
    expect(store.fetched?.envelope.version).toBe(1);
  });

  it.each([401, 403, 404, 410, 429, 500, 301, 422])('keeps configuration and tag at %i, and tells the identity', async (status) => {
    identity.answers = [() => reply(200, envelope(1), { etag: '"a"' }), () => reply(status)];
    poller.start();
    await clock.run(8000);
    expect(store.fetched?.etag).toBe('"a"');
    expect(identity.statuses).toEqual([200, status]);
    expect(poller.facts()).toMatchObject({ failures: 1, code: `POL-${status}`, lastStatus: status });
    await clock.run(3_700_000);
    expect(identity.requests.at(-1)?.headers?.['if-none-match']).toBe('"a"');
  });

  it('asks a panel that retired it once more, then hourly', async () => {
    identity.answers = [() => reply(410)];
    poller.start();
    await clock.run(2500 + 67_000);
    expect(identity.requests.length).toBe(2);
    await clock.run(3_500_000);
    expect(identity.requests.length).toBe(2);
    await clock.run(600_000);
    expect(identity.requests.length).toBe(3);
  });

  it('waits as long as Retry-After says', async () => {
    identity.answers = [() => reply(429, '', { 'retry-after': '120' }), () => reply(304)];
    poller.start();
    await clock.run(2500 + 131_000);
    expect(identity.requests.length).toBe(1);
    await clock.run(2000);
    expect(identity.requests.length).toBe(2);
  });

  it('says "unassigned" at 204 and keeps everything', async () => {
    identity.answers = [() => reply(200, envelope(1), { etag: '"a"' }), () => reply(204)];
    poller.start();
    await clock.run(8000);
    expect(poller.facts().isUnassigned).toBe(true);
    expect(store.fetched?.envelope.version).toBe(1);
    identity.answers = [() => reply(304)];
    await clock.run(8000);
    expect(poller.facts().isUnassigned).toBe(false);
  });

  it('stands still without an identity and starts when there is one', async () => {
    const { secret } = identity;
    identity.secret = null;
    identity.answers = [() => reply(304)];
    poller.start();
    await clock.run(600_000);
    expect(identity.requests.length).toBe(0);
    identity.secret = secret;
    identity.change();
    await clock.run(0);
    expect(identity.requests.length).toBe(1);
  });

  it('a change of the identity while it waits sends nothing', async () => {
    identity.answers = [() => reply(401)];
    poller.start();
    await clock.run(2500);
    for (let i = 0; i < 20; i++) identity.change();
    await clock.run(0);
    expect(identity.requests.length).toBe(1);
  });
});

describe('a body that is refused', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['another schema', { schema: 2 }, 'schema is 2; this agent knows 1'],
    ['another kind', { kind: 's3' }, 'kind is "s3"; this appliance is lb'],
    ['another device', { device_id: 'd2' }, 'device_id is "d2"; this device is d1'],
    ['version 0', { version: 0 }, 'version is 0; it must be a whole number from 1'],
    ['a version as text', { version: '13' }, 'version is "13"'],
    ['an unsafe version', { version: 2 ** 53 }, 'version is'],
    ['no config', { config: undefined }, 'config is missing'],
    ['a config that the kind refuses', { config: { bad: true } }, 'bad: wanted no such key'],
  ])('%s: parked on its tag at the normal pace, and told', async (_name, change, words) => {
    identity.answers = [
      () => reply(200, envelope(1), { etag: '"good"' }),
      () => reply(200, envelope(2, change), { etag: '"bad"' }),
      () => reply(304),
    ];
    poller.start();
    await clock.run(13_000);
    expect(identity.requests.map((r) => r.headers?.['if-none-match'])).toEqual([undefined, '"good"', '"bad"']);
    expect(poller.facts()).toMatchObject({ failures: 0, code: null });
    expect(store.fetched?.envelope.version).toBe(1);
    expect(store.quarantine.refused).toMatchObject({ phase: 'schema', etag: '"bad"' });
    expect(store.quarantine.refused?.message).toContain(words);
    expect(refusals).toEqual([expect.stringContaining(words)]);
    // Over a restart too.
    await poller.stop();
    await open();
    identity.requests.length = 0;
    poller.start();
    await clock.run(3000);
    expect(identity.requests[0]?.headers?.['if-none-match']).toBe('"bad"');
  });

  it('from a panel without tags is told once, however often it comes', async () => {
    identity.answers = [() => reply(200, envelope(2, { config: { bad: true } }))];
    poller.start();
    await clock.run(30_000);
    expect(identity.requests.length).toBeGreaterThan(3);
    expect(refusals).toEqual(['version 2 refused: bad: wanted no such key']);
  });

  it('a lower version is refused; the next higher one clears that', async () => {
    identity.answers = [
      () => reply(200, envelope(5), { etag: '"5"' }),
      () => reply(200, envelope(4), { etag: '"4"' }),
      () => reply(200, envelope(6), { etag: '"6"' }),
      () => reply(304),
    ];
    poller.start();
    await clock.run(8000);
    expect(store.quarantine.refused).toMatchObject({ phase: 'version', version: 4 });
    await clock.run(5000);
    expect(store.quarantine.refused).toBeNull();
    expect(store.fetched?.envelope.version).toBe(6);
  });

  it('is asked for again by another version of the agent', async () => {
    identity.answers = [() => reply(200, envelope(1, { config: { bad: true } }), { etag: '"bad"' }), () => reply(304)];
    poller.start();
    await clock.run(3000);
    await poller.stop();
    await open();
    const newer = new Poller({
      identity,
      store,
      kind: easyKind('/nonexistent'),
      agentVersion: '2',
      clock,
      onStored: () => undefined,
      onRefused: () => undefined,
      onPolled: () => undefined,
    });
    identity.requests.length = 0;
    newer.start();
    await clock.run(3000);
    expect(identity.requests[0]?.headers?.['if-none-match']).toBeUndefined();
    await newer.stop();
  });

  it('the same number with other content is taken, with a warning', async () => {
    identity.answers = [
      () => reply(200, envelope(1), { etag: '"a"' }),
      () => reply(200, envelope(1, { config: { x: 1 } }), { etag: '"b"' }),
      () => reply(304),
    ];
    poller.start();
    await clock.run(8000);
    expect(poller.facts().isVersionReused).toBe(true);
    expect(store.fetched?.envelope.config).toEqual({ x: 1 });
    expect(storedCount).toBe(2);
  });
});

describe('what is on disk', () => {
  it('sends no tag for a body that is damaged, and keeps the damaged file aside', async () => {
    identity.answers = [() => reply(200, envelope(1), { etag: '"a"' }), () => reply(304)];
    poller.start();
    await clock.run(3000);
    await poller.stop();
    const file = path.join(dir, 'fetched.json');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('\\"version\\":1', '\\"version\\":7'));
    await open();
    expect(store.fetched).toBeNull();
    expect(fs.existsSync(`${file}.corrupt`)).toBe(true);
    identity.requests.length = 0;
    poller.start();
    await clock.run(3000);
    expect(identity.requests[0]?.headers?.['if-none-match']).toBeUndefined();
  });

  it('does not send the tag of another device, nor hold its version against ours', async () => {
    identity.answers = [
      () => reply(200, envelope(57), { etag: '"57"' }),
      () => reply(200, envelope(3, { device_id: 'd2' }), { etag: '"3"' }),
      () => reply(304),
    ];
    poller.start();
    await clock.run(3000);
    identity.id = 'd2';
    await clock.run(5000);
    expect(identity.requests[1]?.headers?.['if-none-match']).toBeUndefined();
    expect(store.fetched?.envelope.version).toBe(3);
    expect(store.quarantine.refused).toBeNull();
  });
});
