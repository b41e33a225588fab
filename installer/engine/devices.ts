/** Nodes of the disks that are written. Asked of the kernel each time: names are never composed, and udev's links may lag. */
import path from 'node:path';
import { LABELS, MIRRORED } from '#installer/plan/layout.ts';
import type { DiskLayout, FilesystemId, PartitionId, Plan } from '#model/plan.ts';
import { isBlockDevice, listNames, readTextIfExists, realPath } from '#system/files.ts';
import { StepFailure } from './context.ts';

const SYS = '/sys/class/block';

/** The layout of one disk of the plan, from 0. Throws StepFailure when the plan has no such disk. */
export function layoutAt(plan: Plan, diskIndex: number): DiskLayout {
  const layout = plan.disks[diskIndex];
  if (layout === undefined) throw new StepFailure(`the plan has no disk number ${diskIndex + 1}`);
  return layout;
}

/** Kernel name of a disk, through links and device-mapper names. Throws StepFailure when the disk is gone. */
export async function kernelName(layout: DiskLayout): Promise<string> {
  const real = await realPath(layout.disk.path);
  if (real === null) throw new StepFailure(`${layout.disk.path} is not there any more`);
  return path.basename(real);
}

/** Node of a whole disk as tools should be given it: boot loaders know a map only by its name. Throws StepFailure when the disk is gone. */
export async function diskNode(layout: DiskLayout): Promise<string> {
  const kname = await kernelName(layout);
  return kname.startsWith('dm-') ? layout.disk.path : `/dev/${kname}`;
}

/** All partition nodes of a disk by number: the kernel's own, or a device-mapper disk's partition maps. */
export async function partitionNodes(kname: string): Promise<Map<number, string>> {
  const nodes = new Map<number, string>();
  for (const name of await listNames(`${SYS}/${kname}`)) {
    const number = Number.parseInt((await readTextIfExists(`${SYS}/${kname}/${name}/partition`)) ?? '', 10);
    if (Number.isInteger(number)) nodes.set(number, `/dev/${name}`);
  }
  if (kname.startsWith('dm-'))
    for (const holder of await listNames(`${SYS}/${kname}/holders`)) {
      const number = Number.parseInt(/^part(\d+)-/.exec((await readTextIfExists(`${SYS}/${holder}/dm/uuid`)) ?? '')?.[1] ?? '', 10);
      if (Number.isInteger(number)) nodes.set(number, `/dev/${holder}`);
    }
  return nodes;
}

/** Node of one partition. Throws StepFailure when the kernel does not know it as a block device. */
export async function partitionNode(plan: Plan, diskIndex: number, id: PartitionId): Promise<string> {
  const layout = layoutAt(plan, diskIndex);
  const spec = layout.partitions.find((p) => p.id === id);
  const node = spec && (await partitionNodes(await kernelName(layout))).get(spec.number);
  if (node === undefined || !(await isBlockDevice(node)))
    throw new StepFailure(`partition ${id} of ${layout.disk.path} is unknown to the kernel; restart the machine and start over`);
  return node;
}

/** True for a plan that writes two disks as one. */
export const isMirror = (plan: Plan): boolean => plan.disks.length > 1;

/** What a file system is made on: the array of a mirror, the partition otherwise. */
export async function filesystemNode(plan: Plan, id: FilesystemId, diskIndex = 0): Promise<string> {
  if (!isMirror(plan) || !MIRRORED.includes(id)) return partitionNode(plan, diskIndex, id);
  const node = await realPath(`/dev/md/${LABELS[id]}`);
  if (node === null || !(await isBlockDevice(node))) throw new StepFailure(`the mirror /dev/md/${LABELS[id]} is not there`);
  return node;
}

/** Size of a node in bytes; null when the kernel does not say. */
export async function nodeSizeBytes(node: string): Promise<number | null> {
  const sectors = Number.parseInt((await readTextIfExists(`${SYS}/${path.basename(node)}/size`)) ?? '', 10);
  // The kernel counts 512-byte units here whatever the disk's sectors are.
  return Number.isInteger(sectors) ? sectors * 512 : null;
}
