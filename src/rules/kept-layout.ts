/** Can this disk be reinstalled with its data kept? Looks at the layout on this very disk, never at labels elsewhere. */
import type { BlockDevice, Machine } from '#model/machine.ts';
import { diskGraph } from './disk-graph.ts';
import { plain } from './disk-text.ts';

export type KeptName = 'esp' | 'state' | 'root_a' | 'root_b' | 'var';

export interface KeptLayout {
  readonly tableUuid: string;
  readonly partitions: Readonly<Record<KeptName, BlockDevice>>;
}

export type KeptAnswer =
  | { readonly kind: 'reusable'; readonly layout: KeptLayout }
  /** Why not, in words, each for itself. */
  | { readonly kind: 'not-reusable'; readonly missing: readonly string[] };

interface Wanted {
  readonly name: KeptName;
  readonly fsType: string;
  /** Slots are named by the partition table: a slot image overwrites the label. The data partitions by their label. */
  readonly by: 'partLabel' | 'fsLabel';
}

const WANTED: readonly Wanted[] = [
  { name: 'esp', fsType: 'vfat', by: 'fsLabel' },
  { name: 'state', fsType: 'ext4', by: 'fsLabel' },
  { name: 'root_a', fsType: 'ext4', by: 'partLabel' },
  { name: 'root_b', fsType: 'ext4', by: 'partLabel' },
  { name: 'var', fsType: 'ext4', by: 'fsLabel' },
];

const MIN_SLOT_BYTES = 8 * 1024 ** 3;

function faultOf(wanted: Wanted, found: readonly BlockDevice[], all: readonly BlockDevice[]): string | null {
  const [part, second] = found;
  if (part === undefined) {
    const inMirror = all.some((p) => p.fsType?.endsWith('_raid_member'));
    return inMirror ? `${wanted.name} is half of a mirror` : `there is no partition ${wanted.name}`;
  }
  if (second !== undefined) return `two partitions are called ${wanted.name}: ${plain(part.path)} and ${plain(second.path)}`;
  if (part.partUuid === null) return `${plain(part.path)} has no partition UUID`;
  if (part.children.length > 0) return `${plain(part.path)} (${wanted.name}) is in use by something else`;
  const isSlot = wanted.name === 'root_a' || wanted.name === 'root_b';
  if (isSlot && part.sizeBytes < MIN_SLOT_BYTES) return `${plain(part.path)} (${wanted.name}) is smaller than 8 GiB`;
  if (!isSlot && wanted.name !== 'esp' && part.fsType !== wanted.fsType)
    return `${plain(part.path)} (${wanted.name}) holds no ${wanted.fsType} file system`;
  if ((wanted.name === 'state' || wanted.name === 'var') && part.fsUuid === null)
    return `${plain(part.path)} (${wanted.name}) has no file system UUID`;
  return null;
}

/** Looks for the layout on the disk of that kernel name; every fault is named. */
export function keptLayout(machine: Machine, kname: string): KeptAnswer {
  const graph = diskGraph(machine.devices);
  const disk = graph.get(kname);
  if (disk === null) return { kind: 'not-reusable', missing: ['the disk is not there'] };
  const parts = graph.partitions(kname);
  const missing: string[] = [];
  if (disk.partitionTable !== 'gpt' || disk.partitionTableUuid === null) missing.push('the disk has no GPT partition table');
  const found = new Map<KeptName, BlockDevice>();
  for (const wanted of WANTED) {
    const candidates = parts.filter((p) => (p[wanted.by] ?? '').toLowerCase() === wanted.name);
    const fault = faultOf(wanted, candidates, parts);
    if (fault !== null) missing.push(fault);
    else found.set(wanted.name, candidates[0] as BlockDevice);
  }
  if (missing.length > 0) return { kind: 'not-reusable', missing };
  const partitions = Object.fromEntries(found) as Record<KeptName, BlockDevice>;
  return { kind: 'reusable', layout: { tableUuid: disk.partitionTableUuid as string, partitions } };
}
