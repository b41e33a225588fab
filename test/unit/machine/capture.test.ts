import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { CaptureError, readCapture, writeCapture } from '#machine/capture-file.ts';
import { machineSchema } from '#machine/capture-shape.ts';
import { demoMachine } from '#machine/demo-machine.gen.ts';
import type { Machine } from '#model/machine.ts';
import { judgeDisks } from '#rules/disks.ts';

const repo = path.resolve(import.meta.dirname, '../../..');
const dir = path.join(repo, 'test/fixtures/machines');
const names = fs.readdirSync(dir).filter((n) => n.endsWith('.json'));
const textOf = (name: string): string => fs.readFileSync(path.join(dir, name), 'utf8');
const schema: object = JSON.parse(fs.readFileSync(path.join(repo, 'schemas/machine.schema.json'), 'utf8'));
const valid = new Ajv2020().compile(schema);

it('the published schema is what the source says', () => expect(schema).toEqual(machineSchema()));

it('the rehearsal machine is its capture', () => expect(demoMachine).toEqual(JSON.parse(textOf('two-disks-uefi.json'))));

it('the rehearsal machine offers a choice and shows refusals', () => {
  const verdicts = judgeDisks(demoMachine);
  expect(verdicts.filter((v) => v.selectable).map((v) => v.kname)).toEqual(['sda', 'dm-0', 'nvme0n1']);
  expect(verdicts.filter((v) => !v.selectable).flatMap((v) => v.reasons.map((r) => r.code))).toEqual(
    expect.arrayContaining(['disk.live-medium', 'disk.multipath-path', 'disk.raid-member']),
  );
});

describe.each(names)('%s', (name) => {
  it('fits the schema and survives reading and writing', () => {
    expect(valid(JSON.parse(textOf(name))), JSON.stringify(valid.errors)).toBe(true);
    const machine = readCapture(textOf(name));
    expect(readCapture(writeCapture(machine))).toEqual(machine);
  });
});

/** Devices that each stand on the one before. */
const chain = (length: number) => {
  const like = (JSON.parse(textOf('own-reinstall.json')) as Machine).devices[0]!;
  const name = (i: number): string => `x${i}`;
  return Array.from({ length }, (_, i) => ({
    ...like,
    kname: name(i),
    path: `/dev/${name(i)}`,
    parents: i === 0 ? [] : [name(i - 1)],
    children: i === length - 1 ? [] : [name(i + 1)],
    links: [],
  }));
};

describe('a damaged capture', () => {
  const base = (): Record<string, unknown> => JSON.parse(textOf('own-reinstall.json'));
  const damaged = (change: (m: ReturnType<typeof base>) => void): string => {
    const m = base();
    change(m);
    return JSON.stringify(m);
  };
  const first = (m: Record<string, unknown>, list: string): Record<string, unknown> => (m[list] as Record<string, unknown>[])[0]!;

  it.each<[string, (m: Record<string, unknown>) => void, string]>([
    ['firmware missing', (m) => delete m['firmware'], 'firmware'],
    ['firmware unknown', (m) => (m['firmware'] = 'coreboot'), '"uefi" or "bios"'],
    ['size as text', (m) => (first(m, 'devices')['sizeBytes'] = '40'), 'devices[0].sizeBytes'],
    ['negative size', (m) => (first(m, 'devices')['sizeBytes'] = -1), 'devices[0].sizeBytes'],
    ['mount points as text', (m) => (first(m, 'devices')['mountpoints'] = '/'), 'devices[0].mountpoints'],
    ['an interface without a name', (m) => delete first(m, 'interfaces')['name'], 'interfaces[0].name'],
    ['a device that is null', (m) => ((m['devices'] as unknown[])[0] = null), 'devices[0]'],
    ['a slot C', (m) => ((first(m, 'installed')['slots'] as Record<string, unknown>[])[0]!['slot'] = 'C'), 'installed[0].slots[0].slot'],
    ['a product of text', (m) => (m['product'] = 'x'), 'product'],
    ['raw of numbers', (m) => (m['raw'] = { lsblk: 1 }), 'raw'],
  ])('%s: refused by reader and schema alike, naming the field', (_, change, field) => {
    const text = damaged(change);
    expect(() => readCapture(text)).toThrow(CaptureError);
    expect(() => readCapture(text)).toThrow(field);
    expect(() => readCapture(text)).toThrow('spatium machine');
    expect(valid(JSON.parse(text))).toBe(false);
  });

  it.each<[string, string, string]>([
    ['empty', '', 'empty'],
    ['cut off', textOf('own-reinstall.json').slice(0, 400), 'not JSON'],
    ['a list', '[]', 'object'],
    ['something else', '{"hello":1}', 'no "schema" field'],
    ['a later format', '{"schema":2}', 'format 2'],
    ['an lsblk listing', '{"blockdevices":[]}', 'machine import --lsblk'],
    ['an edge into nothing', damaged((m) => (first(m, 'devices')['children'] = ['nowhere'])), '"nowhere"'],
    [
      'two devices of one name',
      damaged((m) => (m['devices'] as unknown[]).push(first(m, 'devices'))),
      'two devices have the kname "loop0"',
    ],
  ])('%s', (_, text, words) => {
    expect(() => readCapture(text)).toThrow(CaptureError);
    expect(() => readCapture(text)).toThrow(words);
  });

  type Device = Record<string, unknown>;
  const devices = (change: (list: Device[], named: (kname: string) => Device) => void): string =>
    damaged((m) => {
      const list = m['devices'] as Device[];
      change(list, (kname) => list.find((d) => d['kname'] === kname)!);
    });
  const disk = base()['devices'] as Device[];
  const parent = disk.find((d) => (d['children'] as string[]).length > 0)!;
  const [top, part] = [parent['kname'] as string, (parent['children'] as string[])[0]!];

  it.each<[string, string, string]>([
    ['a ring of two', devices((_, named) => (named(part)['children'] = [top])), `"${top}" stands on itself`],
    ['a device on itself', devices((_, named) => (named(top)['parents'] = [top])), `"${top}" stands on itself`],
    ['one path twice', devices((_, named) => (named(part)['path'] = `/dev/${top}`)), `"${top}" and "${part}" have the same path`],
    ['a path that climbs', devices((_, named) => (named(top)['path'] = '/dev/../etc/passwd')), `path "/dev/../etc/passwd" of "${top}"`],
    ['a path outside /dev', devices((_, named) => (named(top)['path'] = '/etc/passwd')), `of "${top}" is no device node`],
    ['a path with a blank', devices((_, named) => (named(top)['path'] = '/dev/sda x')), `of "${top}" is no device node`],
    ['a path with a command', devices((_, named) => (named(top)['path'] = '/dev/sda;reboot')), `of "${top}" is no device node`],
    ['a path with a line end', devices((_, named) => (named(top)['path'] = '/dev/sda\n')), `of "${top}" is no device node`],
    ['a kernel name with a slash', devices((list) => (list[0]!['kname'] = '../sda')), 'kname "../sda"'],
    ['a link that climbs', devices((_, named) => (named(top)['links'] = ['/dev/disk/by-id/../../sdz'])), `of "${top}" is no name`],
    ['a link with a command', devices((_, named) => (named(top)['links'] = ['/dev/disk/by-id/$(id)'])), `of "${top}" is no name`],
    ['a tower of devices', devices((list) => list.push(...chain(100))), 'more than 64 levels'],
    ['more devices than any machine has', devices((list) => list.push(...chain(20_001))), 'at most 20000'],
  ])('%s: refused, naming the device', (_, text, words) => {
    expect(() => readCapture(text)).toThrow(CaptureError);
    expect(() => readCapture(text)).toThrow(words);
  });

  it.each(['/dev/mapper/vg0-my\\x2dvolume', '/dev/cciss/c0d0', '/dev/md/root_a', '/dev/mapper/360000#1'])('the path %s stands', (node) => {
    expect(readCapture(devices((_, named) => (named(top)['path'] = node))).devices.some((d) => d.path === node)).toBe(true);
  });

  it('unknown fields of a newer program are skipped', () => {
    const machine: Machine = readCapture(damaged((m) => (m['later'] = true)));
    expect(machine.devices.length).toBeGreaterThan(0);
  });
});
