/** Why a disk may not be installed on. Every rule is asked, so that the operator sees all reasons at once. */
import { MIN_DISK_BYTES } from '#model/limits.ts';
import { type BlockDevice, isLiveMount, type Machine, type Reason } from '#model/machine.ts';
import { type DiskGraph, hardwareOf, isMultipathMap, mapOver } from './disk-graph.ts';
import { indexOf } from './disk-index.ts';
import { arrayReasons } from './disk-raid.ts';
import { sharedInUse } from './disk-shared.ts';
import { exactSize, listPaths, listWords, pathOf, plain } from './disk-text.ts';

export interface DiskContext {
  readonly machine: Machine;
  readonly graph: DiskGraph;
  readonly disk: BlockDevice;
  /** Kernel names of what carries the running medium. */
  readonly live: ReadonlySet<string>;
  /** What lies on the disk: see `stackOn`. */
  readonly stack: readonly BlockDevice[];
}

type Rule = (context: DiskContext) => readonly Reason[];

/** Volume id of our own installer medium. */
const OWN_MEDIUM_LABEL = 'SPATIUMDDI';

function liveMedium({ live, disk, stack }: DiskContext): Reason[] {
  const mounts = [disk, ...stack].flatMap((d) => d.mountpoints).filter(isLiveMount);
  if (mounts.length === 0 && !live.has(disk.kname)) return [];
  const where = mounts.length > 0 ? ` (mounted at ${listWords([...new Set(mounts)].map(plain))})` : '';
  return [{ code: 'disk.live-medium', text: `the installer is running from this disk: it is the live medium${where}` }];
}

const LIVED_IN = /^(?:ext[234]|xfs|btrfs|ntfs|swap|crypto_LUKS|BitLocker|LVM2_member|zfs_member)$/;

/** What live systems call the partition that keeps their changes: such a stick is in use as one. */
const LIVE_STORE = /^(?:persistence|live-rw|home-rw|casper-rw|writable)$/;

/** An image written over the disk long ago shows through a newer partition table, whose file systems are then in use. */
function isLeftover(disk: BlockDevice, parts: readonly BlockDevice[]): boolean {
  const portable = disk.removable || disk.transport === 'usb';
  return (
    !portable &&
    parts.every((p) => p.fsType !== 'iso9660') &&
    parts.some((p) => LIVED_IN.test(p.fsType ?? '') && !LIVE_STORE.test(p.fsLabel ?? ''))
  );
}

/** A medium copied to RAM (`toram`) leaves no mount behind, so what looks like a boot stick is never a target. */
function installMedium({ graph, disk, stack }: DiskContext): Reason[] {
  const parts = graph.partitions(disk.kname);
  const whole = isLeftover(disk, parts) ? [] : [disk];
  const iso = [...whole, ...parts].find((d) => d.fsType === 'iso9660');
  const isoText = iso && `a boot medium (ISO 9660 image${iso.fsLabel === null ? '' : ` "${plain(iso.fsLabel)}"`})`;
  const own = [...whole, ...stack].some((d) => d.fsLabel === OWN_MEDIUM_LABEL) ? 'the installer medium of this product' : undefined;
  const ventoy = parts.some((p) => p.fsLabel === 'VTOYEFI') ? 'a Ventoy boot stick' : undefined;
  const what = own ?? isoText ?? ventoy;
  if (what === undefined) return [];
  const text = `this is ${what}; the installer may have been started from it. To use it all the same, erase it first: wipefs -a ${pathOf(disk)}`;
  return [{ code: 'disk.install-medium', text }];
}

function inUse({ disk, stack }: DiskContext): Reason[] {
  const nodes = [disk, ...stack];
  const mounted = nodes.flatMap((d) =>
    d.mountpoints.filter((m) => m !== '[SWAP]' && !isLiveMount(m)).map((m) => `${pathOf(d)} is mounted at ${plain(m)}`),
  );
  const swaps = nodes.filter((d) => d.mountpoints.includes('[SWAP]')).map(pathOf);
  const reasons: Reason[] = [];
  if (mounted.length > 0) reasons.push({ code: 'disk.mounted', text: `in use: ${listWords(mounted)}` });
  if (swaps.length > 0)
    reasons.push({ code: 'disk.swap', text: `in use: ${listWords(swaps)} ${swaps.length > 1 ? 'are' : 'is'} active swap space` });
  return reasons;
}

/** What can be stopped before a disk is erased, or is refused as an array or by its mount; the areas of an eMMC are part of the disk itself. */
const STOPPABLE = /^(?:dm-|md|loop)|^mmcblk\d+(?:boot\d+|rpmb|gp\d+)$/;

/** Anything else that stands on the disk is a driver's: bcache, DRBD and whatever comes after them. */
function usedByDriver({ stack }: DiskContext): Reason[] {
  const users = stack.filter((d) => d.type !== 'part' && !STOPPABLE.test(d.kname));
  return users.length === 0
    ? []
    : [{ code: 'disk.in-use', text: `in use by ${listPaths(users)}; stop that device first, then look again` }];
}

/** The kernel says it is in use, and nothing that is known of it says by what. */
function claimedByUnknown({ graph, disk, stack }: DiskContext): Reason[] {
  if (disk.claimed !== true || mapOver(graph, disk) !== null) return [];
  const explained = [disk, ...stack].some((d) => d.mountpoints.length > 0) || stack.some((d) => d.type !== 'part');
  if (explained) return [];
  return [
    {
      code: 'disk.busy',
      text: 'in use by something that is not shown here (a ZFS pool, a virtual machine, another tool); stop it, then look again',
    },
  ];
}

function multipath({ graph, disk }: DiskContext): Reason[] {
  const map = mapOver(graph, disk);
  if (map !== null) {
    return [
      { code: 'disk.multipath-path', text: `this is one path of the multipath device ${pathOf(map)}; choose ${pathOf(map)} instead` },
    ];
  }
  if (disk.fsType === 'mpath_member') {
    return [
      {
        code: 'disk.multipath-path',
        text: 'this is one path of a multipath device that is not assembled; start multipathd and look again',
      },
    ];
  }
  return isMultipathMap(disk) ? [] : twins(graph, disk);
}

function twins(graph: DiskGraph, disk: BlockDevice): Reason[] {
  const same = indexOf(graph).twinsOf(disk);
  if (same.length === 0) return [];
  const text = `this is the same disk as ${listPaths(same)} over another path (same WWN, serial and size); start multipathd, look again, and choose the map`;
  return [{ code: 'disk.multipath-unassembled', text }];
}

/** Words of SCSI and NVMe for a disk that would not answer a write. */
const NOT_RUNNING = /^(?:offline|transport-offline|(?:created-)?blocked|quiesce|cancel|deleted|dead|deleting.*|connecting|resetting)$/;

function condition({ graph, disk }: DiskContext): Reason[] {
  const reasons: Reason[] = [];
  const hardware = hardwareOf(graph, disk);
  if (disk.readOnly) reasons.push({ code: 'disk.read-only', text: 'the disk is read-only' });
  if (!isMultipathMap(disk) && NOT_RUNNING.test(disk.state ?? ''))
    reasons.push({
      code: 'disk.offline',
      text: `the kernel has set the disk ${plain(disk.state ?? '')}; check cable and controller, then look again`,
    });
  const mapped = isMultipathMap(disk) ? disk.parents : [];
  const paths = disk.nvmePaths?.map((path) => path.state ?? '') ?? mapped.map((kname) => graph.get(kname)?.state ?? '');
  if (paths.length > 0 && paths.every((state) => NOT_RUNNING.test(state)))
    reasons.push({ code: 'disk.offline', text: 'none of its paths works; check cables and controllers, then look again' });
  if (/^pmem\d/.test(disk.kname)) reasons.push({ code: 'disk.not-bootable', text: 'persistent memory: no firmware boots from it' });
  if (hardware.zoned === 'host-managed')
    reasons.push({ code: 'disk.zoned', text: 'a host-managed zoned (SMR) disk cannot hold these file systems' });
  return reasons;
}

function capacity({ machine, disk }: DiskContext): Reason[] {
  const reasons: Reason[] = [];
  if (disk.sizeBytes < MIN_DISK_BYTES)
    reasons.push({
      code: 'disk.too-small',
      text: `too small: ${exactSize(disk.sizeBytes)}, and the minimum is ${exactSize(MIN_DISK_BYTES)}`,
    });
  const sector = disk.logicalSectorBytes;
  if (sector === 4096 && machine.firmware === 'bios')
    reasons.push({
      code: 'disk.4kn-bios',
      text: 'a 4Kn disk (logical sectors of 4096 bytes) cannot be booted by BIOS; switch the firmware to UEFI',
    });
  else if (sector !== null && sector !== 512 && sector !== 4096)
    reasons.push({
      code: 'disk.sector-size',
      text: `logical sectors of ${sector} bytes; only 512 and 4096 can be used (the disk can be reformatted with sg_format)`,
    });
  return reasons;
}

const KNOWN_TABLES = new Set(['gpt', 'dos', 'PMBR']);

function partitionTable({ disk }: DiskContext): Reason[] {
  const kind = disk.partitionTable;
  if (kind === null || KNOWN_TABLES.has(kind)) return [];
  const text = `its partition table is of a kind this installer cannot read (${plain(kind)}), so it cannot say what would be lost. To use the disk all the same, erase it first: wipefs -a ${pathOf(disk)}`;
  return [{ code: 'disk.table-unknown', text }];
}

const RULES: readonly Rule[] = [
  liveMedium,
  inUse,
  sharedInUse,
  arrayReasons,
  multipath,
  usedByDriver,
  claimedByUnknown,
  condition,
  capacity,
  partitionTable,
  (context) => (liveMedium(context).length > 0 ? [] : installMedium(context)),
];

/** Why nothing may be installed on that disk, in the order of the rules; empty: it may be chosen. */
export const refusalsOf = (context: DiskContext): Reason[] => RULES.flatMap((rule) => rule(context));
