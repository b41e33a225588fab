import { describe, expect, it } from 'vitest';
import { type FindPorts, findAnswerFile } from '#preseed/find.ts';
import { mountedAt } from '#preseed/find-ports.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const GOOD = 'spatium_preseed:\n  hostname: cp-01\n';
const OTHER = 'spatium_preseed:\n  hostname: cp-02\n';
const CLOUD = '#cloud-config\nhostname: web.example.org\ntimezone: UTC\n';

interface World {
  readonly cmdline?: string;
  readonly volumes?: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly urls?: Readonly<Record<string, string>>;
}

function ports(world: World, asked: string[] = []): FindPorts {
  return {
    cmdline: world.cmdline ?? 'boot=live quiet',
    volumes: Object.keys(world.volumes ?? {}),
    readVolume: async (device, names) => {
      const files = world.volumes?.[device];
      if (files === undefined || typeof files === 'string') return { why: files ?? 'gone' };
      return new Map(names.filter((name) => name in files).map((name) => [name, bytes(files[name] ?? '')]));
    },
    readFile: async (file) => (world.files && file in world.files ? { ok: true, bytes: bytes(world.files[file] ?? '') } : null),
    fetchUrl: async (url, pin) => {
      asked.push(`${url} ${pin}`);
      return world.urls && url in world.urls ? { ok: true, bytes: bytes(world.urls[url] ?? '') } : { ok: false, why: 'HTTP 404' };
    },
  };
}

const find = (world: World) => findAnswerFile(ports(world));

describe('where answers come from', () => {
  it('takes the kernel word before a volume, and a volume before the medium', async () => {
    const world = {
      volumes: { '/dev/sr1': { 'spatium-preseed.yaml': OTHER } },
      files: { '/a.yaml': GOOD, '/etc/spatium-preseed.yaml': GOOD },
    };
    expect(await find({ ...world, cmdline: 'x spatium.preseed=/a.yaml' })).toMatchObject({
      kind: 'found',
      source: 'spatium.preseed=/a.yaml',
    });
    expect(await find(world)).toMatchObject({ kind: 'found', source: 'CIDATA volume /dev/sr1, spatium-preseed.yaml' });
    expect(await find({ files: world.files })).toMatchObject({ kind: 'found', source: '/etc/spatium-preseed.yaml' });
    expect(await find({})).toEqual({ kind: 'none', skipped: [] });
  });

  it('looks at every volume and tells why one was passed over', async () => {
    const found = await find({
      volumes: {
        '/dev/sda1': 'cannot be mounted: bad superblock',
        '/dev/sdb1': {},
        '/dev/sdc1': { 'user-data': CLOUD },
        '/dev/sdd1': { 'spatium-preseed.yml': GOOD },
      },
    });
    expect(found).toMatchObject({ kind: 'found', source: 'CIDATA volume /dev/sdd1, spatium-preseed.yml' });
    expect(found.skipped.map((s) => s.source)).toEqual([
      'CIDATA volume /dev/sda1',
      'CIDATA volume /dev/sdb1',
      'CIDATA volume /dev/sdc1, user-data',
    ]);
  });

  it('takes user-data only by its wrapper', async () => {
    expect(await find({ volumes: { '/dev/sr1': { 'user-data': CLOUD } } })).toMatchObject({ kind: 'none' });
    expect(await find({ volumes: { '/dev/sr1': { 'user-data': `#cloud-config\n${GOOD}` } } })).toMatchObject({ kind: 'found' });
  });

  it('never picks between two volumes that answer differently', async () => {
    const two = (second: string) => ({
      volumes: { '/dev/sr1': { 'spatium-preseed.yaml': GOOD }, '/dev/sr2': { 'spatium-preseed.yaml': second } },
    });
    expect(await find(two(OTHER))).toMatchObject({ kind: 'halt', reasons: [expect.stringContaining('answers differently')] });
    expect(await find(two(GOOD))).toMatchObject({ kind: 'found' });
  });

  it.each([
    ['a path that is not there', 'spatium.preseed=/gone.yaml', /no such file/],
    ['no value', 'spatium.preseed=', /no value/],
    ['a URL that does not answer', 'spatium.preseed=https://h.example/a', /HTTP 404/],
    ['a pin that is no SHA-256', 'spatium.preseed=https://h.example/a spatium.preseed.sha256=abc', /64 hexadecimal/],
    ['an empty pin', 'spatium.preseed=https://h.example/a spatium.preseed.sha256=', /64 hexadecimal/],
    ['a file without answers', 'spatium.preseed=/c.yaml', /spatium|known|answer/i],
  ])('halts on a kernel word with %s, though a volume would answer', async (_, cmdline, reason) => {
    const found = await find({ cmdline, files: { '/c.yaml': 'a: 1\n' }, volumes: { '/dev/sr1': { 'spatium-preseed.yaml': GOOD } } });
    expect(found.kind).toBe('halt');
    expect(found.kind === 'halt' && found.reasons.join()).toMatch(reason);
  });

  it('reads the last word of that very name, and hands on the pin in lower case', async () => {
    const asked: string[] = [];
    const pin = 'AB'.repeat(32);
    const cmdline = `notspatium.preseed=/x spatium.preseed=/old spatium.preseed=HTTPS://h.example/a spatium.preseed.sha256=${pin}`;
    const world = { cmdline, urls: { 'HTTPS://h.example/a': GOOD } };
    expect(await findAnswerFile(ports(world, asked))).toMatchObject({ kind: 'found' });
    expect(asked).toEqual([`HTTPS://h.example/a ${pin.toLowerCase()}`]);
  });

  it('halts on an explicit file that is no mapping, with its place', async () => {
    const found = await find({ volumes: { '/dev/sr1': { 'spatium-preseed.yaml': '- a\n- b\n' } } });
    expect(found).toMatchObject({ kind: 'halt', reasons: [expect.stringMatching(/^line 1/)] });
  });
});

describe('what is never told or passed over', () => {
  const URL_WITH_SECRETS = 'https://ops:planted@srv/a?token=planted';

  it('keeps credentials of a URL out of the source', async () => {
    const found = await find({ cmdline: `spatium.preseed=${URL_WITH_SECRETS}`, urls: { [URL_WITH_SECRETS]: GOOD } });
    expect(found).toMatchObject({ kind: 'found', source: 'spatium.preseed=https://srv/a?...' });
    expect(JSON.stringify(found)).not.toContain('planted');
  });

  it('halts on broken user-data that names this installer', async () => {
    const broken = '#cloud-config\nspatium_preseed:\n\trole: appliance\n';
    expect(await find({ volumes: { '/dev/sr1': { 'user-data': broken } } })).toMatchObject({ kind: 'halt' });
    expect(await find({ volumes: { '/dev/sr1': { 'user-data': '#!/bin/sh\n: {\n' } } })).toMatchObject({ kind: 'none' });
  });

  it('checks the pin of a path too', async () => {
    const cmdline = `spatium.preseed=/a.yaml spatium.preseed.sha256=${'a'.repeat(64)}`;
    expect(await find({ cmdline, files: { '/a.yaml': GOOD } })).toMatchObject({
      kind: 'halt',
      reasons: [expect.stringContaining('the pin says')],
    });
  });

  it('reads a word in quotes, and only a whole word', async () => {
    expect(await find({ cmdline: 'spatium.preseed="/a b.yaml"', files: { '/a b.yaml': GOOD } })).toMatchObject({ kind: 'found' });
    expect(await find({ cmdline: 'xspatium.preseed=/a.yaml', files: { '/a.yaml': GOOD } })).toMatchObject({ kind: 'none' });
  });

  it('reads a volume where it is mounted already', () => {
    expect(mountedAt('40 1 11:1 / /media/my\\040disc ro - iso9660 /dev/sr1 ro\n', '/dev/sr1')).toBe('/media/my disc');
    expect(mountedAt('40 1 11:10 / /media ro - iso9660 /dev/sr10 ro\n', '/dev/sr1')).toBeNull();
  });
});
