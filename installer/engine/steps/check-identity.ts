import { isArm } from '#installer/plan/layout.ts';
import { isError } from '#model/finding.ts';
import type { Machine } from '#model/machine.ts';
import type { DiskLayout } from '#model/plan.ts';
import { identityOf, judgeDisks, plain, sameDisk } from '#rules/disks.ts';
import { findTool } from '#system/tools.ts';
import { type StepContext, StepFailure, type StepRunner } from '../context.ts';
import { requireKept } from './check-kept.ts';
import { requireSource } from './check-source.ts';

/** Tools without which a run would stop half-way; each is looked for before anything is written. */
const TOOLS = [
  'sgdisk',
  'wipefs',
  'partprobe',
  'blkid',
  'mkfs.ext4',
  'mkfs.vfat',
  'unsquashfs',
  'dumpe2fs',
  'e2fsck',
  'blockdev',
  'tune2fs',
  'chroot',
  'mount',
  'umount',
];

/** null when the disk is the one that was confirmed, or already carries the table that this very plan writes. */
function difference(layout: DiskLayout, machine: Machine, isKept: boolean): string | null {
  const { disk } = layout;
  const device = machine.devices.find((d) => d.path === disk.path) ?? machine.devices.find((d) => d.kname === disk.kname);
  if (device === undefined) return 'it is not there any more';
  const now = identityOf(machine, device.kname);
  const isOurs = !isKept && now.table.toLowerCase().startsWith(`gpt:${layout.tableUuid}`);
  return sameDisk(disk, isOurs ? { ...now, table: disk.table } : now);
}

/** Stops unless every disk is still the one that was confirmed. */
export async function requireSameDisks(context: StepContext): Promise<Machine> {
  const machine = await context.options.reprobe();
  for (const layout of context.plan.disks) {
    const found = difference(layout, machine, context.plan.settings.keepVar);
    if (found !== null) throw new StepFailure(`${plain(layout.disk.path)} is not the disk that was confirmed: ${found}`);
  }
  return machine;
}

function requireInstallable(context: StepContext, machine: Machine): void {
  const verdicts = judgeDisks(machine);
  for (const { disk } of context.plan.disks) {
    const verdict = verdicts.find((v) => v.path === disk.path);
    if (verdict?.selectable) continue;
    const why = verdict?.reasons.map((r) => r.text).join('; ') ?? 'it is not a whole disk';
    throw new StepFailure(`${plain(disk.path)} cannot be installed on: ${why}`);
  }
  const errors = (context.options.judgeAgain?.(machine) ?? []).filter(isError);
  if (errors.length > 0) throw new StepFailure(errors.map((f) => `${f.path}: ${f.message}`).join('; '));
  if (isArm(context.plan.architecture) && machine.firmware === 'bios') throw new StepFailure('an arm64 machine must be started by UEFI');
  if (machine.accounts?.includes(context.plan.settings.adminUser))
    throw new StepFailure(`the system to be installed already has an account ${context.plan.settings.adminUser}; choose another name`);
}

/** Tools of the medium. The image was asked for before: without the medium they are gone with it. */
async function requireTools(context: StepContext): Promise<void> {
  const { disks, settings } = context.plan;
  for (const tool of [...TOOLS, ...(disks.length > 1 ? ['mdadm'] : []), ...(settings.keepVar ? ['rsync'] : [])])
    if ((await findTool(tool)) === null) throw new StepFailure(`${tool} is not on this medium`);
}

/** Every question that can stop an installation, asked while nothing has been written. */
export const checkIdentity: StepRunner<'check-identity'> = async (_action, context) => {
  requireInstallable(context, await requireSameDisks(context));
  await requireSource(context);
  await requireTools(context);
  if (context.plan.settings.keepVar) await requireKept(context);
};
