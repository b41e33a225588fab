/** Random stacks of devices: what must hold of every verdict, whatever the topology. */
import { expect, it } from 'vitest';
import { machineFromLsblk } from '#machine/from-lsblk.ts';
import { CaptureError } from '#machine/lsblk-json.ts';
import type { BlockDevice, Machine } from '#model/machine.ts';
import { describeDisk, eligibleMirrors, identityOf, judgeDisks, keptLayoutOf, sameDisk } from '#rules/disks.ts';
import { disk, GIB, machine, node, part, type Row } from './build.ts';

/** A small generator with a seed, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const FS = [
  null,
  null,
  'ext4',
  'vfat',
  'linux_raid_member',
  'isw_raid_member',
  'LVM2_member',
  'crypto_LUKS',
  'btrfs',
  'mpath_member',
  'iso9660',
];
const MOUNTS = [null, null, null, null, null, null, null, null, '/', '/mnt', '[SWAP]', '/run/live/medium'];
const UPPER = ['lvm', 'crypt', 'raid1', 'mpath', 'dm', 'loop', 'container'];
const LABELS = [null, 'any:var', 'root_a', 'SPATIUMDDI', '\u001b[2J'];

function build(seed: number): Machine {
  const pick = random(seed);
  const from = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const signs = () => ({ fstype: from(FS), label: from(LABELS), mountpoint: from(MOUNTS), uuid: `u${pick(5)}`, ro: pick(9) === 0 });
  const shared = Array.from({ length: 3 }, (_, i) =>
    node(`${i === 0 ? 'md' : 'dm-'}${i}`, from(UPPER), { size: pick(90) * GIB, ...signs() }),
  );
  const above = (depth: number): Row[] => {
    if (depth === 0 || pick(3) > 0) return [];
    const row = from(shared);
    return [{ ...row, children: above(depth - 1).filter((r) => r.kname > row.kname) }];
  };
  const names = ['sda', 'sdb', 'nvme0n1', 'vda', 'zram0', 'mmcblk0boot0'].slice(0, 2 + pick(5));
  const rows = names.map((name) => {
    const parts = Array.from({ length: pick(4) }, (_, i) => part(`${name}p${i + 1}`, signs(), above(3)));
    const more = {
      size: pick(120) * GIB,
      'log-sec': from([512, 4096, null]),
      serial: from(['S1', 'S2', null]),
      wwn: from(['0x5', '0x6', null]),
      pttype: from(['gpt', null, 'sun']),
    };
    return disk(name, { ...signs(), ...more }, parts.length > 0 ? parts : above(3));
  });
  return machine(rows, from(['uefi', 'bios'] as const));
}

/** Everything above a device, found the plain way. */
function above(m: Machine, kname: string): BlockDevice[] {
  const own = m.devices.find((d) => d.kname === kname);
  return own === undefined ? [] : [own, ...own.children.flatMap((child) => above(m, child))];
}

it('500 random machines: nothing in use, no foreign array, and never one disk twice', () => {
  let selectable = 0;
  for (let seed = 1; seed <= 500; seed += 1) {
    const m = build(seed);
    const verdicts = judgeDisks(m);
    const chosen = verdicts.filter((v) => v.selectable);
    selectable += chosen.length;
    for (const verdict of chosen) {
      const stack = above(m, verdict.kname);
      const at = `seed ${seed}, ${verdict.kname}`;
      expect(
        stack.flatMap((d) => d.mountpoints),
        at,
      ).toEqual([]);
      expect(
        stack.filter((d) => /^(?:raid\d|container)$/.test(d.type) || d.fsType?.endsWith('_raid_member')),
        at,
      ).toEqual([]);
      expect(
        stack.slice(1).filter((d) => chosen.some((c) => c.kname === d.kname)),
        at,
      ).toEqual([]);
      expect(verdict.sizeBytes, at).toBeGreaterThanOrEqual(32 * GIB);
      expect(m.liveMedium, at).not.toContain(verdict.kname);
    }
    for (const { kname, reasons, warnings } of verdicts) {
      const texts = [...reasons, ...warnings].map((r) => r.text).join('');
      expect(texts, `seed ${seed}`).toMatch(/^[\x20-\x7e]*$/);
      expect(sameDisk(identityOf(m, kname), identityOf(m, kname))).toBeNull();
      expect(describeDisk(m, kname).facts.length).toBeGreaterThan(0);
      expect(eligibleMirrors(m, kname).every((v) => v.selectable && v.kname !== kname)).toBe(true);
      expect(['layout', 'refused']).toContain(keptLayoutOf(m, kname).kind);
    }
  }
  expect(selectable).toBeGreaterThan(50);
});

it('a damaged listing is refused in words or read, and never breaks the program', () => {
  const rows = [disk('sda', {}, [part('sda1', { mountpoint: '/' }, [node('dm-0', 'lvm')])]), disk('sdb')];
  const bytes = new TextEncoder().encode(JSON.stringify({ blockdevices: rows }));
  const outcomes = { read: 0, refused: 0 };
  for (let seed = 1; seed <= 1000; seed += 1) {
    const pick = random(seed);
    const damaged = Uint8Array.from(bytes);
    for (let i = 0; i <= pick(3); i += 1) damaged[pick(damaged.length)] = pick(256);
    try {
      judgeDisks(machineFromLsblk(pick(5) === 0 ? damaged.subarray(0, pick(damaged.length)) : damaged, { firmware: 'uefi' }));
      outcomes.read += 1;
    } catch (error) {
      expect(error, `seed ${seed}`).toBeInstanceOf(CaptureError);
      outcomes.refused += 1;
    }
  }
  expect(outcomes.read).toBeGreaterThan(50);
  expect(outcomes.refused).toBeGreaterThan(50);
});
