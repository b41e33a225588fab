/** What the devices of a machine have in common, looked up once: asking every disk about every other takes minutes on large machines. */
import type { BlockDevice } from '#model/machine.ts';
import { type DiskGraph, hardwareOf, isWholeDisk, mapOver } from './disk-graph.ts';
import { usableSerial, wwnKey } from './disk-identity.ts';
import { hasOwnLayout } from './disk-own.ts';
import { roundSize } from './disk-text.ts';

export interface DiskIndex {
  /** Whole disks with that serial number, in the order of the machine's devices. */
  withSerial(serial: string): readonly BlockDevice[];
  /** Other whole disks that are proven to be this one: the same WWN, serial and size. */
  twinsOf(disk: BlockDevice): readonly BlockDevice[];
  /** Whole disks with the same WWN, the proven twins left out; the disk itself may be among them. */
  sharingWwn(disk: BlockDevice): readonly BlockDevice[];
  /** Whole disks that hold an installation of ours. */
  readonly ownDisks: readonly BlockDevice[];
  /** Whole disks whose serial number ends so, paths of maps left out. */
  endingIn(end: string): readonly BlockDevice[];
  /** Whole disks of that rounded size, paths of maps left out. */
  ofRoundSize(size: string): readonly BlockDevice[];
  /** Devices of one LVM volume group. */
  inGroup(group: string): readonly BlockDevice[];
  /** Devices whose file system has that UUID. */
  withFsUuid(uuid: string): readonly BlockDevice[];
}

function grouped(devices: readonly BlockDevice[], keyOf: (d: BlockDevice) => string | null | undefined) {
  const groups = new Map<string, BlockDevice[]>();
  for (const device of devices) {
    const key = keyOf(device);
    if (key === null || key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [device]);
    else group.push(device);
  }
  return (key: string): readonly BlockDevice[] => groups.get(key) ?? [];
}

/** Equal for two paths of one disk; null when nothing could prove it. A serial that is a filler is the same on both paths too. */
function proofOf(device: BlockDevice): string | null {
  const wwn = wwnKey(device.wwn);
  const serial = device.serial?.trim() ?? '';
  return wwn === null || serial === '' ? null : JSON.stringify([wwn, serial, device.sizeBytes]);
}

/** As many characters of a serial number as an operator is asked to type. */
export const SERIAL_END_CHARS = 4;

/** The end of a serial number in small letters; null when there is none that any keyboard can type. */
export function serialEnd(graph: DiskGraph, disk: BlockDevice): string | null {
  const end = usableSerial(hardwareOf(graph, disk).serial)?.slice(-SERIAL_END_CHARS).toLowerCase() ?? '';
  return end.length === SERIAL_END_CHARS && /^[\x21-\x7e]+$/.test(end) ? end : null;
}

const indexes = new WeakMap<DiskGraph, DiskIndex>();

function makeIndex(graph: DiskGraph): DiskIndex {
  const disks = graph.devices.filter(isWholeDisk);
  const choices = disks.filter((d) => mapOver(graph, d) === null);
  const proofs = new Map(graph.devices.map((d) => [d, proofOf(d)]));
  const withWwn = grouped(disks, (d) => wwnKey(d.wwn));
  const withProof = grouped(disks, (d) => proofs.get(d));
  const proof = (d: BlockDevice): string | null => proofs.get(d) ?? null;
  return {
    twinsOf: (disk) => withProof(proof(disk) ?? '').filter((d) => d !== disk),
    sharingWwn: (disk) => {
      const [all, mine] = [withWwn(wwnKey(disk.wwn) ?? ''), proof(disk)];
      if (mine === null) return all;
      return withProof(mine).length === all.length ? [] : all.filter((d) => proof(d) !== mine);
    },
    endingIn: grouped(choices, (d) => serialEnd(graph, d)),
    ofRoundSize: grouped(choices, (d) => roundSize(d.sizeBytes)),
    withSerial: grouped(disks, (d) => usableSerial(d.serial)),
    ownDisks: disks.filter((d) => hasOwnLayout(graph, d)),
    inGroup: grouped(graph.devices, (d) => d.volumeGroup),
    withFsUuid: grouped(graph.devices, (d) => d.fsUuid),
  };
}

/** What several disks may have in common, made once a graph. */
export function indexOf(graph: DiskGraph): DiskIndex {
  const known = indexes.get(graph) ?? makeIndex(graph);
  indexes.set(graph, known);
  return known;
}
