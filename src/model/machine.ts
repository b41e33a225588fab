/** A machine as a document: what probing found, and all that everything else works from. */

export type Firmware = 'uefi' | 'bios';

/** One node of the block device DAG. Keyed by kernel name; parents and children are kernel names too. */
export interface BlockDevice {
  readonly kname: string;
  /** Node a person would name: `/dev/sda`, `/dev/mapper/mpatha`, `/dev/md/root_a`. */
  readonly path: string;
  /** lsblk TYPE: disk, part, mpath, raid1, md, lvm, crypt, loop, rom, zram, … */
  readonly type: string;
  readonly parents: readonly string[];
  readonly children: readonly string[];
  readonly sizeBytes: number;
  readonly logicalSectorBytes: number | null;
  readonly physicalSectorBytes: number | null;
  readonly removable: boolean;
  readonly readOnly: boolean;
  readonly rotational: boolean | null;
  readonly transport: string | null;
  readonly vendor: string | null;
  readonly model: string | null;
  readonly serial: string | null;
  readonly wwn: string | null;
  readonly partitionTable: string | null;
  readonly partitionTableUuid: string | null;
  readonly partNumber: number | null;
  readonly partLabel: string | null;
  readonly partType: string | null;
  readonly partUuid: string | null;
  readonly fsType: string | null;
  readonly fsVersion: string | null;
  readonly fsLabel: string | null;
  readonly fsUuid: string | null;
  /** Mount points in use; swap in use is `[SWAP]`. */
  readonly mountpoints: readonly string[];
  /** Stable names: /dev/disk/by-id/…, /dev/disk/by-path/…. Empty when unknown. */
  readonly links: readonly string[];
  /** Device-mapper uuid, md name and metadata, where there is one. */
  readonly dmUuid: string | null;
  readonly mdName: string | null;
  readonly mdMetadata: string | null;
  /** False: nothing said whether it is mounted, so no mount points means nothing. Absent: recorded. */
  readonly usageRecorded?: boolean;
  /** False: nothing said whether it is read-only. Absent: recorded. */
  readonly readOnlyRecorded?: boolean;
  /** Kernel's word for the device: `running`, `offline`, `live` (lsblk STATE). Absent: not recorded. */
  readonly state?: string | null;
  /** `none`, `host-aware`, `host-managed` (lsblk ZONED). Absent: not recorded. */
  readonly zoned?: string | null;
  /** True: the kernel would not give it out exclusively while it was probed. Absent: nobody asked. */
  readonly claimed?: boolean;
  /** LVM volume group that a physical volume belongs to; null: to none. Absent: no such volume, or nobody asked. */
  readonly volumeGroup?: string | null;
  /** Paths below one NVMe namespace (native multipath). Absent: one, or not recorded. */
  readonly nvmePaths?: readonly NvmePath[];
}

export interface NvmePath {
  /** Kernel name of the hidden path device, `nvme0c1n1`. */
  readonly kname: string;
  /** State of its controller, `live`; null when unreadable. */
  readonly state: string | null;
}

/** Where live-boot and its relatives mount what the running installer came from. */
const LIVE_MOUNT_DIRS = ['/run/live', '/lib/live/mount', '/usr/lib/live/mount', '/run/initramfs/live', '/run/archiso', '/cdrom'] as const;

export const isLiveMount = (mountpoint: string): boolean =>
  LIVE_MOUNT_DIRS.some((dir) => mountpoint === dir || mountpoint.startsWith(`${dir}/`));

/** One slot of an installation of ours that was found on a disk. */
export interface InstalledSlot {
  readonly slot: 'A' | 'B';
  /** null: the slot says nothing. */
  readonly version: string | null;
}

/** What is known about an installation of ours, read without mounting it. */
export interface InstalledSystem {
  /** Kernel name of the whole disk. */
  readonly disk: string;
  readonly slots: readonly InstalledSlot[];
  /**
   * What its STATE says of it, as `key: "value"` lines: name, role, ranges, network, no secrets. Null: it says nothing.
   * Absent: not read.
   */
  readonly stateConfig?: string | null;
  /** When its /var was last mounted: its last boot, or the installation itself; RFC 3339 UTC. */
  readonly lastBootAt: string | null;
}

export interface NetInterface {
  readonly name: string;
  readonly mac: string | null;
  readonly driver: string | null;
  /** operstate `up`; null when unreadable. */
  readonly linkUp: boolean | null;
  readonly speedMbps: number | null;
  readonly mtu: number | null;
  /** Address with prefix, `192.0.2.10/24`, as the capturing system held it. */
  readonly addresses: readonly string[];
  readonly gateway4: string | null;
}

/** Raw text of what was read, by name (`lsblk`, `proc/mdstat`, …), so that a bug report is a fixture. */
export type RawCapture = Readonly<Record<string, string>>;

export interface Machine {
  readonly schema: 1;
  readonly source: 'probe' | 'lsblk';
  /** RFC 3339, UTC; null when made from an lsblk listing. */
  readonly capturedAt: string | null;
  readonly firmware: Firmware;
  readonly architecture: string;
  readonly product: {
    readonly vendor: string | null;
    readonly name: string | null;
    readonly serial: string | null;
    readonly uuid: string | null;
  } | null;
  readonly cpuCount: number | null;
  readonly memoryBytes: number | null;
  readonly devices: readonly BlockDevice[];
  /** null: not recorded, so no rule may conclude anything from it. */
  readonly interfaces: readonly NetInterface[] | null;
  readonly resolvers: readonly string[];
  /** Kernel names of whole disks and their stack that carry the running live medium. */
  readonly liveMedium: readonly string[];
  /** False: nothing said what lies on the disks, so one without partitions is not known to be blank. Absent: recorded. */
  readonly contentsRecorded?: boolean;
  /** Our own installations found on the disks. Absent: nobody looked. */
  readonly installed?: readonly InstalledSystem[];
  /** Account names that exist in the image that would be installed; null when not recorded. */
  readonly accounts: readonly string[] | null;
  readonly raw: RawCapture;
  /** True: only what was asked about was looked at (a linter on some laptop), so what is absent here may well exist elsewhere. */
  readonly partial?: boolean;
}

export interface Reason {
  /** Stable id, `disk.too-small`. */
  readonly code: string;
  readonly text: string;
}

/** May this disk be installed on? One for every disk that a picker lists. */
export interface DiskVerdict {
  readonly kname: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly selectable: boolean;
  readonly reasons: readonly Reason[];
  readonly warnings: readonly Reason[];
}

/** What must still be true of a disk right before the first write. */
export interface DiskIdentity {
  readonly kname: string;
  readonly path: string;
  /** Best stable name, /dev/disk/by-id/…; null when the disk has none. */
  readonly byId: string | null;
  readonly wwn: string | null;
  readonly serial: string | null;
  readonly sizeBytes: number;
  readonly logicalSectorBytes: number;
  /** Partition-table fingerprint: type, uuid and the partitions' uuids in order; `none` for a blank disk. */
  readonly table: string;
}
