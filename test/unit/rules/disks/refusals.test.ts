import { describe, expect, it } from 'vitest';
import type { Machine } from '#model/machine.ts';
import { judgeDisks } from '#rules/disks.ts';
import { codes, disk, GIB, judge, machine, node, ownLayout, part, type Row, warned } from './build.ts';

const textOf = (rows: readonly Row[], kname: string): string =>
  judge(rows)
    .find((v) => v.kname === kname)
    ?.reasons.map((r) => r.text)
    .join('; ') ?? 'not listed';

describe('live medium', () => {
  const live = { mountpoints: ['/run/live/medium'] };
  it.each<[string, Row]>([
    ['mounted as a whole disk', disk('sda', live)],
    ['mounted from a partition', disk('sda', {}, [part('sda1', live)])],
    [
      'a loop device on a partition',
      disk('sda', {}, [part('sda1', { mountpoints: ['/run/live/findiso'] }, [node('loop0', 'loop', live)])]),
    ],
    ['a device-mapper map (Ventoy)', disk('sda', {}, [part('sda1', {}, [node('dm-0', 'dm', live)])])],
    [
      'LVM on md',
      disk('sda', {}, [part('sda1', { fstype: 'linux_raid_member' }, [node('md0', 'raid1', {}, [node('dm-0', 'lvm', live)])])]),
    ],
    ['the older mount point', disk('sda', { mountpoint: '/lib/live/mount/medium' })],
  ])('%s', (_, row) => expect(codes(judge([row]), 'sda')).toContain('disk.live-medium'));

  it('is refused on both paths when it is a multipath map', () => {
    const map = node('dm-0', 'mpath', { size: 100 * GIB, ...live });
    const verdicts = judge([disk('sda', {}, [map]), disk('sdb', {}, [map])]);
    for (const name of ['sda', 'sdb', 'dm-0']) expect(codes(verdicts, name)).toContain('disk.live-medium');
  });

  it('counts what probing found beyond the mount points', () => {
    const probed: Machine = { ...machine([disk('sda')]), liveMedium: ['sda'] };
    expect(codes(judgeDisks(probed), 'sda')).toEqual(['disk.live-medium']);
  });

  it.each<[string, Row]>([
    ['ISO 9660 on the disk', disk('sda', { fstype: 'iso9660' })],
    ['our volume id on a partition', disk('sda', {}, [part('sda1', { fstype: 'vfat', label: 'SPATIUMDDI' })])],
    ['a Ventoy stick', disk('sda', {}, [part('sda1', { label: 'Ventoy' }), part('sda2', { label: 'VTOYEFI' })])],
  ])('copied to RAM (toram): %s is never a target', (_, row) => expect(codes(judge([row]), 'sda')).toEqual(['disk.install-medium']));

  it('a stick that keeps the changes of its live system is one, however its port is described', () => {
    const parts = [part('sda1', { fstype: null }), part('sda3', { fstype: 'ext4', label: 'persistence' })];
    expect(codes(judge([disk('sda', { fstype: 'iso9660', label: 'SPATIUMDDI' }, parts)]), 'sda')).toEqual(['disk.install-medium']);
  });

  it('an image written over an internal disk long ago, and partitioned since, is no medium', () => {
    const used = [part('sda1', { fstype: 'vfat' }), part('sda2', { fstype: 'ext4' })];
    const codesOf = (more: Record<string, unknown>, parts: Row[]) =>
      codes(judge([disk('sda', { fstype: 'iso9660', ...more }, parts)]), 'sda');
    expect(codesOf({}, used)).toEqual([]);
    expect(codesOf({ label: 'SPATIUMDDI' }, used)).toEqual([]);
    expect(codesOf({ tran: 'usb' }, used)).toEqual(['disk.install-medium']);
    expect(codesOf({}, [...used, part('sda3', { fstype: 'iso9660' })])).toEqual(['disk.install-medium']);
    expect(codesOf({}, [part('sda1', { fstype: 'vfat' })])).toEqual(['disk.install-medium']);
  });

  it('does not take a mount point that only begins alike', () =>
    expect(codes(judge([disk('sda', { mountpoints: ['/run/liveness'] })]), 'sda')).toEqual(['disk.mounted']));
});

describe('in use', () => {
  it('names every mount point, however deep', () => {
    const rows = [
      disk('sda', {}, [
        part('sda1', { mountpoints: ['/boot'] }),
        part('sda2', {}, [node('dm-0', 'crypt', {}, [node('dm-1', 'lvm', { mountpoints: ['/data'] })])]),
      ]),
    ];
    expect(codes(judge(rows), 'sda')).toEqual(['disk.mounted']);
    expect(textOf(rows, 'sda')).toContain('/boot');
    expect(textOf(rows, 'sda')).toContain('/data');
  });

  it('a disk that holds swap in use is refused, with the partition', () => {
    const rows = [disk('sda', {}, [part('sda2', { mountpoints: ['[SWAP]'] })])];
    expect(codes(judge(rows), 'sda')).toEqual(['disk.swap']);
    expect(textOf(rows, 'sda')).toContain('/dev/sda2');
  });

  it('a btrfs member whose mount point shows on another disk', () => {
    const fs = { fstype: 'btrfs', uuid: 'u1' };
    const rows = [disk('sda', fs), disk('sdb', { ...fs, mountpoints: ['/srv'] }), disk('sdc', { fstype: 'btrfs', uuid: 'u2' })];
    expect(codes(judge(rows), 'sda')).toEqual(['disk.mounted']);
    expect(codes(judge(rows), 'sdc')).toEqual([]);
  });

  it('a volume group in use through another disk', () => {
    const grouped = (mountpoint: string | null) => {
      const lv = node('dm-0', 'lvm', { name: 'vg-data', mountpoint });
      const m = machine([disk('sda', { fstype: 'LVM2_member' }), disk('sdb', {}, [part('sdb1', { fstype: 'LVM2_member' }, [lv])])]);
      return judgeDisks({ ...m, devices: m.devices.map((d) => (d.fsType === 'LVM2_member' ? { ...d, volumeGroup: 'vg' } : d)) });
    };
    expect(codes(grouped('/data'), 'sda')).toEqual(['disk.mounted']);
    expect(grouped('/data')[0]?.reasons[0]?.text).toContain('volume group "vg" that is mounted at /data (through /dev/sdb1)');
    expect(codes(grouped('[SWAP]'), 'sda')).toEqual(['disk.mounted']);
    expect(codes(grouped(null), 'sda')).toEqual([]);
    expect(grouped(null)[0]?.warnings.map((w) => w.code)).toEqual(['disk.existing-data', 'disk.shared-volumes']);
  });

  it('a bcache device', () => expect(codes(judge([disk('sda', { fstype: 'bcache' }, [disk('bcache0')])]), 'sda')).toEqual(['disk.in-use']));

  it('claimed by something unknown, and only then', () => {
    const claim = (row: Row): string[] => {
      const m = machine([row]);
      return codes(judgeDisks({ ...m, devices: m.devices.map((d) => (d.kname === 'sda' ? { ...d, claimed: true } : d)) }), 'sda');
    };
    expect(claim(disk('sda', { fstype: 'zfs_member' }))).toEqual(['disk.busy']);
    expect(claim(disk('sda', {}, [part('sda1')]))).toEqual(['disk.busy']);
    expect(claim(disk('sda', {}, [part('sda1', { mountpoints: ['/x'] })]))).toEqual(['disk.mounted']);
    expect(claim(disk('sda', { fstype: 'LVM2_member' }, [node('dm-0', 'lvm')]))).toEqual([]);
  });

  it('active volumes that nobody mounted are no refusal', () =>
    expect(
      codes(judge([disk('sda', {}, [part('sda1', { fstype: 'LVM2_member' }, [node('dm-0', 'lvm', { fstype: 'ext4' })])])]), 'sda'),
    ).toEqual([]));
});

describe('RAID', () => {
  const array = (name: string, more = {}): Row => node(name, 'raid1', more);
  /** Our mirror's half, with an array on the part of that index. */
  const withArray = (at: number, on: Row): Row[] => ownLayout('sda', true).map((p, i) => (i === at ? { ...p, children: [on] } : p));
  it.each<[string, Row, string]>([
    ['member by holder only', disk('sda', {}, [part('sda1', {}, [array('md0')])]), 'disk.raid-member'],
    ['member with another signature', disk('sda', { fstype: 'ext4' }, [array('md0')]), 'disk.raid-member'],
    ['stopped member', disk('sda', {}, [part('sda1', { fstype: 'linux_raid_member', label: 'nas:0' })]), 'disk.raid-member'],
    ['whole-disk member', disk('sda', { fstype: 'linux_raid_member' }, [array('md0')]), 'disk.raid-member'],
    ['IMSM', disk('sda', { fstype: 'isw_raid_member' }, [node('md127', 'md', { size: 0 }), array('md126')]), 'disk.firmware-raid'],
    ['DDF, stopped', disk('sda', { fstype: 'ddf_raid_member' }), 'disk.firmware-raid'],
    ['another maker', disk('sda', { fstype: 'nvidia_raid_member' }), 'disk.firmware-raid'],
    ['dmraid', disk('sda', {}, [node('dm-0', 'dmraid')]), 'disk.firmware-raid'],
    [
      'an array labelled like ours',
      disk('sda', {}, [part('sda1', { fstype: 'linux_raid_member', label: 'any:var', fsver: '1.2' }, [array('md0', { label: 'var' })])]),
      'disk.raid-member',
    ],
  ])('%s', (_, row, code) => expect(codes(judge([row]), 'sda')).toEqual([code]));

  it('names the array and not its container', () => {
    const rows = [disk('sda', { fstype: 'isw_raid_member' }, [node('md127', 'container', { size: 0 }), array('md126')])];
    expect(textOf(rows, 'sda')).toContain('/dev/md126 (raid1)');
    expect(textOf(rows, 'sda')).not.toContain('md127');
  });

  it('our own mirror is no refusal, assembled or not', () => {
    expect(codes(judge([disk('sda', { pttype: 'gpt' }, ownLayout('sda', true))]), 'sda')).toEqual([]);
    const assembled = ownLayout('sda', true).map((p, i) => (i >= 2 ? { ...p, children: [array(`md${120 + i}`)] } : p));
    expect(codes(judge([disk('sda', { pttype: 'gpt' }, assembled)]), 'sda')).toEqual([]);
  });

  it.each<[string, Row[]]>([
    ['two arrays made, two to come', ownLayout('sda', true).map((p, i) => (i >= 4 ? { ...p, fstype: null, label: null } : p))],
    ['one array not erased yet', ownLayout('sda', true).map((p, i) => (i >= 2 && i < 5 ? { ...p, fstype: null, label: null } : p))],
    ['an array that waits for its other half', withArray(3, node('md127', 'md', { size: 0 }))],
  ])('what a power cut leaves of our own mirror is no refusal: %s', (_, parts) => {
    const verdicts = judge([disk('sda', { pttype: 'gpt' }, parts)]);
    expect(codes(verdicts, 'sda')).toEqual([]);
    expect(warned(verdicts, 'sda')).toEqual(['disk.own-mirror']);
  });

  it.each<[string, Row[]]>([
    ['another home', ownLayout('sda', true, (n) => `nas:${n}`)],
    ['a layout with a part missing', ownLayout('sda', true).filter((p) => p['partlabel'] !== 'root_B')],
    ['older metadata', ownLayout('sda', true).map((p) => ({ ...p, fsver: '1.0' }))],
    ['a foreign member beside it', [...ownLayout('sda', true), part('sda7', { fstype: 'linux_raid_member', label: 'nas:7' })]],
    ['another level', withArray(3, node('md9', 'raid5'))],
    ['a foreign array on a part of ours', ownLayout('sda').map((p, i) => (i === 3 ? { ...p, children: [node('md9', 'raid1')] } : p))],
    ['one of ours, and a foreign array beside it', [...withArray(3, node('md8', 'raid1')), part('sda7', {}, [node('md9', 'raid1')])]],
    ['the arrays of two names exchanged', ownLayout('sda', true, (n) => `any:${{ root_a: 'root_b', root_b: 'root_a' }[n] ?? n}`)],
  ])('is not ours: %s', (_, parts) => expect(codes(judge([disk('sda', { pttype: 'gpt' }, parts)]), 'sda')).toEqual(['disk.raid-member']));

  it('our own mirror in use is refused for its mounts', () => {
    const parts = withArray(5, array('md3', { mountpoints: ['/var'] }));
    expect(codes(judge([disk('sda', { pttype: 'gpt' }, parts)]), 'sda')).toEqual(['disk.mounted']);
  });
});

describe('multipath', () => {
  it('refuses each path and names the map', () => {
    const map = node('dm-0', 'mpath', { name: 'mpatha', size: 100 * GIB });
    const rows = [disk('sda', {}, [map]), disk('sdb', {}, [map])];
    expect(
      judge(rows)
        .filter((v) => v.selectable)
        .map((v) => v.path),
    ).toEqual(['/dev/mapper/mpatha']);
    expect(textOf(rows, 'sdb')).toContain('/dev/mapper/mpatha');
  });

  it('refuses a marked path without a map', () =>
    expect(codes(judge([disk('sda', { fstype: 'mpath_member' })]), 'sda')).toEqual(['disk.multipath-path']));

  const twin = { wwn: '0x6001405000000001', serial: 'LUN1', size: 50 * GIB };
  it('refuses unassembled twins: same WWN, serial and size', () => {
    const verdicts = judge([disk('sda', twin), disk('sdb', twin)]);
    expect(codes(verdicts, 'sda')).toEqual(['disk.multipath-unassembled']);
    expect(codes(verdicts, 'sdb')).toEqual(['disk.multipath-unassembled']);
  });

  it('knows a WWN in either spelling', () => {
    const verdicts = judge([disk('sda', twin), disk('sdb', { ...twin, wwn: 'naa.6001405000000001' })]);
    expect(codes(verdicts, 'sda')).toEqual(['disk.multipath-unassembled']);
  });

  it.each<[string, Record<string, unknown>]>([
    ['another serial', { serial: 'LUN2' }],
    ['another size', { size: 51 * GIB }],
    ['another WWN', { wwn: '0x6001405000000002' }],
    ['no serial', { serial: null }],
  ])('does not take two disks for one: %s', (_, change) => {
    const verdicts = judge([disk('sda', twin), disk('sdb', { ...twin, ...change })]);
    expect(verdicts.every((v) => v.selectable)).toBe(true);
  });

  it('an all-zero WWN proves nothing', () => {
    const zero = { wwn: '0x0000000000000000', serial: 'S1' };
    expect(judge([disk('sda', zero), disk('sdb', zero)]).every((v) => v.selectable)).toBe(true);
  });
});

describe('condition, capacity and table', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['read-only', { ro: true }, ['disk.read-only']],
    ['read-only as old lsblk prints it', { ro: '1' }, ['disk.read-only']],
    ['one byte under the floor', { size: 32 * GIB - 1 }, ['disk.too-small']],
    ['exactly at the floor', { size: 32 * GIB }, []],
    ['offline', { state: 'offline' }, ['disk.offline']],
    ['host-managed zones', { zoned: 'host-managed' }, ['disk.zoned']],
    ['host-aware zones', { zoned: 'host-aware' }, []],
    ['520-byte sectors', { 'log-sec': 520 }, ['disk.sector-size']],
    ['an unknown table', { pttype: 'sun' }, ['disk.table-unknown']],
    ['MBR', { pttype: 'dos' }, []],
    ['two faults at once', { ro: true, size: GIB }, ['disk.read-only', 'disk.too-small']],
  ])('%s', (_, more, expected) => expect(codes(judge([disk('sda', more)]), 'sda')).toEqual(expected));

  it('names both sizes exactly', () =>
    expect(textOf([disk('sda', { size: 32e9 })], 'sda')).toContain(
      '32000000000 bytes (29.8 GiB), and the minimum is 34359738368 bytes (32 GiB)',
    ));

  it('4Kn is refused on BIOS only', () => {
    expect(codes(judge([disk('sda', { 'log-sec': 4096 })], 'bios'), 'sda')).toEqual(['disk.4kn-bios']);
    expect(codes(judge([disk('sda', { 'log-sec': 4096 })], 'uefi'), 'sda')).toEqual([]);
    expect(codes(judge([disk('sda', { 'phy-sec': 4096 })], 'bios'), 'sda')).toEqual([]);
  });

  it('persistent memory', () => expect(codes(judge([disk('pmem0')]), 'pmem0')).toEqual(['disk.not-bootable']));
});

it('no text of a verdict carries a control character from a device', () => {
  const evil = '\u001b[2J\u0007\u202e';
  const rows = [
    disk('sda', {
      model: evil,
      serial: evil,
      wwn: evil,
      fstype: 'linux_raid_member',
      label: evil,
      mountpoints: [`/mnt/${evil}`],
      pttype: evil,
      state: 'offline',
    }),
  ];
  const texts = judge(rows).flatMap((v) => [...v.reasons, ...v.warnings].map((r) => r.text));
  expect(texts.length).toBeGreaterThan(3);
  for (const text of texts) expect(text).toMatch(/^[\x20-\x7e]*$/);
});
