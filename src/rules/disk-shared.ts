/** What lies on several disks at once, where the graph shows the use of it on one of them only. */
import type { BlockDevice, Reason } from '#model/machine.ts';
import type { DiskGraph } from './disk-graph.ts';
import { indexOf } from './disk-index.ts';
import { pathOf, plain } from './disk-text.ts';

const SPANNING = new Set(['btrfs', 'bcachefs', 'zfs_member']);

interface Share {
  /** The part of it on this disk. */
  readonly part: BlockDevice;
  /** `volume group "vg0"`, `btrfs file system`. */
  readonly what: string;
  /** The parts on other disks. */
  readonly others: readonly BlockDevice[];
}

/** Volume groups, and file systems over several devices, that a disk shares with others. */
export function sharesOf(graph: DiskGraph, mine: readonly BlockDevice[]): Share[] {
  const index = indexOf(graph);
  const own = new Set(mine);
  return mine.flatMap((part): Share[] => {
    const { volumeGroup: group, fsUuid: uuid, fsType } = part;
    if (group !== undefined && group !== null) {
      const others = index.inGroup(group).filter((d) => !own.has(d));
      return others.length === 0 ? [] : [{ part, what: `volume group "${plain(group)}"`, others }];
    }
    if (fsType === null || uuid === null || !SPANNING.has(fsType)) return [];
    const others = index.withFsUuid(uuid).filter((d) => !own.has(d) && d.fsType === fsType);
    return others.length === 0 ? [] : [{ part, what: `${plain(fsType)} file system`, others }];
  });
}

/** Refused when what it shares is in use, be it through another disk. */
export function sharedInUse({ graph, disk, stack }: { graph: DiskGraph; disk: BlockDevice; stack: readonly BlockDevice[] }): Reason[] {
  const mine = [disk, ...stack];
  if (mine.some((d) => d.mountpoints.length > 0)) return [];
  for (const { part, what, others } of sharesOf(graph, mine)) {
    for (const other of others) {
      const where = [other, ...graph.above(other.kname)].flatMap((d) => d.mountpoints)[0];
      if (where === undefined) continue;
      const use = where === '[SWAP]' ? 'is active swap space' : `is mounted at ${plain(where)}`;
      return [{ code: 'disk.mounted', text: `in use: ${pathOf(part)} belongs to the ${what} that ${use} (through ${pathOf(other)})` }];
    }
  }
  return [];
}
