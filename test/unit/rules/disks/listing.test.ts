import { expect, it } from 'vitest';
import { disk, GIB, judge, node, part } from './build.ts';

const listed = (rows: Parameters<typeof judge>[0]): string[] => judge(rows).map((v) => v.kname);

it('lists whole disks of every driver', () => {
  const names = ['sda', 'vda', 'xvda', 'nvme0n1', 'mmcblk0', 'hda', 'dasda', 'cciss!c0d0', 'pmem0'];
  expect(listed(names.map((n) => disk(n)))).toEqual(names);
});

it.each([
  'loop0',
  'zram0',
  'ram0',
  'nbd0',
  'fd0',
  'sr0',
  'md127',
  'bcache0',
  'drbd0',
  'zd0',
  'mmcblk0boot0',
  'mmcblk0rpmb',
  'mmcblk0gp0',
  'nvme0c1n1',
])('never lists %s although lsblk types it as a disk', (name) => expect(listed([disk(name)])).toEqual([]));

it('never lists a drive without a medium, a container, a partition or a volume', () => {
  const rows = [
    disk('sda', { size: 0 }),
    disk('sdb', {}, [part('sdb1', {}, [node('dm-0', 'lvm')]), node('md127', 'container', { size: 0 })]),
    node('sr0', 'rom', { size: GIB }),
  ];
  expect(listed(rows)).toEqual(['sdb']);
});

it('lists a multipath map once though lsblk shows it under each path', () => {
  const map = node('dm-0', 'mpath', { name: 'mpatha', size: 100 * GIB });
  expect(listed([disk('sda', {}, [map]), disk('sdb', {}, [map])])).toEqual(['sda', 'dm-0', 'sdb']);
});
