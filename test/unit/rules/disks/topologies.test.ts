/** Whole machines of the odd kind: what is listed, and what is said of each disk. */
import { expect, it } from 'vitest';
import { disk, GIB, judge, node, part, type Row } from './build.ts';

const crypt = node('dm-0', 'crypt', { path: '/dev/mapper/c', fstype: 'LVM2_member' }, [
  node('dm-1', 'lvm', { path: '/dev/mapper/vg-root', fstype: 'ext4' }),
]);
const md = (kname: string, more: Record<string, unknown> = {}, children: Row[] = []): Row => node(kname, 'raid1', more, children);
const member = { fstype: 'linux_raid_member', fsver: '1.2' };
const bcache = (): Row => disk('bcache0', { fstype: 'ext4', mountpoint: '/data' });
const container = (): Row[] => [node('md127', 'md', { size: 0, path: '/dev/md/ddf0' }), md('md126', { path: '/dev/md/Volume0' })];
const live = { fstype: 'iso9660', mountpoint: '/run/live/medium' };

/** Kernel name and `ok`, or the reasons that refuse it. */
const MACHINES: readonly [string, readonly Row[], Readonly<Record<string, string>>][] = [
  [
    'LVM on LUKS on a foreign array',
    [disk('sda', {}, [part('sda1', member, [md('md0', {}, [crypt])])]), disk('sdb', {}, [part('sdb1', member, [md('md0', {}, [crypt])])])],
    { sda: 'disk.raid-member', sdb: 'disk.raid-member' },
  ],
  [
    "an array with our name on somebody else's layout",
    [disk('sda', {}, [part('sda1', { ...member, label: 'any:root_a' }, [md('md127', { path: '/dev/md/root_a', label: 'root_a' })])])],
    { sda: 'disk.raid-member' },
  ],
  [
    'a DDF container',
    [disk('sda', { fstype: 'ddf_raid_member' }, container()), disk('sdb', { fstype: 'ddf_raid_member' }, container())],
    { sda: 'disk.firmware-raid', sdb: 'disk.firmware-raid' },
  ],
  [
    'a stopped IMSM member beside a blank disk',
    [disk('sda', { fstype: 'isw_raid_member' }), disk('sdb')],
    { sda: 'disk.firmware-raid', sdb: 'ok' },
  ],
  ['the paths of an NVMe namespace', [disk('nvme0n1'), disk('nvme0c0n1'), disk('nvme0c1n1')], { nvme0n1: 'ok' }],
  [
    'bcache over two disks',
    [disk('sda', { fstype: 'bcache' }, [bcache()]), disk('nvme0n1', {}, [part('nvme0n1p1', { fstype: 'bcache' }, [bcache()])])],
    { sda: 'disk.mounted,disk.in-use', nvme0n1: 'disk.mounted,disk.in-use' },
  ],
  [
    'the areas of an eMMC',
    [disk('mmcblk0'), disk('mmcblk0boot0'), disk('mmcblk0boot1'), disk('mmcblk0rpmb'), disk('mmcblk0gp0')],
    { mmcblk0: 'ok' },
  ],
  [
    'what is no disk, and drives without a medium',
    [
      disk('nbd0'),
      disk('zram0'),
      disk('ram0'),
      disk('fd0'),
      disk('sda', { size: 0 }),
      disk('md127'),
      node('sr0', 'rom'),
      node('loop0', 'loop'),
    ],
    {},
  ],
  [
    'Ventoy by device mapper',
    [
      disk('sda', { tran: 'usb' }, [
        part('sda1', { fstype: 'exfat', label: 'Ventoy' }, [node('dm-0', 'dm', { ...live, path: '/dev/mapper/ventoy' })]),
      ]),
      disk('sdb'),
    ],
    { sda: 'disk.live-medium', sdb: 'ok' },
  ],
  [
    'an image file on a partition, by loop device',
    [disk('sda', {}, [part('sda1', { fstype: 'ext4' }, [node('loop0', 'loop', live)])]), disk('sdb')],
    { sda: 'disk.live-medium', sdb: 'ok' },
  ],
  [
    'a medium copied to memory',
    [disk('sda', { tran: 'usb', fstype: 'iso9660', label: 'SPATIUMDDI' }), disk('sdb')],
    { sda: 'disk.install-medium', sdb: 'ok' },
  ],
  [
    'a map with a mounted partition',
    [
      disk('sda', { fstype: 'mpath_member' }, [
        node('dm-0', 'mpath', { path: '/dev/mapper/mpatha', size: 100 * GIB }, [
          part('dm-1', { path: '/dev/mapper/mpatha1', mountpoint: '/x' }),
        ]),
      ]),
    ],
    { sda: 'disk.multipath-path', 'dm-0': 'disk.mounted' },
  ],
  [
    'the floor, a sector below and a sector above',
    [disk('sda', { size: 32 * GIB - 512 }), disk('sdb', { size: 32 * GIB }), disk('sdc', { size: 32 * GIB + 512 })],
    { sda: 'disk.too-small', sdb: 'ok', sdc: 'ok' },
  ],
  [
    'a disk that the machine runs from over iSCSI, and a card that cannot be written',
    [disk('sda', { tran: 'iscsi' }, [part('sda1', { fstype: 'ext4', mountpoint: '/' })]), disk('mmcblk1', { ro: true })],
    { sda: 'disk.mounted', mmcblk1: 'disk.read-only' },
  ],
];

it.each(MACHINES)('%s', (_name, rows, verdicts) => {
  const said = judge(rows).map((v) => [v.kname, v.selectable ? 'ok' : v.reasons.map((r) => r.code).join(',')]);
  expect(Object.fromEntries(said)).toEqual(verdicts);
});
