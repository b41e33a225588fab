/** Large machines: the time for a verdict on every disk must grow with their number, not with its square. */
import { expect, it } from 'vitest';
import type { Machine } from '#model/machine.ts';
import { disksAsText } from '#rules/disk-report.ts';
import { eligibleMirrors, judgeDisks } from '#rules/disks.ts';
import { disk, machine, node, part, type Row } from './build.ts';

/** Processor time, not the clock: the machine may be busy. */
function spentMs(made: Machine): number {
  const before = process.cpuUsage();
  const verdicts = judgeDisks(made);
  expect(disksAsText(made, verdicts)).toContain('Firmware uefi');
  eligibleMirrors(made, verdicts[0]?.kname ?? '');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const distinct = (i: number): Row => disk(`nvme${i}n1`, { wwn: `eui.0025${i}` });
const partitioned = (i: number): Row =>
  disk(
    `sd${i}x`,
    { pttype: 'gpt' },
    [1, 2].map((n) => part(`sd${i}x${n}`, { fstype: 'btrfs', uuid: `u${i >> 1}` })),
  );
const volumes = (i: number): Row =>
  disk(
    `sd${i}x`,
    { fstype: 'LVM2_member' },
    Array.from({ length: 20 }, (_, n) => node(`dm-${20 * i + n}`, 'lvm', { name: `v${i}-${n}` })),
  );

it.each<[string, number, (i: number) => Row]>([
  ['disks', 3000, distinct],
  ['disks of one serial and WWN', 3000, (i) => disk(`nvme${i}n1`, { serial: 'SAME1', wwn: 'eui.0025' })],
  ['partitions that belong together in pairs', 2000, partitioned],
  ['volumes', 500, volumes],
])('%s by the thousand are judged within seconds', (_, count, row) => {
  expect(spentMs(machine(Array.from({ length: count }, (_, i) => row(i))))).toBeLessThan(4_000);
});

it('the same disk is told of its twins, few by name', () => {
  const twins = judgeDisks(machine(Array.from({ length: 9 }, (_, i) => disk(`sd${i}x`, { serial: 'SAME1', wwn: 'eui.0025' }))));
  expect(twins[0]?.reasons).toMatchObject([{ code: 'disk.multipath-unassembled', text: expect.stringContaining('and 5 more') }]);
});
