/** The partition table of the appliance. Numbers and names are the product's: slot images, upgrades and monitoring rely on them. */

import { GIB, MIB } from '#model/limits.ts';
import type { DiskIdentity } from '#model/machine.ts';
import type { DiskLayout, FilesystemId, PartitionId, PartitionSpec } from '#model/plan.ts';
import type { KeptLayout } from '#rules/disks.ts';

type Entry = Omit<PartitionSpec, 'partUuid'> & { readonly id: PartitionId };

const RAID_CODE = 'fd00';
/** sgdisk and the kernel both align to 1 MiB; the first partition starts there. */
const ALIGNMENT_BYTES = MIB;

/** What a mirror mirrors; firmware and core.img need their own ESP and bios_boot on each disk. */
export const MIRRORED: readonly FilesystemId[] = ['state', 'root_a', 'root_b', 'var'];

/** Names that kernels and Debian give the same processor; arm64 machines boot by UEFI only. */
export const isArm = (architecture: string): boolean => ['arm64', 'aarch64'].includes(architecture);

/** md and file system names of what is mirrored or labelled. */
export const LABELS: Readonly<Record<FilesystemId, string>> = {
  esp: 'ESP',
  state: 'state',
  root_a: 'root_a',
  root_b: 'root_b',
  var: 'var',
};
export const SECOND_ESP_LABEL = 'ESP2';

function entries(architecture: string): readonly Entry[] {
  const rootCode = isArm(architecture) ? '8305' : '8304';
  const all: readonly Entry[] = [
    { id: 'bios_boot', number: 1, name: 'bios_boot', sizeBytes: MIB, code: 'ef02' },
    { id: 'esp', number: 2, name: 'ESP', sizeBytes: 512 * MIB, code: 'ef00' },
    { id: 'state', number: 3, name: 'state', sizeBytes: 256 * MIB, code: '8300' },
    { id: 'root_a', number: 4, name: 'root_A', sizeBytes: 8 * GIB, code: rootCode },
    { id: 'root_b', number: 5, name: 'root_B', sizeBytes: 8 * GIB, code: rootCode },
    { id: 'var', number: 6, name: 'var', sizeBytes: null, code: '8310' },
  ];
  // arm64 has no BIOS; the other numbers stay, so that everything else can count on them.
  return isArm(architecture) ? all.slice(1) : all;
}

const isMirrored = (id: PartitionId): boolean => MIRRORED.some((m) => m === id);

/** The table of one disk. `uuids` gives a fresh random UUID at each call. */
export function layoutFor(disk: DiskIdentity, architecture: string, inMirror: boolean, uuids: () => string): DiskLayout {
  return {
    disk,
    tableUuid: uuids(),
    partitions: entries(architecture).map((e) => ({ ...e, code: inMirror && isMirrored(e.id) ? RAID_CODE : e.code, partUuid: uuids() })),
  };
}

/**
 * The table that is on a disk already, for an installation that keeps it, with the UUIDs of the file systems that stay.
 * Throws RangeError for what cannot be named by UUID, or has no room for a system.
 */
export function keptDiskLayout(
  disk: DiskIdentity,
  architecture: string,
  kept: Extract<KeptLayout, { kind: 'layout' }>,
): { layout: DiskLayout; stateUuid: string; varUuid: string } {
  const found = (id: PartitionId) => kept.partitions.find((p) => p.name === id);
  const partitions = entries(architecture).flatMap((e) => {
    const part = found(e.id);
    if (part === undefined && e.id === 'bios_boot') return [];
    if (part === undefined || part.number === null || part.partUuid === null)
      throw new RangeError(`partition ${e.id} has no number or no UUID`);
    if ((e.id === 'root_a' || e.id === 'root_b') && part.sizeBytes < (e.sizeBytes ?? 0))
      throw new RangeError(`slot ${e.id} is smaller than 8 GiB`);
    return [{ ...e, number: part.number, sizeBytes: part.sizeBytes, partUuid: part.partUuid.toLowerCase() }];
  });
  const [stateUuid, varUuid] = [found('state')?.fsUuid ?? null, found('var')?.fsUuid ?? null];
  if (kept.tableUuid === null || stateUuid === null || varUuid === null)
    throw new RangeError('the table or a kept file system has no UUID');
  return { layout: { disk, tableUuid: kept.tableUuid.toLowerCase(), partitions }, stateUuid, varUuid };
}

export interface Extent {
  readonly id: PartitionId;
  readonly firstSector: number;
  /** null: up to the end of the disk. */
  readonly sectors: number | null;
}

/** Where the partitions will lie, in logical sectors of that disk. */
export function extentsOf(layout: DiskLayout): Extent[] {
  const sector = layout.disk.logicalSectorBytes;
  // Without bios_boot the ESP takes the first place on the disk.
  let startBytes = ALIGNMENT_BYTES;
  return layout.partitions.map((p) => {
    const extent = { id: p.id, firstSector: startBytes / sector, sectors: p.sizeBytes === null ? null : p.sizeBytes / sector };
    startBytes += p.sizeBytes ?? 0;
    return extent;
  });
}

/** What is left for `/var`, bytes, without the GPT copy at the end. */
export function varBytes(layout: DiskLayout): number {
  const fixed = layout.partitions.reduce((sum, p) => sum + (p.sizeBytes ?? 0), ALIGNMENT_BYTES);
  return layout.disk.sizeBytes - fixed - 33 * 512;
}
