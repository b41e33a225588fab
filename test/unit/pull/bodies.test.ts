/** Bodies that the poller does not take, and what it finds on the disk. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { envelope, reply } from '../../support/pull-world.ts';
import { pollerWorld } from './poller-world.ts';

const world = pollerWorld();

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
    world.identity.answers = [
      () => reply(200, envelope(1), { etag: '"good"' }),
      () => reply(200, envelope(2, change), { etag: '"bad"' }),
      () => reply(304),
    ];
    world.poller.start();
    await world.clock.run(13_000);
    expect(world.tags()).toEqual([undefined, '"good"', '"bad"']);
    expect(world.poller.facts()).toMatchObject({ failures: 0, code: null });
    expect(world.store.fetched?.envelope.version).toBe(1);
    expect(world.store.quarantine.refused).toMatchObject({ phase: 'schema', etag: '"bad"' });
    expect(world.store.quarantine.refused?.message).toContain(words);
    expect(world.refusals).toEqual([expect.stringContaining(words)]);
    // Over a restart too.
    await world.restart();
    await world.clock.run(3000);
    expect(world.identity.requests[0]?.headers?.['if-none-match']).toBe('"bad"');
  });

  it('from a panel without tags is told once, however often it comes', async () => {
    world.identity.answers = [() => reply(200, envelope(2, { config: { bad: true } }))];
    world.poller.start();
    await world.clock.run(30_000);
    expect(world.identity.requests.length).toBeGreaterThan(3);
    expect(world.refusals).toEqual(['version 2 refused: bad: wanted no such key']);
  });

  it('a lower version is refused; the next higher one clears that', async () => {
    world.identity.answers = [
      () => reply(200, envelope(5), { etag: '"5"' }),
      () => reply(200, envelope(4), { etag: '"4"' }),
      () => reply(200, envelope(6), { etag: '"6"' }),
      () => reply(304),
    ];
    world.poller.start();
    await world.clock.run(8000);
    expect(world.store.quarantine.refused).toMatchObject({ phase: 'version', version: 4 });
    await world.clock.run(5000);
    expect(world.store.quarantine.refused).toBeNull();
    expect(world.store.fetched?.envelope.version).toBe(6);
  });

  it('is asked for again by another version of the agent', async () => {
    world.identity.answers = [() => reply(200, envelope(1, { config: { bad: true } }), { etag: '"bad"' }), () => reply(304)];
    world.poller.start();
    await world.clock.run(3000);
    await world.restart('2');
    await world.clock.run(3000);
    expect(world.identity.requests[0]?.headers?.['if-none-match']).toBeUndefined();
  });

  it('the same number with other content is taken, with a warning', async () => {
    world.identity.answers = [
      () => reply(200, envelope(1), { etag: '"a"' }),
      () => reply(200, envelope(1, { config: { x: 1 } }), { etag: '"b"' }),
      () => reply(304),
    ];
    world.poller.start();
    await world.clock.run(8000);
    expect(world.poller.facts().isVersionReused).toBe(true);
    expect(world.store.fetched?.envelope.config).toEqual({ x: 1 });
    expect(world.storedCount).toBe(2);
  });
});

describe('what is on disk', () => {
  it('sends no tag for a body that is damaged, and keeps the damaged file aside', async () => {
    world.identity.answers = [() => reply(200, envelope(1), { etag: '"a"' }), () => reply(304)];
    world.poller.start();
    await world.clock.run(3000);
    await world.poller.stop();
    const file = path.join(world.dir, 'fetched.json');
    fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace('\\"version\\":1', '\\"version\\":7'));
    await world.open();
    expect(world.store.fetched).toBeNull();
    expect(fs.existsSync(`${file}.corrupt`)).toBe(true);
    world.identity.requests.length = 0;
    world.poller.start();
    await world.clock.run(3000);
    expect(world.identity.requests[0]?.headers?.['if-none-match']).toBeUndefined();
  });

  it('does not send the tag of another device, nor hold its version against ours', async () => {
    world.identity.answers = [
      () => reply(200, envelope(57), { etag: '"57"' }),
      () => reply(200, envelope(3, { device_id: 'd2' }), { etag: '"3"' }),
      () => reply(304),
    ];
    world.poller.start();
    await world.clock.run(3000);
    world.identity.id = 'd2';
    await world.clock.run(5000);
    expect(world.identity.requests[1]?.headers?.['if-none-match']).toBeUndefined();
    expect(world.store.fetched?.envelope.version).toBe(3);
    expect(world.store.quarantine.refused).toBeNull();
  });
});
