/** The block devices as the DAG they are: what stands on what, and which nodes are whole disks. */
import type { BlockDevice } from '#model/machine.ts';

export interface DiskGraph {
  readonly devices: readonly BlockDevice[];
  get(kname: string): BlockDevice | null;
  /** Everything that stands on a device, nearest first, each once, itself left out. */
  above(kname: string): readonly BlockDevice[];
  /** Everything a device stands on, nearest first, each once, itself left out. */
  below(kname: string): readonly BlockDevice[];
  /** Partitions directly on a device, in order of their number. */
  partitions(kname: string): readonly BlockDevice[];
}

/** A machine document never changes, so one graph serves every question about it. */
const graphs = new WeakMap<readonly BlockDevice[], DiskGraph>();

/** The graph of these devices; asked again for the same list it is the same graph. */
export function diskGraph(devices: readonly BlockDevice[]): DiskGraph {
  const known = graphs.get(devices) ?? makeGraph(devices);
  graphs.set(devices, known);
  return known;
}

/** Remembers answers by kernel name. */
function remembered<T>(answer: (kname: string) => T): (kname: string) => T {
  const answers = new Map<string, T>();
  return (kname) => {
    const known = answers.get(kname) ?? answer(kname);
    answers.set(kname, known);
    return known;
  };
}

function makeGraph(devices: readonly BlockDevice[]): DiskGraph {
  const byName = new Map(devices.map((d) => [d.kname, d]));
  const walk = (start: string, next: (d: BlockDevice) => readonly string[]): BlockDevice[] => {
    const seen = new Set([start]);
    const order: BlockDevice[] = [];
    let ring = [start];
    while (ring.length > 0) {
      const names = ring.flatMap((name) => next(byName.get(name) as BlockDevice)).filter((name) => byName.has(name) && !seen.has(name));
      ring = [...new Set(names)];
      for (const name of ring) {
        seen.add(name);
        order.push(byName.get(name) as BlockDevice);
      }
    }
    return order;
  };
  const get = (kname: string): BlockDevice | null => byName.get(kname) ?? null;
  return {
    devices,
    get,
    above: remembered((kname) => (byName.has(kname) ? walk(kname, (d) => d.children) : [])),
    below: remembered((kname) => (byName.has(kname) ? walk(kname, (d) => d.parents) : [])),
    partitions: remembered((kname) =>
      (get(kname)?.children ?? [])
        .map(get)
        .filter((d): d is BlockDevice => d?.type === 'part')
        .sort((a, b) => (a.partNumber ?? 0) - (b.partNumber ?? 0)),
    ),
  };
}

/** Kernel names that lsblk types as `disk` and that are no disk to install on. */
const NO_DISK =
  /^(?:loop|ram|zram|nbd|fd|sr|scd|md|dm-|bcache|drbd|zd|rbd|rnbd|ublkb|nullb|zloop|mtdblock)\d|^mmcblk\d+(?:boot\d+|rpmb|gp\d+)$|^nvme\d+c\d+n\d+$/;

/** By type, or by the UUID where lsblk calls every map `dm`. */
export const isMultipathMap = (device: BlockDevice): boolean => device.type === 'mpath' || (device.dmUuid?.startsWith('mpath-') ?? false);

/** True for what a picker lists, selectable or refused: whole disks with a medium in them, and multipath maps. */
export const isWholeDisk = (device: BlockDevice): boolean =>
  device.sizeBytes > 0 &&
  (isMultipathMap(device) || (device.type === 'disk' && device.parents.length === 0 && !NO_DISK.test(device.kname)));

/** The device whose label says what a disk is: for a multipath map its first path, else the disk itself. */
export function hardwareOf(graph: DiskGraph, disk: BlockDevice): BlockDevice {
  if (!isMultipathMap(disk)) return disk;
  return graph.get(disk.parents[0] ?? '') ?? disk;
}

/** The multipath map that stands on a device, which makes the device one of its paths; null for any other device. */
export const mapOver = (graph: DiskGraph, device: BlockDevice): BlockDevice | null =>
  graph.above(device.kname).find(isMultipathMap) ?? null;

/** Everything on a disk: partitions, and what is stacked on them. What lies on a path is said of its map. */
export const stackOn = (graph: DiskGraph, disk: BlockDevice): readonly BlockDevice[] =>
  mapOver(graph, disk) === null ? graph.above(disk.kname) : [];
