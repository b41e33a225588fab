/** Machines for tests, written as the rows lsblk prints. */
import { machineFromLsblk } from '#machine/from-lsblk.ts';
import type { DiskVerdict, Firmware, Machine } from '#model/machine.ts';
import { judgeDisks } from '#rules/disks.ts';

export const GIB = 1024 ** 3;

export interface Row {
  kname: string;
  type: string;
  size: number;
  children?: Row[];
  [column: string]: unknown;
}

export const disk = (kname: string, more: Record<string, unknown> = {}, children: Row[] = []): Row => ({
  kname,
  name: kname,
  type: 'disk',
  size: 100 * GIB,
  serial: `SN-${kname}`,
  'log-sec': 512,
  fstype: null,
  mountpoint: null,
  ro: false,
  children,
  ...more,
});

export const node = (kname: string, type: string, more: Record<string, unknown> = {}, children: Row[] = []): Row => ({
  kname,
  name: kname,
  type,
  size: 10 * GIB,
  mountpoint: null,
  ro: false,
  children,
  ...more,
});

export const part = (kname: string, more: Record<string, unknown> = {}, children: Row[] = []): Row => node(kname, 'part', more, children);

export const machine = (rows: readonly Row[], firmware: Firmware = 'uefi'): Machine =>
  machineFromLsblk(new TextEncoder().encode(JSON.stringify({ blockdevices: rows })), { firmware });

export const judge = (rows: readonly Row[], firmware: Firmware = 'uefi'): DiskVerdict[] => judgeDisks(machine(rows, firmware));

export const codes = (verdicts: readonly DiskVerdict[], kname: string): string[] =>
  verdicts.find((v) => v.kname === kname)?.reasons.map((r) => r.code) ?? ['not listed'];

export const warned = (verdicts: readonly DiskVerdict[], kname: string): string[] =>
  verdicts.find((v) => v.kname === kname)?.warnings.map((r) => r.code) ?? ['not listed'];

/** Partitions of an installation of ours; `member` makes 3 to 6 halves of our mirrors. */
export function ownLayout(disk: string, member = false, rename: (name: string) => string = (name) => `any:${name}`): Row[] {
  const names = ['bios_boot', 'ESP', 'state', 'root_A', 'root_B', 'var'];
  return names.map((name, i) => {
    const raid = member && i >= 2;
    const label = raid ? rename(name.toLowerCase()) : name.toLowerCase();
    return part(`${disk}${i + 1}`, {
      partn: i + 1,
      partlabel: name,
      partuuid: `uuid-${disk}-${i + 1}`,
      fstype: raid ? 'linux_raid_member' : i === 0 ? null : i === 1 ? 'vfat' : 'ext4',
      fsver: raid ? '1.2' : '1.0',
      label: i === 0 ? null : label,
    });
  });
}
