import { expect, it } from 'vitest';
import { logVolumes } from '#installer/run/save-logs.ts';
import { disk, machine, part } from '../rules/disks/build.ts';

const ESP = 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b';

/** The target, the medium in use, a USB stick, a seed volume, and what looks like one of them. */
const MACHINE = machine([
  disk('sda', { tran: 'sata' }, [part('sda1', { fstype: 'vfat' }), part('sda2', { fstype: 'ext4' })]),
  disk('sdb', { tran: 'usb' }, [part('sdb1', { fstype: 'iso9660', mountpoints: ['/run/live/medium'] }), part('sdb2', { fstype: 'vfat' })]),
  disk('sdc', { tran: 'usb' }, [part('sdc1', { fstype: 'vfat', parttype: ESP }), part('sdc2', { fstype: 'vfat' })]),
  disk('sdd', { tran: 'usb', fstype: 'ntfs' }),
  disk('sde', { tran: 'usb', fstype: 'ext4', ro: true }),
  disk('vdz', { tran: null, fstype: 'vfat', label: 'CIDATA' }),
  disk('sr0', { type: 'rom', fstype: 'iso9660', label: 'cidata', tran: 'sata' }),
]);
const paths = (planDisks: readonly string[]): string[] => logVolumes(MACHINE, planDisks).map((device) => device.path);

it('takes the seed volume first, then USB; no fixed disk, no medium, no boot partition, nothing that cannot be written', () => {
  expect(paths(['sda'])).toEqual(['/dev/vdz', '/dev/sdc2']);
});

it('never writes to a disk of the plan, be it a USB disk', () => {
  expect(paths(['sdc'])).toEqual(['/dev/vdz']);
});

it('takes only the seed volume when nobody was asked', () => {
  expect(logVolumes(MACHINE, ['sda'], 'cidata').map((device) => device.path)).toEqual(['/dev/vdz']);
});
