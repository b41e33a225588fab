import { describe, expect, it } from 'vitest';
import { listingGaps, machineFromLsblk } from '#machine/from-lsblk.ts';
import { CaptureError } from '#machine/lsblk-json.ts';
import type { BlockDevice } from '#model/machine.ts';

const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));
const devices = (value: unknown): readonly BlockDevice[] => machineFromLsblk(bytesOf(value), { firmware: 'uefi' }).devices;
const only = (row: Record<string, unknown>): BlockDevice =>
  devices({ blockdevices: [{ kname: 'sda', type: 'disk', size: 1, ...row }] })[0]!;

describe('values of any util-linux', () => {
  it('2.33 prints text, newer ones numbers and booleans: both read alike', () => {
    const old = only({ size: '42949672960', rm: '1', ro: '0', rota: '1', 'log-sec': '512', mountpoint: '/mnt' });
    const now = only({ size: 42949672960, rm: true, ro: false, rota: true, 'log-sec': 512, mountpoints: ['/mnt', null] });
    expect(old).toEqual(now);
    expect(now).toMatchObject({ sizeBytes: 42949672960, removable: true, readOnly: false, rotational: true, mountpoints: ['/mnt'] });
  });

  it('blanks are dropped and empty text is unknown', () =>
    expect(only({ vendor: 'QEMU    ', model: '  ', serial: '' })).toMatchObject({ vendor: 'QEMU', model: null, serial: null }));

  it('keeps two mount points once each', () =>
    expect(only({ mountpoint: '/a', mountpoints: ['/a', '/b'] }).mountpoints).toEqual(['/a', '/b']));

  it('a list of one, written as text, is that one mount point', () => expect(only({ mountpoints: '/' }).mountpoints).toEqual(['/']));

  it('the link column of 2.41 becomes a by-id link', () => expect(only({ 'id-link': 'ata-X' }).links).toEqual(['/dev/disk/by-id/ata-X']));

  it('what no column says stays unknown', () =>
    expect(only({})).toMatchObject({ rotational: null, logicalSectorBytes: null, transport: null, wwn: null, fsType: null, links: [] }));
});

describe('the graph', () => {
  it('a device under two parents comes once, with both', () => {
    const map = {
      name: 'mpatha',
      kname: 'dm-0',
      type: 'mpath',
      size: 9,
      children: [{ name: 'mpatha-part3', kname: 'dm-1', type: 'part', size: 5 }],
    };
    const rows = ['sda', 'sdb'].map((kname) => ({ name: kname, kname, type: 'disk', size: 9, children: [map] }));
    const found = devices({ blockdevices: rows });
    expect(found.map((d) => [d.kname, d.parents, d.children])).toEqual([
      ['sda', [], ['dm-0']],
      ['dm-0', ['sda', 'sdb'], ['dm-1']],
      ['dm-1', ['dm-0'], []],
      ['sdb', [], ['dm-0']],
    ]);
    expect(found[1]?.path).toBe('/dev/mapper/mpatha');
    expect(found[2]?.partNumber).toBe(3);
  });

  it('a listing without KNAME (plain lsblk -J -b) gives kernel names by type and number', () => {
    const rows = [
      {
        name: 'sda',
        'maj:min': '8:0',
        type: 'disk',
        size: 9,
        children: [
          {
            name: 'mpatha',
            'maj:min': '253:4',
            type: 'mpath',
            size: 9,
            children: [{ name: 'mpatha1', 'maj:min': '253:5', type: 'part', size: 1 }],
          },
        ],
      },
      {
        name: 'nvme0n1',
        'maj:min': '259:0',
        type: 'disk',
        size: 9,
        children: [{ name: 'nvme0n1p2', 'maj:min': '259:2', type: 'part', size: 1 }],
      },
    ];
    expect(devices({ blockdevices: rows }).map((d) => [d.kname, d.path, d.partNumber])).toEqual([
      ['sda', '/dev/sda', null],
      ['dm-4', '/dev/mapper/mpatha', null],
      ['dm-5', '/dev/mapper/mpatha1', 1],
      ['nvme0n1', '/dev/nvme0n1', null],
      ['nvme0n1p2', '/dev/nvme0n1p2', 2],
    ]);
  });

  it('a flat listing (-l) is joined by PKNAME, a path listing (-p) by name', () => {
    const flat = [
      { name: '/dev/sda', kname: '/dev/sda', pkname: null, type: 'disk', size: 9 },
      { name: '/dev/sda1', kname: '/dev/sda1', pkname: '/dev/sda', type: 'part', size: 1 },
    ];
    const [disk, part] = devices({ blockdevices: flat });
    expect(disk).toMatchObject({ kname: 'sda', path: '/dev/sda', children: ['sda1'] });
    expect(part?.parents).toEqual(['sda']);
  });

  it('a controller name with a slash', () => expect(only({ kname: 'cciss!c0d0' }).path).toBe('/dev/cciss/c0d0'));

  it('the same as lsblk prints it, with its partition', () => {
    const child = { kname: 'cciss/c0d0p1', pkname: 'cciss/c0d0', type: 'part', size: 1 };
    const found = devices({ blockdevices: [{ kname: 'cciss/c0d0', type: 'disk', size: 2, children: [child] }] });
    expect(found.map(({ kname, path, parents }) => [kname, path, parents])).toEqual([
      ['cciss!c0d0', '/dev/cciss/c0d0', []],
      ['cciss!c0d0p1', '/dev/cciss/c0d0p1', ['cciss!c0d0']],
    ]);
  });

  it('the live medium is the whole stack below the mount', () => {
    const loop = { kname: 'loop0', type: 'loop', size: 1, mountpoint: '/run/live/medium' };
    const m = machineFromLsblk(
      bytesOf({
        blockdevices: [
          { kname: 'sda', type: 'disk', size: 9, children: [{ kname: 'sda1', type: 'part', size: 8, children: [loop] }] },
          { kname: 'sdb', type: 'disk', size: 9 },
        ],
      }),
      { firmware: 'bios' },
    );
    expect(m.liveMedium).toEqual(['sda', 'sda1', 'loop0']);
  });
});

describe('bytes', () => {
  const listing = (serial: Uint8Array): Uint8Array => {
    const [before = '', after = ''] = JSON.stringify({ blockdevices: [{ kname: 'sda', type: 'disk', size: 1, serial: 'HERE' }] }).split(
      'HERE',
    );
    return Uint8Array.from([...bytesOf(before), ...serial, ...bytesOf(after)]);
  };
  const serialOf = (serial: readonly number[]): string | null | undefined =>
    machineFromLsblk(listing(Uint8Array.from(serial)), { firmware: 'uefi' }).devices[0]?.serial;

  it('stray bytes stay apart: two serials never become one', () => {
    expect(serialOf([0x41, 0xff, 0x42])).toBe('A\\xffB');
    expect(serialOf([0x41, 0xfe, 0x42])).toBe('A\\xfeB');
    expect(serialOf([0x41, 0xc3])).toBe('A\\xc3');
    expect(serialOf([0xe2, 0x82, 0x41])).toBe('\\xe2\\x82A');
    expect(serialOf([0xed, 0xa0, 0x80])).toBe('\\xed\\xa0\\x80');
  });
  it('valid UTF-8 beside a stray byte survives', () => expect(serialOf([0xc3, 0xbc, 0xff])).toBe('\u00fc\\xff'));
  it('raw control characters', () => expect(serialOf([0x1b, 0x5b, 0x41])).toBe('\u001b[A'));
  it('escapes that JSON does not have', () => expect(serialOf([...bytesOf('a\\x20b')])).toBe('a\\x20b'));
  it('UTF-16 and a UTF-8 mark, as other systems save text', () => {
    const text = JSON.stringify({ blockdevices: [{ kname: 'sda', type: 'disk', size: 7 }] });
    const utf16 = Uint8Array.from([0xff, 0xfe, ...[...text].flatMap((c) => [c.charCodeAt(0), 0])]);
    expect(machineFromLsblk(utf16, { firmware: 'uefi' }).devices[0]?.sizeBytes).toBe(7);
    expect(machineFromLsblk(bytesOf(`\ufeff${text}`), { firmware: 'uefi' }).devices[0]?.sizeBytes).toBe(7);
  });
});

const complete = { kname: 'sda', type: 'disk', size: 1, fstype: null, serial: null, wwn: null, 'log-sec': 512, ro: '0', mountpoint: null };

it.each<[string, Record<string, unknown>, string | null]>([
  ['all that matters, as of util-linux 2.33', {}, null],
  ['MOUNTPOINTS only', { mountpoint: undefined, mountpoints: [null] }, null],
  ['no mount points', { mountpoint: undefined }, 'no MOUNTPOINTS, so these stay unknown: which disks are in use'],
  ['no RO', { ro: undefined }, 'no RO, so these stay unknown: which disks are read-only'],
  [
    'a child without mount points',
    { children: [{ kname: 'sda1', type: 'part', size: 1, ro: '0' }] },
    'no MOUNTPOINTS, so these stay unknown: which disks are in use',
  ],
])('what a listing cannot tell: %s', (_, more, words) => {
  const gaps = listingGaps(bytesOf({ blockdevices: [{ ...complete, ...more }] }));
  if (words === null) expect(gaps).toBeNull();
  else expect(gaps).toContain(words);
});

it('records per device what the listing did not say', () => {
  expect(only({})).toMatchObject({ usageRecorded: false, readOnlyRecorded: false });
  expect(only({ mountpoints: [null], ro: false })).not.toHaveProperty('usageRecorded');
  expect(only({ mountpoint: null, ro: 0 })).not.toHaveProperty('readOnlyRecorded');
});

const sda = (more: object): object => ({ blockdevices: [{ kname: 'sda', type: 'disk', size: 1, ...more }] });

it.each<[string, unknown, string]>([
  ['empty', '', 'empty'],
  ['no JSON', 'NAME MAJ:MIN\nsda 8:0', 'lsblk -J -b'],
  ['another document', { devices: [] }, 'blockdevices'],
  ['a list', [], 'blockdevices'],
  ['rounded sizes', { blockdevices: [{ name: 'sda', type: 'disk', size: '40G' }] }, '"40G"'],
  ['no size', { blockdevices: [{ name: 'sda', type: 'disk' }] }, 'no SIZE'],
  ['no TYPE column', { blockdevices: [{ name: 'sda', size: 1 }] }, 'the listing has no TYPE column'],
  [
    'one device without a type',
    {
      blockdevices: [
        { name: 'sda', type: 'disk', size: 1 },
        { name: 'sdb', size: 1 },
      ],
    },
    'sdb has no TYPE',
  ],
  ['a size no disk has', sda({ size: 2 ** 63 }), 'the size of sda is 9223372036854776000 bytes'],
  ['a sector size no disk has', sda({ 'log-sec': 2 ** 60 }), 'logicalSectorBytes should be a whole number'],
  ['mount points that are numbers', sda({ mountpoints: [1] }), 'MOUNTPOINTS of sda should be a list of text, not [1]'],
  ['mount points as an object', sda({ mountpoints: { a: '/' } }), 'MOUNTPOINTS of sda should be a list of text'],
  ['a mount point that is none', sda({ mountpoint: true }), 'MOUNTPOINT of sda should be text, not true'],
  ['a flag in words', sda({ ro: 'yes' }), 'RO of sda should be true or false, not "yes"'],
  ['a sector size in words', sda({ 'log-sec': '4K' }), 'LOG-SEC of sda should be a whole number, not "4K"'],
  ['a serial number that is none', sda({ serial: { a: 1 } }), 'SERIAL of sda should be text or a number'],
  ['children as text', sda({ children: 'x' }), 'CHILDREN of sda should be a list of devices, not "x"'],
  ['children as an object', sda({ children: {} }), 'CHILDREN of sda should be a list of devices, not {}'],
  ['a child that is none', sda({ children: [null] }), 'CHILDREN of sda should be a list of devices, not [null]'],
  ['a fault below', sda({ children: [{ kname: 'sda1', type: 'part', size: 1, ro: [] }] }), 'RO of sda1 should be true or false, not []'],
  ['an entry that is no device', { blockdevices: [{ name: 'sda', type: 'disk', size: 1 }, null] }, 'entry 2'],
  ['no name', { blockdevices: [{ type: 'disk', size: 1 }] }, 'NAME'],
])('refuses with the way out: %s', (_, value, words) => {
  expect(() => devices(value)).toThrow(CaptureError);
  expect(() => devices(value)).toThrow(words);
  expect(() => devices(value)).toThrow('lsblk -J -b');
});

/** -M and -l print what several disks carry once; a disk that lost its array that way would look free. */
it.each<[string, Record<string, unknown>[], RegExp | null]>([
  ['an array on the top level', [{ name: 'md0', pkname: 'sdb', type: 'raid1', size: 9 }], /-l or -M.*md0/],
  ['a bcache on the top level', [{ name: 'bcache0', pkname: 'sda', type: 'disk', size: 9 }], /-l or -M.*bcache0/],
  [
    'a disk below its partition',
    [{ name: 'sdz1', type: 'part', size: 1, children: [{ name: 'sdz', type: 'disk', size: 9 }] }],
    /-s: it shows the disk of sdz1/,
  ],
  ['a partition on the top level', [{ name: 'sdb1', pkname: 'sdb', type: 'part', size: 9 }], null],
])('forms of a listing: %s', (_, rows, fault) => {
  const blockdevices = [...['sda', 'sdb'].map((name) => ({ name, type: 'disk', size: 9 })), ...rows];
  const read = (): unknown => machineFromLsblk(Buffer.from(JSON.stringify({ blockdevices })), { firmware: 'uefi' });
  if (fault === null) expect(read).not.toThrow();
  else expect(read).toThrow(fault);
});
