/** Large machines: the work for a verdict on every disk must grow with their number, not with its square. */
import { expect, it } from 'vitest';
import type { Machine } from '#model/machine.ts';
import { disksAsText } from '#rules/disk-report.ts';
import { eligibleMirrors, judgeDisks } from '#rules/disks.ts';
import { disk, machine, node, part, type Row } from './build.ts';

/** The same value, and every read of a field or of a list's entry in it is counted. */
function counted<T extends object>(value: T, count: () => void): T {
  const seen = new Map<unknown, object>();
  return new Proxy(value, {
    get: (target, key) => {
      count();
      const held: unknown = Reflect.get(target, key);
      if (typeof held !== 'object' || held === null) return held;
      const known = seen.get(held) ?? counted(held, count);
      seen.set(held, known);
      return known;
    },
  });
}

/** How often the machine was looked at: the same on every run, however busy the computer is. */
function readsFor(count: number, row: (i: number) => Row): number {
  let reads = 0;
  const made: Machine = counted(machine(Array.from({ length: count }, (_, i) => row(i))), () => {
    reads += 1;
  });
  const verdicts = judgeDisks(made);
  expect(disksAsText(made, verdicts)).toContain('Firmware uefi');
  eligibleMirrors(made, verdicts[0]?.kname ?? '');
  return reads;
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
  ['disks', 100, distinct],
  ['disks of one serial and WWN', 100, (i) => disk(`nvme${i}n1`, { serial: 'SAME1', wwn: 'eui.0025' })],
  ['partitions that belong together in pairs', 100, partitioned],
  ['volumes', 25, volumes],
])('%s: four times as many are about four times the work, not sixteen', (_, count, row) => {
  expect(readsFor(4 * count, row) / readsFor(count, row)).toBeLessThan(6);
});

it('the same disk is told of its twins, few by name', () => {
  const twins = judgeDisks(machine(Array.from({ length: 9 }, (_, i) => disk(`sd${i}x`, { serial: 'SAME1', wwn: 'eui.0025' }))));
  expect(twins[0]?.reasons).toMatchObject([{ code: 'disk.multipath-unassembled', text: expect.stringContaining('and 5 more') }]);
});
