/** What a disk is known by, and whether it is still the same one. */
import type { BlockDevice, DiskIdentity, Machine } from '#model/machine.ts';
import { type DiskGraph, diskGraph, hardwareOf } from './disk-graph.ts';
import { exactSize, plain } from './disk-text.ts';

/** A WWN that names something: not missing, not all zeros or all ones. */
export function usableWwn(wwn: string | null): string | null {
  if (wwn === null) return null;
  const digits = wwn.toLowerCase().replace(/^(?:0x|naa\.|eui\.|uuid\.|t10\.|nvme\.)/, '');
  return /^(?:[0.\-\s]*|[f.\-\s]*)$/.test(digits) ? null : wwn;
}

/** The number of a WWN, however it is spelled: with udev it is `0x5000…`, without `naa.5000…`. Null when it names nothing. */
export const wwnKey = (wwn: string | null): string | null =>
  usableWwn(wwn)
    ?.toLowerCase()
    .replace(/^(?:0x|naa\.)/, '') ?? null;

/** A serial that names something: not a filler that many controllers print. */
export function usableSerial(serial: string | null): string | null {
  if (serial === null) return null;
  const text = serial.trim();
  // One character repeated is a filler; one letter alone may be somebody's counting.
  const filler =
    /^(?:(.)\1+|[^1-9A-Za-z])$/.test(text) || /^(?:none|null|unknown|n\/a|default string|to be filled.*|0?123456789.*)$/i.test(text);
  return text === '' || filler ? null : text;
}

/** Preference among stable names: the hardware's own number first, then what udev composes of model and serial. */
const LINK_ORDER = [/^wwn-/, /^nvme-eui\./, /^nvme-uuid\./, /^dm-uuid-mpath-/, /^nvme-/, /^ata-/, /^scsi-/, /^virtio-/, /^mmc-/, /^usb-/];
const BY_ID = '/dev/disk/by-id/';
/** Links that name what is on a disk, which installing erases. */
const CONTENT_LINK = /^(?:lvm-pv-uuid|md-uuid|md-name)-/;

/** The by-id name to paste into an answer file; null when the disk has none. */
export function bestById(device: BlockDevice): string | null {
  const names = device.links
    .filter((l) => l.startsWith(BY_ID))
    .map((l) => l.slice(BY_ID.length))
    .filter((n) => !CONTENT_LINK.test(n));
  const rank = (name: string): number => {
    const at = LINK_ORDER.findIndex((pattern) => pattern.test(name));
    return at === -1 ? LINK_ORDER.length : at;
  };
  // A map is best named by its own links: wwn-… may point at one of its paths on the next boot.
  const own = device.kname.startsWith('dm-') ? names.filter((n) => n.startsWith('dm-')) : names;
  const [best] = (own.length > 0 ? own : names).sort((a, b) => rank(a) - rank(b) || a.length - b.length || (a < b ? -1 : 1));
  return best === undefined ? null : BY_ID + best;
}

const PLAIN_TABLES = new Set(['PMBR']);

/** `gpt:UUID 1=PARTUUID 2=…`, `fs:ext4:UUID` for a file system on the whole disk, `none` for a blank disk. */
function tableOf(graph: DiskGraph, disk: BlockDevice): string {
  const parts = graph.partitions(disk.kname).map((p) => `${p.partNumber ?? '?'}=${p.partUuid ?? p.fsUuid ?? '-'}/${p.sizeBytes}`);
  const table = disk.partitionTable !== null && !PLAIN_TABLES.has(disk.partitionTable) ? disk.partitionTable : null;
  if (table !== null || parts.length > 0) return [`${table ?? 'unknown'}:${disk.partitionTableUuid ?? '-'}`, ...parts].join(' ');
  return disk.fsType === null ? 'none' : `fs:${disk.fsType}:${disk.fsUuid ?? '-'}`;
}

/** Identity of a disk for a plan. Throws when the machine has no such kernel name: the caller chose from a list. */
export function identityOf(machine: Machine, kname: string): DiskIdentity {
  const graph = diskGraph(machine.devices);
  const disk = graph.get(kname);
  if (disk === null) throw new Error(`no block device ${plain(kname)} in this machine`);
  const hardware = hardwareOf(graph, disk);
  return {
    kname: disk.kname,
    path: disk.path,
    byId: bestById(disk),
    wwn: hardware.wwn,
    serial: hardware.serial,
    sizeBytes: disk.sizeBytes,
    // A listing without LOG-SEC cannot be installed from, only rehearsed on; 512 is what such disks report.
    logicalSectorBytes: disk.logicalSectorBytes ?? 512,
    table: tableOf(graph, disk),
  };
}

const shown = (value: string | null): string => (value === null ? 'none' : plain(value));

/**
 * null when `now` is the disk that was confirmed; else the first difference in words.
 * The kernel name is left out on purpose: it may change between two boots while the disk is the same.
 */
export function sameDisk(confirmed: DiskIdentity, now: DiskIdentity): string | null {
  if (confirmed.wwn !== now.wwn) return `the WWN was ${shown(confirmed.wwn)} and is now ${shown(now.wwn)}`;
  if (confirmed.serial !== now.serial) return `the serial number was ${shown(confirmed.serial)} and is now ${shown(now.serial)}`;
  if (confirmed.sizeBytes !== now.sizeBytes) return `the size was ${exactSize(confirmed.sizeBytes)} and is now ${exactSize(now.sizeBytes)}`;
  if (confirmed.logicalSectorBytes !== now.logicalSectorBytes)
    return `the sector size was ${confirmed.logicalSectorBytes} and is now ${now.logicalSectorBytes} bytes`;
  if (confirmed.table !== now.table) return `the partition table was "${plain(confirmed.table)}" and is now "${plain(now.table)}"`;
  return null;
}
