/** Everything a picker says about one disk, as text that is safe to show. */
import type { BlockDevice, Machine, NvmePath } from '#model/machine.ts';
import { contentsOf, type DiskContents } from './disk-contents.ts';
import { type DiskGraph, diskGraph, hardwareOf, isMultipathMap, stackOn } from './disk-graph.ts';
import { bestById, usableSerial } from './disk-identity.ts';
import { indexOf, SERIAL_END_CHARS, serialEnd } from './disk-index.ts';
import { exactSize, plain, roundSize } from './disk-text.ts';

/** What the operator types to confirm erasing: the end of the serial, else the size, else the name; the first that no other disk has. */
export interface ConfirmWord {
  readonly kind: 'serial' | 'size' | 'name';
  readonly word: string;
  /** `the last 4 characters of its serial number`. */
  readonly question: string;
}

export interface DiskPassport {
  readonly kname: string;
  readonly path: string;
  /** `Samsung SSD 980 PRO`, `multipath device over sda and sdb`, `disk`. */
  readonly title: string;
  readonly sizeText: string;
  readonly exactSizeText: string;
  readonly byId: string | null;
  readonly byPath: string | null;
  /** Label and value, in the order to show; only what is known. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  readonly contents: DiskContents;
  readonly confirm: ConfirmWord;
}

const TRANSPORTS: Readonly<Record<string, string>> = {
  sata: 'SATA',
  ata: 'ATA',
  sas: 'SAS',
  nvme: 'NVMe',
  usb: 'USB',
  virtio: 'virtio',
  mmc: 'MMC/SD',
  fc: 'Fibre Channel',
  iscsi: 'iSCSI',
};

const FILLER_VENDORS = new Set(['ata', 'nvme', 'usb', '0x1af4']);

function titleOf(graph: DiskGraph, disk: BlockDevice): string {
  const hardware = hardwareOf(graph, disk);
  const vendor = hardware.vendor !== null && !FILLER_VENDORS.has(hardware.vendor.toLowerCase()) ? hardware.vendor : null;
  const model = hardware.model?.replaceAll('_', ' ') ?? null;
  const words = [vendor !== null && !model?.toLowerCase().startsWith(vendor.toLowerCase()) ? vendor : null, model].filter(
    (w) => w !== null,
  );
  const name = plain(words.join(' ').replace(/\s+/g, ' '));
  const kind = hardware.transport === null ? 'disk' : `${TRANSPORTS[hardware.transport] ?? plain(hardware.transport)} disk`;
  return name === '' ? kind : name;
}

/** `rotating`, `solid state`, `virtual`; null when the kernel was not asked. Virtual disks report either, at random. */
function mediumOf(disk: BlockDevice): string | null {
  if (disk.rotational === null) return null;
  if (disk.transport === 'virtio' || /^(?:qemu|vmware|virtual|msft|vbox)/i.test(disk.vendor ?? disk.model ?? '')) return 'virtual';
  return disk.rotational ? 'rotating' : 'solid state';
}

function sectorText(disk: BlockDevice): string | null {
  const { logicalSectorBytes: logical, physicalSectorBytes: physical } = disk;
  if (logical === null) return null;
  const name = logical === 4096 ? ' (4Kn)' : physical === 4096 ? ' (512e)' : '';
  return `${logical} bytes logical${physical === null ? '' : `, ${physical} physical`}${name}`;
}

function pathList(paths: readonly NvmePath[]): string {
  const words = paths.map(({ kname, state }) => (state === null ? kname : `${kname} (${state})`));
  return `${paths.length}: ${words.join(', ') || 'none known'}`;
}

function pathsText(graph: DiskGraph, disk: BlockDevice): string | null {
  if (disk.nvmePaths !== undefined) return pathList(disk.nvmePaths);
  if (!isMultipathMap(disk)) return null;
  return pathList(disk.parents.map((kname) => ({ kname, state: graph.get(kname)?.state ?? null })));
}

/** What two disks have in common tells neither from the other. `size` is the rounded figure, as the picker shows it. */
export function confirmWordOf(machine: Machine, kname: string): ConfirmWord {
  const graph = diskGraph(machine.devices);
  const disk = graph.get(kname);
  if (disk === null) throw new Error(`no block device ${plain(kname)} in this machine`);
  const index = indexOf(graph);
  const isSole = (alike: readonly BlockDevice[]): boolean => alike.every((d) => d === disk);
  const serial = usableSerial(hardwareOf(graph, disk).serial);
  const end = serialEnd(graph, disk);
  if (serial !== null && end !== null && isSole(index.endingIn(end))) {
    const question = `the last ${SERIAL_END_CHARS} characters of its serial number`;
    return { kind: 'serial', word: serial.slice(-SERIAL_END_CHARS), question };
  }
  const size = roundSize(disk.sizeBytes);
  if (isSole(index.ofRoundSize(size))) return { kind: 'size', word: size, question: 'its size, as shown' };
  return {
    kind: 'name',
    word: plain(disk.path.split('/').at(-1) ?? disk.kname),
    question: `its name, the last part of ${plain(disk.path)}`,
  };
}

/** The passport of a disk. Throws when the machine has no such kernel name: the caller chose from a list. */
export function describeDisk(machine: Machine, kname: string): DiskPassport {
  const graph = diskGraph(machine.devices);
  const disk = graph.get(kname);
  if (disk === null) throw new Error(`no block device ${plain(kname)} in this machine`);
  const hardware = hardwareOf(graph, disk);
  const byPath =
    disk.links.find((l) => l.startsWith('/dev/disk/by-path/')) ?? hardware.links.find((l) => l.startsWith('/dev/disk/by-path/')) ?? null;
  const byId = bestById(disk);
  const known: readonly (readonly [label: string, value: string | null])[] = [
    ['Vendor', hardware.vendor],
    ['Model', hardware.model],
    ['Serial', hardware.serial],
    ['WWN', hardware.wwn],
    ['Transport', hardware.transport === null ? null : (TRANSPORTS[hardware.transport] ?? hardware.transport)],
    ['Paths', pathsText(graph, disk)],
    ['Slot', byPath === null ? null : byPath.slice('/dev/disk/by-path/'.length)],
    ['Size', exactSize(disk.sizeBytes)],
    ['Sectors', sectorText(disk)],
    ['Medium', mediumOf(hardware)],
    ['By-id', byId],
  ];
  return {
    kname: disk.kname,
    path: plain(disk.path),
    title: titleOf(graph, disk),
    sizeText: roundSize(disk.sizeBytes),
    exactSizeText: exactSize(disk.sizeBytes),
    byId,
    byPath,
    facts: known.flatMap(([label, value]) => (value === null ? [] : [{ label, value: plain(value) }])),
    contents: contentsOf(machine, graph, disk, stackOn(graph, disk)),
    confirm: confirmWordOf(machine, kname),
  };
}
