import { expect, it } from 'vitest';
import { disksAsText } from '#rules/disk-report.ts';
import { describeDisk, judgeDisks } from '#rules/disks.ts';
import { disk, GIB, judge, machine, node, ownLayout, part, type Row, warned } from './build.ts';

it('a blank disk with an identity is worth no warning', () => expect(warned(judge([disk('sda')]), 'sda')).toEqual([]));

it.each<[string, Record<string, unknown>]>([
  ['nothing at all', { serial: null }],
  ['an all-zero WWN', { serial: null, wwn: '0x0000000000000000' }],
  ['an all-zero NAA', { serial: null, wwn: 'naa.0000000000000000' }],
  ['a filler serial', { serial: '0123456789ABCDEF' }],
  ['a serial of one character', { serial: '00000000' }],
])('no stable identity: %s', (_, more) => expect(warned(judge([disk('sda', more)]), 'sda')).toEqual(['disk.no-stable-identity']));

it('a serial shared by two disks warns only where no WWN tells them apart', () => {
  expect(warned(judge([disk('sda', { serial: 'X99' }), disk('sdb', { serial: 'X99', size: 90 * GIB })]), 'sda')).toEqual([
    'disk.duplicate-serial',
  ]);
  const verdicts = judge([disk('sda', { serial: 'X99', wwn: '0x1234' }), disk('sdb', { serial: 'X99', wwn: '0x1235' })]);
  expect(warned(verdicts, 'sda')).toEqual([]);
});

it('a WWN shared by two disks', () => {
  const verdicts = judge([disk('sda', { wwn: '0x1234' }), disk('sdb', { wwn: '0x1234' })]);
  expect(warned(verdicts, 'sdb')).toEqual(['disk.shared-wwn']);
});

it('does not compare a map with its own paths', () => {
  const map = node('dm-0', 'mpath', { size: 100 * GIB });
  const same = { serial: 'L1', wwn: '0x6001' };
  expect(warned(judge([disk('sda', same, [map]), disk('sdb', same, [map])]), 'dm-0')).toEqual([]);
});

it('over 2 TiB and unknown sectors matter on BIOS only', () => {
  const big = disk('sda', { size: 2048 * GIB + 512 });
  expect(warned(judge([big], 'bios'), 'sda')).toEqual(['disk.over-2tib-bios']);
  expect(warned(judge([big], 'uefi'), 'sda')).toEqual([]);
  expect(warned(judge([disk('sda', { size: 2048 * GIB })], 'bios'), 'sda')).toEqual([]);
  expect(warned(judge([disk('sda', { 'log-sec': null })], 'bios'), 'sda')).toEqual(['disk.sector-unknown']);
});

it.each<[string, Record<string, unknown>, string]>([
  ['USB', { tran: 'usb' }, 'disk.removable'],
  ['removable', { rm: '1' }, 'disk.removable'],
  ['iSCSI', { tran: 'iscsi' }, 'disk.network-attached'],
  ['smaller than a control plane wants', { size: 39 * GIB }, 'disk.below-recommended'],
  ['a file system on the disk', { fstype: 'ext4' }, 'disk.existing-data'],
  ['an empty table', { pttype: 'gpt' }, 'disk.existing-data'],
])('%s', (_, more, code) => expect(warned(judge([disk('sda', more)]), 'sda')).toEqual([code]));

it.each<[string, Row]>([
  ['a blank disk', disk('sda', { mountpoint: undefined })],
  ['a partition', disk('sda', { pttype: 'gpt' }, [part('sda1', { fstype: 'ext4', mountpoint: undefined })])],
])('whether it is in use is not recorded: %s', (_, row) => {
  const taken = machine([row]);
  const [verdict] = judgeDisks(taken);
  expect(verdict?.selectable).toBe(true);
  expect(verdict?.warnings.map((w) => w.code)).toContain('disk.use-unknown');
  const text = disksAsText(taken, judgeDisks(taken));
  expect(text).toContain('whether it is in use is not recorded');
  expect(text).not.toContain('holds    nothing');
});

it('a blank disk of unknown use is not said to hold data', () =>
  expect(warned(judge([disk('sda', { mountpoint: undefined })]), 'sda')).toEqual(['disk.use-unknown']));

it.each([undefined, null])('whether it is read-only is not recorded: %s', (ro) =>
  expect(warned(judge([disk('sda', { ro })]), 'sda')).toEqual(['disk.read-only-unknown']),
);

it('says what is on it', () => {
  const parts = [
    part('sda1', { fstype: 'vfat', label: 'EFI' }),
    part('sda2', { parttype: 'E3C9E316-0B5C-4DB8-817D-F92DF00215AE' }),
    part('sda3', { fstype: 'BitLocker' }),
    part('sda4', { fstype: 'crypto_LUKS' }),
  ];
  const [verdict] = judge([disk('sda', { pttype: 'gpt' }, parts)]);
  const text = verdict?.warnings[0]?.text ?? '';
  for (const word of ['4 partitions', 'Windows (BitLocker)', 'FAT "EFI"', 'LUKS encrypted volume']) expect(text).toContain(word);
});

it('our own installation, and half of our mirror', () => {
  expect(warned(judge([disk('sda', { pttype: 'gpt' }, ownLayout('sda'))]), 'sda')).toEqual(['disk.own-installation']);
  expect(warned(judge([disk('sda', { pttype: 'gpt' }, ownLayout('sda', true))]), 'sda')).toEqual(['disk.own-mirror']);
});

it('an installation of ours on another disk, unless both are halves of one mirror', () => {
  const gpt = { pttype: 'gpt' };
  expect(warned(judge([disk('sda'), disk('sdb', gpt, ownLayout('sdb'))]), 'sda')).toEqual(['disk.other-installation']);
  const halves = judge([disk('sda', gpt, ownLayout('sda', true)), disk('sdb', gpt, ownLayout('sdb', true))]);
  expect(warned(halves, 'sda')).toEqual(['disk.own-mirror']);
});

it('active volumes, and the other disk that loses data with them', () => {
  const volume = node('dm-0', 'lvm', { name: 'vg-data' });
  const pv = { fstype: 'LVM2_member' };
  const verdicts = judge([disk('sda', pv, [volume]), disk('sdb', {}, [part('sdb1', pv, [volume])])]);
  expect(warned(verdicts, 'sda')).toEqual(['disk.existing-data', 'disk.active-volumes', 'disk.shared-volumes']);
  expect(verdicts[0]?.warnings[2]?.text).toContain('/dev/sdb');
});

it('NVMe native multipath counts its controllers', () => {
  const m = machine([disk('nvme0n1')]);
  const withPaths = (states: (string | null)[]) =>
    judgeDisks({
      ...m,
      devices: m.devices.map((d) => ({ ...d, nvmePaths: states.map((state, i) => ({ kname: `nvme0c${i}n1`, state })) })),
    });
  expect(warned(withPaths(['live', 'live']), 'nvme0n1')).toEqual([]);
  expect(warned(withPaths(['live', 'connecting', null]), 'nvme0n1')).toEqual(['disk.path-down']);
  expect(warned(withPaths(['live', 'dead']), 'nvme0n1')).toEqual(['disk.single-path']);
  // Nothing can be written over paths that are all down; of one whose state nobody read, nothing is concluded.
  expect(withPaths(['dead', 'connecting'])[0]?.reasons.map((r) => r.code)).toEqual(['disk.offline']);
  expect(withPaths(['dead', null])[0]?.selectable).toBe(true);
});

it('a map with one path, and a map with a dead path', () => {
  const map = node('dm-0', 'mpath', { size: 100 * GIB });
  const path = { serial: 'L1', state: 'running' };
  expect(warned(judge([disk('sda', path, [map])]), 'dm-0')).toEqual(['disk.single-path']);
  const three = [disk('sda', path, [map]), disk('sdb', path, [map]), disk('sdc', { ...path, state: 'offline' }, [map])];
  expect(warned(judge(three), 'dm-0')).toEqual(['disk.path-down']);
});

it('a listing without FSTYPE proves no disk blank', () => {
  const { fstype: _, ...row } = disk('sda');
  const m = machine([row as Row]);
  expect(warned(judgeDisks(m), 'sda')).toEqual(['disk.contents-unknown']);
  expect(describeDisk(m, 'sda').contents).toMatchObject({ blank: false, summary: 'not recorded' });
});

it('a disk that is mounted holds something, be it that nobody could read what', () => {
  const m = machine([disk('sda', { mountpoints: ['/'] })]);
  expect(describeDisk(m, 'sda').contents).toMatchObject({ blank: false, recorded: false, summary: 'not recorded; in use at /' });
  expect(warned(judgeDisks(m), 'sda')).toEqual(['disk.contents-unknown']);
  expect(disksAsText(m, judgeDisks(m))).not.toContain('nothing');
});

it.each<[string, Row, string]>([
  ['an unknown volume on the bare disk', node('dm-0', 'dm', { name: 'x' }), '/dev/mapper/x with no known content'],
  ['a file system in it', node('dm-0', 'dm', { name: 'x', fstype: 'xfs' }), 'xfs'],
])('says what stands on a disk without a table: %s', (_, child, held) => {
  const found = machine([disk('sda', {}, [child])]);
  expect(describeDisk(found, 'sda').contents.summary).toBe(held);
});

it('names firmware RAID that has no name of its own here', () => {
  const found = machine([disk('sda', { fstype: 'silicon_medley_raid_member' })]);
  expect(describeDisk(found, 'sda').contents.summary).toBe('silicon medley RAID member');
});

it('does not call a table empty that it cannot read', () =>
  expect(describeDisk(machine([disk('sda', { pttype: 'mac' })]), 'sda').contents.summary).toBe('nothing that can be read here'));
