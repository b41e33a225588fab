import { expect, test } from 'vitest';
import type { FetchResult } from '#preseed/fetch.ts';
import { type FindPorts, findAnswers, kernelWordsOf } from '#preseed/find.ts';
import { devicesWithLabel, mountedAt } from '#preseed/find-ports.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const GOOD = 'role: appliance\nhostname: edge-1\n';

interface World {
  readonly line?: string;
  readonly files?: Readonly<Record<string, string | Error>>;
  /** Device to what is on it; an Error: it cannot be mounted. */
  readonly volumes?: Readonly<Record<string, Readonly<Record<string, string>> | Error>>;
  readonly fetched?: FetchResult;
}

function portsOf(world: World): { ports: FindPorts; log: string[]; fetches: string[] } {
  const log: string[] = [];
  const fetches: string[] = [];
  const files: Record<string, string | Error> = { ...world.files };
  const ports: FindPorts = {
    commandLine: async () => world.line ?? 'BOOT_IMAGE=/live/vmlinuz boot=live',
    volumes: async () => Object.keys(world.volumes ?? {}),
    withVolume: async (device, use) => {
      const content = world.volumes?.[device];
      if (content instanceof Error) throw content;
      for (const [name, text] of Object.entries(content ?? {})) files[`/mnt${device}/${name}`] = text;
      return use(`/mnt${device}`);
    },
    read: async (file) => {
      const text = files[file];
      if (text instanceof Error) throw text;
      return text === undefined ? null : encode(text);
    },
    fetch: async (url) => {
      fetches.push(url.href);
      return world.fetched ?? { ok: false, why: 'nobody answers' };
    },
    log: (text) => log.push(text),
  };
  return { ports, log, fetches };
}

const find = (world: World) => findAnswers(portsOf(world).ports);
const pin = 'a'.repeat(64);

test('nothing anywhere', async () => expect(await find({})).toEqual({ kind: 'none', skipped: [] }));

test('a kernel word is a whole word, and the last one counts', () => {
  expect(kernelWordsOf('xspatium.preseed=/a spatium.preseed=/b spatium.preseed=/c')).toEqual({ source: '/c', pin: null });
  expect(kernelWordsOf('spatium.preseed="/a b" spatium.preseed.sha256=ff')).toEqual({ source: '/a b', pin: 'ff' });
  expect(kernelWordsOf('quiet')).toEqual({ source: null, pin: null });
});

test('a path of the kernel word', async () => {
  expect(await find({ line: 'spatium.preseed=/cfg/a.yaml', files: { '/cfg/a.yaml': GOOD } })).toMatchObject({
    kind: 'adopted',
    source: '/cfg/a.yaml',
  });
});

test.each<readonly [string, World, RegExp]>([
  ['a path that is not there', { line: 'spatium.preseed=/nope' }, /does not exist/],
  ['an empty word', { line: 'spatium.preseed=' }, /names nothing/],
  ['a file without answers', { line: 'spatium.preseed=/a', files: { '/a': 'x: 1\n' } }, /cannot be used/],
  ['a file that cannot be read', { line: 'spatium.preseed=/a', files: { '/a': new Error('EIO') } }, /EIO/],
  ['plain http without a pin', { line: 'spatium.preseed=http://srv/a' }, /plain http needs/],
  ['a malformed pin', { line: 'spatium.preseed=https://srv/a spatium.preseed.sha256=zz' }, /64 hex digits/],
  ['a short pin', { line: `spatium.preseed=https://srv/a spatium.preseed.sha256=${'a'.repeat(63)}` }, /64 hex digits/],
  ['a path with the wrong pin', { line: `spatium.preseed=/a spatium.preseed.sha256=${pin}`, files: { '/a': GOOD } }, /not the pinned one/],
  ['another scheme', { line: 'spatium.preseed=ftp://srv/a' }, /neither a path nor/],
  ['a server that does not answer', { line: 'spatium.preseed=HTTPS://srv/a' }, /could not be fetched: nobody answers/],
  ['an empty file of ours on a volume', { volumes: { '/dev/sr1': { 'spatium-preseed.yaml': '' } } }, /cannot be used/],
  ['a broken file of ours on a volume', { volumes: { '/dev/sr1': { 'spatium-preseed.yml': 'a: b: c' } } }, /cannot be used/],
  [
    'broken user-data that names us',
    { volumes: { '/dev/sr1': { 'user-data': '#cloud-config\nspatium_preseed:\n\trole: x\n' } } },
    /cannot be used/,
  ],
])('%s halts', async (_name, world, reason) =>
  expect(await find(world)).toMatchObject({ kind: 'halt', reason: expect.stringMatching(reason) }),
);

test('an unpinned http URL is never fetched', async () => {
  const { ports, fetches } = portsOf({ line: 'spatium.preseed=http://srv/a' });
  await findAnswers(ports);
  expect(fetches).toEqual([]);
});

test('a fetched file is adopted, and credentials of the URL stay out of every text', async () => {
  const { ports, log } = portsOf({
    line: 'spatium.preseed=https://ops:planted@srv/a?token=planted',
    fetched: { ok: true, bytes: encode(GOOD) },
  });
  const found = await findAnswers(ports);
  expect(found).toMatchObject({ kind: 'adopted', source: 'https://srv/a?...' });
  expect(JSON.stringify(found) + log.join()).not.toContain('planted');
});

test('all volumes are looked at, and each says why it was passed over', async () => {
  const { ports, log } = portsOf({
    volumes: {
      '/dev/sda1': new Error('wrong fs type'),
      '/dev/sdb1': { 'user-data': '#cloud-config\nhostname: web-1\n' },
      '/dev/sdc1': { 'meta-data': '' },
      '/dev/sdd1': { 'user-data': `#cloud-config\nspatium_preseed:\n  role: appliance\n` },
      '/dev/sde1': { 'spatium-preseed.yaml': GOOD },
    },
  });
  const found = await findAnswers(ports);
  expect(found).toMatchObject({ kind: 'adopted', source: '/dev/sdd1:/user-data' });
  expect(found.skipped.map((s) => s.source)).toEqual(['/dev/sda1', '/dev/sdb1:/user-data', '/dev/sdc1']);
  expect(log).toHaveLength(4);
});

test('a cloud-config without our block is somebody else`s, and the medium comes last', async () => {
  const files = { '/run/live/medium/spatium-preseed.yaml': GOOD };
  const found = await find({ volumes: { '/dev/sr1': { 'user-data': '#cloud-config\nhostname: web-1\ntimezone: UTC\n' } }, files });
  expect(found).toMatchObject({ kind: 'adopted', source: '/run/live/medium/spatium-preseed.yaml' });
});

test('volumes by label, any letter case, at any depth', () => {
  const listing = JSON.stringify({
    blockdevices: [
      { path: '/dev/sdb', label: null, children: [{ path: '/dev/sdb1', label: 'CiData' }] },
      { path: '/dev/sr0', label: 'SPATIUMDDI' },
      { path: '/dev/sda', label: 'cidata' },
    ],
  });
  expect(devicesWithLabel(listing, 'CIDATA')).toEqual(['/dev/sda', '/dev/sdb1']);
});

test('a mounted volume is read where it is', () => {
  expect(mountedAt('/dev/sr1 /media/my\\040disc iso9660 ro 0 0\n', '/dev/sr1')).toBe('/media/my disc');
  expect(mountedAt('/dev/sr10 /media iso9660 ro 0 0\n', '/dev/sr1')).toBeNull();
});
