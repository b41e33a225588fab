/**
 * Machines of random stacks, from fixed seeds: what must hold of any of them, whatever stands on what. The few sentences that the
 * rulings state are checked against a reader of the graph that shares no line with the product.
 */
import { expect, it } from 'vitest';
import { machineFromLsblk } from '#machine/from-lsblk.ts';
import type { DiskVerdict } from '#model/machine.ts';
import { judgeDisks } from '#rules/disks.ts';
import { lsblkText, type OddDevice, SHAPES } from '../../support/lsblk-shapes.ts';

type Have = Record<string, OddDevice>;

/** Numbers below `n` from a seed, the same on every machine (mulberry32). */
function dice(seed: number): (n: number) => number {
  let a = seed;
  return (n) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
}

const TYPES = ['lvm', 'crypt', 'raid1', 'raid5', 'mpath', 'part', 'lvm', 'crypt'];
const SIGNATURES: Record<string, string> = {
  lvm: 'LVM2_member',
  crypt: 'crypto_LUKS',
  raid1: 'linux_raid_member',
  raid5: 'linux_raid_member',
};
const PLACES = ['/mnt', '/run/live/medium', '[SWAP]', '/srv'];

function randomMachine(roll: (n: number) => number): Have {
  const have: Have = {};
  const free: string[] = [];
  for (let i = 0; i < 2 + roll(5); i += 1) {
    const name = `sd${'abcdefg'[i]}`;
    have[name] = {
      size: roll(8) === 0 ? '20G' : '100G',
      serial: `SN-${i}-${roll(1000)}`,
      wwn: `0x5000c5000000${100 + i}0`,
      ro: roll(12) === 0,
    };
    if (roll(3) === 0) free.push(name);
    else
      for (let p = 1; p <= 1 + roll(3); p += 1) {
        have[`${name}${p}`] = { in: name, size: '30G' };
        free.push(`${name}${p}`);
      }
  }
  for (let i = 0; i < roll(7) && free.length > 0; i += 1) {
    const type = TYPES[roll(TYPES.length)] ?? 'lvm';
    const below = [
      ...new Set(Array.from({ length: type === 'raid1' || type === 'lvm' ? 1 + roll(3) : 1 }, () => free[roll(free.length)] as string)),
    ];
    if (type === 'mpath' && below.some((k) => !/^sd[a-g]$/.test(k))) continue;
    if (type === 'part' && below.some((k) => !/^(?:dm-|md)/.test(k))) continue;
    const kname = type.startsWith('raid') ? `md${i}` : `dm-${i}`;
    for (const k of below) {
      (have[k] ?? (have[Object.keys(have).find((n) => have[n]?.kname === k) ?? ''] as OddDevice))['fstype'] = SIGNATURES[type] ?? null;
      free.splice(free.indexOf(k), 1);
    }
    have[kname.startsWith('md') ? kname : `map${i}`] = { kname, in: below, type, size: type === 'mpath' ? '100G' : '20G' };
    free.push(kname);
  }
  for (const [name, d] of Object.entries(have))
    if (free.includes(d.kname ?? name) && roll(6) === 0) d.mnt = [PLACES[roll(PLACES.length)] as string];
  return have;
}

/** What must be said of each whole disk and map, read off the case itself. */
function demanded(have: Have): Map<string, string[]> {
  const all = Object.entries(have).map(([name, d]) => ({ ...d, kname: d.kname ?? name, on: d.in === undefined ? [] : [d.in].flat() }));
  const above = (k: string): typeof all => all.filter((d) => d.on.includes(k)).flatMap((d) => [d, ...above(d.kname)]);
  return new Map(
    all
      .filter((d) => d.on.length === 0 || d.type === 'mpath')
      .map((d) => {
        const path = d.type !== 'mpath' && above(d.kname).some((u) => u.type === 'mpath');
        const stack = path ? [] : above(d.kname);
        const mounts = [d, ...stack].flatMap((u) => u.mnt ?? []);
        const codes = [
          ...(d.size === '20G' ? ['disk.too-small'] : []),
          ...(d.ro ? ['disk.read-only'] : []),
          ...(path ? ['disk.multipath-path'] : []),
          ...(stack.some((u) => u.type?.startsWith('raid')) ? ['disk.raid-member'] : []),
          ...([d, ...above(d.kname)].some((u) => u.mnt?.includes('/run/live/medium')) ? ['disk.live-medium'] : []),
          ...(mounts.includes('[SWAP]') ? ['disk.swap'] : []),
          ...(mounts.some((m) => m === '/mnt' || m === '/srv') ? ['disk.mounted'] : []),
        ];
        return [d.kname, codes.sort()] as const;
      }),
  );
}

const said = (verdicts: readonly DiskVerdict[]): Map<string, string[]> =>
  new Map(verdicts.map((v) => [v.kname, v.reasons.map((r) => r.code).sort()]));
const sorted = (m: Map<string, string[]>): [string, string[]][] => [...m].sort(([a], [b]) => (a < b ? -1 : 1));

it.each(Array.from({ length: 400 }, (_, i) => i + 1))('stacks of seed %i', (seed) => {
  const have = randomMachine(dice(seed));
  const backwards = Object.fromEntries(Object.entries(have).reverse());
  for (const shape of SHAPES.filter((s) => s.layout === 'tree'))
    for (const listed of [have, backwards]) {
      const text = lsblkText(listed, shape);
      expect(sorted(said(judgeDisks(machineFromLsblk(Buffer.from(text), { firmware: 'uefi' })))), text).toEqual(sorted(demanded(have)));
    }
});
