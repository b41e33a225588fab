/** What is on a disk, in words an operator knows it by. */
import type { BlockDevice, InstalledSystem, Machine } from '#model/machine.ts';
import { type DiskGraph, mapOver } from './disk-graph.ts';
import { hasOwnLayout, isOwnMirrorDisk } from './disk-own.ts';
import { listPaths, listWords, pathOf, plain, roundSize } from './disk-text.ts';

const TABLE_NAMES: Readonly<Record<string, string>> = { gpt: 'GPT', dos: 'MBR', PMBR: 'damaged GPT (protective MBR only)' };

const FS_NAMES: Readonly<Record<string, string>> = {
  linux_raid_member: 'Linux RAID member',
  isw_raid_member: 'Intel (IMSM) RAID member',
  ddf_raid_member: 'DDF RAID member',
  LVM2_member: 'LVM physical volume',
  crypto_LUKS: 'LUKS encrypted volume',
  BitLocker: 'BitLocker encrypted volume',
  zfs_member: 'ZFS pool member',
  bcache: 'bcache member',
  mpath_member: 'multipath path',
  VMFS_volume_member: 'VMware VMFS',
  VMFS: 'VMware VMFS',
  ntfs: 'NTFS',
  vfat: 'FAT',
  exfat: 'exFAT',
  swap: 'swap space',
};

const MICROSOFT_RESERVED = 'e3c9e316-0b5c-4db8-817d-f92df00215ae';
const MICROSOFT_DATA = 'ebd0a0a2-b9e5-4433-87c0-68b6b72699c7';

/** `ext4 "rootfs"`, `LVM physical volume`; null for a device without a signature. */
function signatureOf(device: BlockDevice): string | null {
  if (device.fsType === null) return null;
  const name = FS_NAMES[device.fsType] ?? plain(device.fsType.replace(/_raid_member$/, ' RAID member').replaceAll('_', ' '));
  return device.fsLabel === null ? name : `${name} "${plain(device.fsLabel)}"`;
}

const typeOf = (device: BlockDevice): string => (device.partType ?? '').toLowerCase();

/** Other systems, guessed from partition types and signatures; words such as `Windows` are claims, so each needs its own sign. */
function otherSystems(nodes: readonly BlockDevice[]): string[] {
  const has = (test: (d: BlockDevice) => boolean): boolean => nodes.some(test);
  const found: string[] = [];
  const windows =
    has((d) => typeOf(d) === MICROSOFT_RESERVED || d.fsType === 'BitLocker') || has((d) => d.fsType === 'ntfs' && typeOf(d) !== '');
  if (windows) found.push(has((d) => d.fsType === 'BitLocker') ? 'Windows (BitLocker)' : 'Windows');
  else if (has((d) => typeOf(d) === MICROSOFT_DATA && d.fsType === null)) found.push('a Microsoft data partition');
  if (has((d) => d.fsType === 'apfs' || d.fsType === 'hfsplus')) found.push('macOS');
  if (has((d) => /^VMFS/.test(d.fsType ?? ''))) found.push('VMware ESXi datastore');
  if (has((d) => d.fsType === 'zfs_member')) found.push('ZFS');
  if (has((d) => d.fsType === 'ufs' || /^516e7c/.test(typeOf(d)))) found.push('BSD');
  return found;
}

function ownText(installed: InstalledSystem | undefined): string {
  if (installed === undefined) return 'an installation of this product';
  const slots = installed.slots.map((s) => `slot ${s.slot} ${s.version === null ? 'of unknown version' : plain(s.version)}`);
  const boot = installed.lastBootAt === null ? '' : `, last used ${installed.lastBootAt.slice(0, 16).replace('T', ' ')} UTC`;
  return `an installation of this product (${listWords(slots)}${boot})`;
}

export interface DiskContents {
  /** True when nothing at all was found. */
  readonly blank: boolean;
  /** False: nothing said what it holds; the summary then says so. */
  readonly recorded: boolean;
  /** One line: `Windows`, `an installation of this product (…)`, `blank`. */
  readonly summary: string;
  /** One line a partition or volume, for the picker's second pane. */
  readonly lines: readonly string[];
  /** `GPT`, `MBR`, `none`. */
  readonly table: string;
}

function lineOf(device: BlockDevice): string {
  const name = device.partLabel === null ? '' : ` "${plain(device.partLabel)}"`;
  const mounts = device.mountpoints.length === 0 ? '' : `, in use at ${listWords(device.mountpoints.map(plain))}`;
  const size = device.sizeBytes === 0 ? '' : ` ${roundSize(device.sizeBytes)}`;
  return `${pathOf(device)}${size}${name}: ${signatureOf(device) ?? (device.children.length > 0 ? 'in use' : 'no known content')}${mounts}`;
}

function summaryOf(machine: Machine, graph: DiskGraph, disk: BlockDevice, nodes: readonly BlockDevice[]): string {
  if (hasOwnLayout(graph, disk)) {
    const own = ownText(machine.installed?.find((i) => i.disk === disk.kname));
    return isOwnMirrorDisk(graph, disk) ? `half of a mirror of ${own}` : own;
  }
  const systems = otherSystems(nodes);
  const signatures = nodes.map(signatureOf).filter((s): s is string => s !== null);
  const parts = graph.partitions(disk.kname).length;
  const counted = parts === 0 ? '' : `${parts} partition${parts === 1 ? '' : 's'}`;
  const detail = [...new Set(signatures)];
  const words = [...systems, ...(detail.length > 0 ? [listWords(detail, 5)] : [])];
  const found = [counted, ...words].filter((word) => word !== '').join('; ');
  if (found !== '') return found;
  const volumes = nodes.filter((node) => node !== disk);
  if (disk.partitionTable !== null && TABLE_NAMES[disk.partitionTable] === undefined && volumes.length === 0)
    return 'nothing that can be read here';
  return volumes.length > 0 ? `${listPaths(volumes)} with no known content` : 'an empty partition table';
}

/** No partition table, no signature, nothing stacked on it. */
export const isEmptyDisk = (disk: BlockDevice, stack: readonly BlockDevice[]): boolean =>
  disk.partitionTable === null && disk.fsType === null && stack.length === 0;

/** What would be lost. `stack` is what lies on the disk: see `stackOn`. */
export function contentsOf(machine: Machine, graph: DiskGraph, disk: BlockDevice, stack: readonly BlockDevice[]): DiskContents {
  const table = disk.partitionTable === null ? 'none' : (TABLE_NAMES[disk.partitionTable] ?? plain(disk.partitionTable));
  const empty = isEmptyDisk(disk, stack);
  const recorded = machine.contentsRecorded !== false;
  const map = mapOver(graph, disk);
  // What is mounted holds something, be it that nobody could read what.
  if (empty && map === null && (!recorded || disk.mountpoints.length > 0)) {
    const use = disk.mountpoints.length === 0 ? '' : `; in use at ${listWords(disk.mountpoints.map(plain))}`;
    return { blank: false, recorded: false, table: 'not recorded', summary: `not recorded${use}`, lines: [] };
  }
  // A disk without a signature may still be what a mount or another tool holds.
  if (empty && map === null && disk.usageRecorded === false)
    return { blank: false, recorded: true, table, summary: 'no known content; whether it is in use is not recorded', lines: [] };
  if (map !== null) return { blank: false, recorded: true, table: 'none', summary: `a path of ${pathOf(map)}`, lines: [] };
  return {
    blank: empty,
    recorded: true,
    table,
    summary: empty ? 'blank' : summaryOf(machine, graph, disk, [disk, ...stack]),
    lines: [...(disk.fsType === null ? [] : [lineOf(disk)]), ...stack.map(lineOf)],
  };
}
