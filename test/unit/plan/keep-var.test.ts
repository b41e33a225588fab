import { expect, it } from 'vitest';
import { machineFromLsblk } from '#machine/from-lsblk.ts';
import { GIB } from '#model/limits.ts';
import { identityOf } from '#rules/disks.ts';
import { judge } from '#rules/judge.ts';
import { planFor, settings } from './samples.ts';

const part = (n: number, label: string, fstype: string, size: number) => ({
  name: `sda${n}`,
  kname: `sda${n}`,
  path: `/dev/sda${n}`,
  type: 'part',
  size,
  fstype,
  label,
  partlabel: label.replace(/^root_(.)$/, (_, slot: string) => `root_${slot.toUpperCase()}`),
  partuuid: `b0000000-0000-4000-8000-00000000000${n}`,
  uuid: fstype === 'vfat' ? 'AAAA-BBBB' : `c0000000-0000-4000-8000-00000000000${n}`,
  partn: n,
  pttype: 'gpt',
});
const ours = [
  part(2, 'ESP', 'vfat', GIB / 2),
  part(3, 'state', 'ext4', GIB / 4),
  part(4, 'root_a', 'ext4', 8 * GIB),
  part(5, 'root_b', 'ext4', 8 * GIB),
  part(6, 'var', 'ext4', 23 * GIB),
];
const machineOf = (children: object[]) => {
  const disk = {
    name: 'sda',
    kname: 'sda',
    path: '/dev/sda',
    type: 'disk',
    size: 40 * GIB,
    'log-sec': 512,
    wwn: '0x5',
    serial: 'S',
    tran: 'sata',
  };
  const table = children.length > 0 ? { pttype: 'gpt', ptuuid: 'd0000000-0000-4000-8000-000000000000', children } : {};
  return machineFromLsblk(new TextEncoder().encode(JSON.stringify({ blockdevices: [{ ...disk, ...table }] })), { firmware: 'uefi' });
};
const planOf = (children: object[]) => {
  const machine = machineOf(children);
  return planFor({ machine, target: identityOf(machine, 'sda'), settings: settings({ keepVar: true }) });
};

it('keeps the table and the data file systems, and makes only the slots and the boot partition anew', () => {
  const plan = planOf(ours);
  expect(plan.steps.some((s) => s.action.kind === 'partition')).toBe(false);
  expect(plan.steps.flatMap((s) => (s.action.kind === 'format' ? [s.action.partition] : []))).toEqual(['esp', 'root_a']);
  expect(plan.filesystemUuids.var).toBe('c0000000-0000-4000-8000-000000000006');
  expect(plan.filesystemUuids.state).toBe('c0000000-0000-4000-8000-000000000003');
  expect(plan.filesystemUuids.root_a).not.toBe('c0000000-0000-4000-8000-000000000004');
  expect(plan.disks[0]!.partitions.map((p) => p.partUuid.at(-1))).toEqual(['2', '3', '4', '5', '6']);
});

it('plans nothing for a slot that is too small, and the rules refuse a disk with nothing to keep', () => {
  expect(() => planOf(ours.map((p) => (p.partn === 4 ? { ...p, size: 4 * GIB } : p)))).toThrow(/slot root_a is smaller/);
  expect(() => planOf([])).toThrow(/no complete installation/);
  const rules = (children: object[]) =>
    judge({ target_disk: '/dev/sda', keep_var: 'true' }, machineOf(children), 'field').map((f) => f.rule);
  expect(rules([])).toContain('keep.refused');
  expect(rules(ours)).not.toContain('keep.refused');
});
