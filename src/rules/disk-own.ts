/** Recognises our own installation: the six-label layout, and our mirrors (ruling R23). */
import type { BlockDevice } from '#model/machine.ts';
import type { DiskGraph } from './disk-graph.ts';

/** GPT names and labels that every disk of ours has; bios_boot is absent on arm64. */
const LAYOUT = ['esp', 'state', 'root_a', 'root_b', 'var'] as const;
const MIRRORED = ['state', 'root_a', 'root_b', 'var'] as const;
/** `--homehost=any`, as the superblock spells it. */
const MD_HOME = 'any';

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

export const hasOwnLayout = (graph: DiskGraph, disk: BlockDevice): boolean => layoutOf(graph, disk) !== null;

/** True for a RAID member that this installer made: metadata 1.2, home `any`, our name, an assembled RAID1 or none. */
function isOwnMember(graph: DiskGraph, part: BlockDevice, name: string): boolean {
  const superblock = part.fsType === 'linux_raid_member' && part.fsVersion === '1.2' && lower(part.fsLabel) === `${MD_HOME}:${name}`;
  const arrays = part.children.map((k) => graph.get(k)).filter((d): d is BlockDevice => d !== null);
  return (
    superblock && arrays.every((a) => a.type === 'raid1' && (a.mdName === null || [name, `${MD_HOME}:${name}`].includes(lower(a.mdName))))
  );
}

/** True when the disk is one half of a mirror that this installer made, and nothing else is on it. */
export function isOwnMirrorDisk(graph: DiskGraph, disk: BlockDevice): boolean {
  const layout = layoutOf(graph, disk);
  if (layout === null || disk.fsType !== null) return false;
  const members = graph.partitions(disk.kname).filter((p) => p.fsType?.endsWith('_raid_member'));
  return members.length === MIRRORED.length && MIRRORED.every((name) => isOwnMember(graph, layout.get(name) as BlockDevice, name));
}
