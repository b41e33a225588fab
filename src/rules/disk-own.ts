/** Recognises our own installation: the six-label layout, and our mirrors. */
import type { BlockDevice, Machine, Reason } from '#model/machine.ts';
import { type DiskGraph, diskGraph } from './disk-graph.ts';
import { pathOf, plain } from './disk-text.ts';

/** GPT names and labels that every disk of ours has; bios_boot is absent on arm64. */
const LAYOUT = ['esp', 'state', 'root_a', 'root_b', 'var'] as const;
const MIRRORED = ['state', 'root_a', 'root_b', 'var'] as const;
/** `--homehost=any`, as the superblock spells it. */
const MD_HOME = 'any';

const isArrayName = (kname: string): boolean => /^md/.test(kname);
const lower = (text: string | null): string => (text ?? '').toLowerCase();

/** Partitions of the six-label layout by name, or null when it is not all there. */
function layoutOf(graph: DiskGraph, disk: BlockDevice): Map<string, BlockDevice> | null {
  const parts = graph.partitions(disk.kname);
  const found = new Map<string, BlockDevice>();
  for (const name of LAYOUT) {
    // A slot upgrade overwrites labels, so the GPT name decides; listings without PARTLABEL have only the label.
    const part = parts.find((p) => lower(p.partLabel) === name) ?? parts.find((p) => p.partLabel === null && lower(p.fsLabel) === name);
    if (part === undefined) return null;
    found.set(name, part);
  }
  return found;
}

/** True for a disk with the six partitions of an installation of ours, whatever is in them. */
export const hasOwnLayout = (graph: DiskGraph, disk: BlockDevice): boolean => layoutOf(graph, disk) !== null;

/** An assembled RAID1, or an array that waits for its other half: the kernel gives it no level and no size until it is started. */
const isMirrorArray = (array: BlockDevice): boolean => array.type === 'raid1' || (array.type === 'md' && array.sizeBytes === 0);

/** True for a RAID member that this installer made: metadata 1.2, home `any`, our name, in a RAID1 or in nothing. */
function isOwnMember(graph: DiskGraph, part: BlockDevice, name: string): boolean {
  const superblock = part.fsType === 'linux_raid_member' && part.fsVersion === '1.2' && lower(part.fsLabel) === `${MD_HOME}:${name}`;
  const arrays = part.children.map((k) => graph.get(k)).filter((d): d is BlockDevice => d !== null);
  return (
    superblock && arrays.every((a) => isMirrorArray(a) && (a.mdName === null || [name, `${MD_HOME}:${name}`].includes(lower(a.mdName))))
  );
}

/**
 * True when the disk is one half of a mirror that this installer made, and no other array is on it. A power cut while the arrays
 * are made, or erased for new ones, leaves some of them: those that are there must be ours.
 */
export function isOwnMirrorDisk(graph: DiskGraph, disk: BlockDevice): boolean {
  const layout = layoutOf(graph, disk);
  if (layout === null || disk.fsType !== null) return false;
  const isMember = (part: BlockDevice): boolean => part.fsType?.endsWith('_raid_member') === true || part.children.some(isArrayName);
  const members = graph.partitions(disk.kname).filter(isMember);
  return (
    members.length > 0 && members.every((part) => MIRRORED.some((name) => layout.get(name) === part && isOwnMember(graph, part, name)))
  );
}

export type LayoutName = 'bios_boot' | (typeof LAYOUT)[number];

/** A partition of an installation that is kept, as it is on the disk. */
export interface KeptPartition {
  readonly name: LayoutName;
  readonly kname: string;
  readonly path: string;
  readonly number: number | null;
  readonly sizeBytes: number;
  readonly partUuid: string | null;
  readonly fsUuid: string | null;
}

/** The layout that a reinstallation keeping /var reuses, or why there is none. */
export type KeptLayout =
  | { readonly kind: 'layout'; readonly tableUuid: string | null; readonly partitions: readonly KeptPartition[] }
  | { readonly kind: 'refused'; readonly reason: Reason };

const FILESYSTEMS: Readonly<Record<(typeof LAYOUT)[number], string | null>> = {
  esp: 'vfat',
  state: 'ext4',
  // Slots are made anew, so what they hold does not matter.
  root_a: null,
  root_b: null,
  var: 'ext4',
};

const refuse = (code: string, text: string): KeptLayout => ({ kind: 'refused', reason: { code, text } });

/** Can this disk be installed anew with /var and STATE kept? Everything must be found on this very disk, and on no array. */
export function keptLayoutOf(machine: Machine, kname: string): KeptLayout {
  const graph = diskGraph(machine.devices);
  const disk = graph.get(kname);
  if (disk === null) return refuse('keep.no-disk', 'no such disk in this machine');
  const layout = layoutOf(graph, disk);
  if (layout === null)
    return refuse('keep.no-layout', `there is no complete installation of this product on ${pathOf(disk)}, so there is no data to keep`);
  const parts = graph.partitions(kname);
  if (parts.some((p) => p.fsType?.endsWith('_raid_member')))
    return refuse('keep.mirror', `the installation on ${pathOf(disk)} is a mirror; keeping the data of a mirror is not possible here`);
  for (const name of LAYOUT) {
    const [wanted, part] = [FILESYSTEMS[name], layout.get(name) as BlockDevice];
    if (wanted !== null && part.fsType !== wanted)
      return refuse(
        'keep.filesystem',
        `${pathOf(part)} (${name}) holds ${part.fsType === null ? 'no file system' : plain(part.fsType)}, not ${wanted}`,
      );
  }
  const bios = parts.find((p) => lower(p.partLabel) === 'bios_boot');
  const named: (readonly [LayoutName, BlockDevice])[] = [
    ...(bios ? [['bios_boot', bios] as const] : []),
    ...LAYOUT.map((n) => [n, layout.get(n) as BlockDevice] as const),
  ];
  return {
    kind: 'layout',
    tableUuid: disk.partitionTableUuid,
    partitions: named.map(([name, p]) => ({
      name,
      kname: p.kname,
      path: p.path,
      number: p.partNumber,
      sizeBytes: p.sizeBytes,
      partUuid: p.partUuid,
      fsUuid: p.fsUuid,
    })),
  };
}
