/** Checks of what firmware and kernel will need: both boot partitions, the menu, and each slot. */
import path from 'node:path';
import { bootFileDrift } from '#boot/esp-sync.ts';
import { uuidsNamedIn } from '#boot/grub-menu.ts';
import { isDescribed } from '#boot/slot-initrd.ts';
import { LABELS } from '#installer/plan/layout.ts';
import { PATHS } from '#model/limits.ts';
import type { FilesystemId, GrubTarget } from '#model/plan.ts';
import { factsOf, isBlockDevice, listNames, readBytes, readText, readTextIfExists, remove } from '#system/files.ts';
import { succeeded } from '#system/run.ts';
import type { StepContext } from '../context.ts';
import { filesystemNode, isMirror, partitionNode } from '../devices.ts';
import { mountOnce, unmountBelow } from '../mounts.ts';
import { storageOf } from './check-source.ts';

/** A name, and the way to ask: null when all is well, else what is wrong. */
export type Check = readonly [name: string, ask: () => Promise<string | null>];

const isThere = async (file: string): Promise<boolean> => Boolean((await factsOf(file, true))?.sizeBytes);

/** Loaders that the plan puts on that disk; one that was only a courtesy and failed is a warning already. */
const targetsOn = (context: StepContext, diskIndex: number): { target: GrubTarget; isRequired: boolean }[] =>
  context.plan.steps.flatMap(({ action }) =>
    action.kind === 'boot-loader' && action.diskIndex === diskIndex ? [{ target: action.target, isRequired: action.required }] : [],
  );

const EFI_FILES: Readonly<Record<Exclude<GrubTarget, 'i386-pc'>, string>> = {
  'x86_64-efi': 'EFI/BOOT/BOOTX64.EFI',
  'arm64-efi': 'EFI/BOOT/BOOTAA64.EFI',
};

/** The loader and the modules that it reads; for BIOS also the part that lies outside every file system. */
async function loaderFault(context: StepContext, esp: string, diskIndex: number, target: GrubTarget): Promise<string | null> {
  const dir = path.join(context.root, esp);
  const files = [`grub/${target}/normal.mod`, target === 'i386-pc' ? 'grub/i386-pc/core.img' : EFI_FILES[target]];
  for (const file of files) if (!(await isThere(path.join(dir, file)))) return `${file} is missing`;
  if (target !== 'i386-pc' || context.plan.disks[diskIndex]?.partitions.every((p) => p.id !== 'bios_boot')) return null;
  const embedded = await readBytes(await partitionNode(context.plan, diskIndex, 'bios_boot'), 512);
  return embedded.some((byte) => byte !== 0) ? null : 'the BIOS boot partition is empty';
}

const LOADER_NAMES: Readonly<Record<GrubTarget, string>> = {
  'i386-pc': 'BIOS boot loader',
  'x86_64-efi': 'UEFI boot loader',
  'arm64-efi': 'UEFI boot loader',
};

/** Checks of one disk's boot partition. */
export function espChecks(context: StepContext, esp: string, diskIndex: number): Check[] {
  const { root } = context;
  const dir = path.join(root, esp);
  return [
    ...targetsOn(context, diskIndex)
      .filter(({ target, isRequired }) => isRequired || !context.warnings.some((w) => w.includes(LOADER_NAMES[target])))
      .map(({ target }): Check => [`${esp}: ${LOADER_NAMES[target]}`, () => loaderFault(context, esp, diskIndex, target)]),
    [
      `${esp}: boot menu`,
      async () => {
        const result = await context.tryRun(['chroot', root, 'grub-script-check', `${esp}/grub/grub.cfg`]);
        return succeeded(result) ? null : (result.tail.at(-1) ?? 'grub.cfg does not parse');
      },
    ],
    [
      `${esp}: default entry`,
      async () =>
        (await readTextIfExists(path.join(dir, 'grub/grubenv')))?.includes('saved_entry=slot_a\n') ? null : 'grubenv does not name slot_a',
    ],
  ];
}

/** A mirror's boot partitions tell the same. */
export async function driftFault({ root }: StepContext): Promise<string | null> {
  const names = await bootFileDrift(path.join(root, PATHS.grubDir), path.join(root, '/boot/efi2/grub'));
  return names.length === 0 ? null : `not the same on both: ${names.join(', ')}`;
}

/** UUID a file system really has on its device, read past every cache. */
async function uuidOn(context: StepContext, id: FilesystemId, diskIndex = 0): Promise<string> {
  const node = await filesystemNode(context.plan, id, diskIndex);
  return (await context.tryRun(['blkid', '-p', '-s', 'UUID', '-o', 'value', node])).stdout.trim();
}

/** Menu and fstab name what they must, and nothing that does not exist. */
export async function uuidFault(context: StepContext): Promise<string | null> {
  const { root, plan } = context;
  const onDisk = new Map<string, string>();
  for (const id of ['esp', 'state', 'root_a', 'root_b', 'var'] as const) onDisk.set(LABELS[id], await uuidOn(context, id));
  if (isMirror(plan)) onDisk.set('ESP2', await uuidOn(context, 'esp', 1));
  const menu = uuidsNamedIn(await readText(path.join(root, PATHS.grubDir, 'grub.cfg')));
  const fstab = [...(await readText(path.join(root, '/etc/fstab'))).matchAll(/^UUID=(\S+)/gm)].map((m) => m[1] ?? '');
  const missing = [...menu, ...fstab].filter((uuid) => ![...onDisk.values()].includes(uuid));
  if (missing.length > 0) return `named but on no file system: ${missing.join(', ')}`;
  for (const [label, uuid] of onDisk) {
    const isSlot = label === LABELS.root_a || label === LABELS.root_b;
    if (!(isSlot ? menu : fstab).includes(uuid)) return `${isSlot ? 'the boot menu' : 'fstab'} does not name ${label}`;
  }
  return null;
}

/** What a slot needs to start: kernel, initrd and the init program, followed through links; its baseline, its storage's description. */
export async function slotFault(context: StepContext, dir: string): Promise<string | null> {
  for (const file of ['boot/vmlinuz', 'boot/initrd.img', 'usr/lib/systemd/systemd'])
    if (!(await isThere(path.join(dir, file)))) return `${file} is missing or empty`;
  const baseline = path.join(dir, PATHS.etcImage);
  if ((await listNames(baseline)).length === 0) return 'the baseline of /etc is empty';
  if (!/^UUID=\S+\s+\/var\s/m.test((await readTextIfExists(path.join(baseline, 'fstab'))) ?? ''))
    return 'the baseline of /etc mounts no /var';
  const root = (await readTextIfExists(path.join(baseline, 'shadow')))?.split('\n').find((l) => l.startsWith('root:'));
  if (!/^root:[!*]/.test(root ?? '')) return 'root is not locked in the baseline of /etc';
  const storage = storageOf(context);
  if (storage !== null && !(await isDescribed(dir, storage, PATHS.etcImage)))
    return `the initrd does not know the ${storage === 'md' ? 'mirror' : 'paths'}, so it would not find its disk`;
  return null;
}

/** What the second slot lacks to start, looked at through a read-only mount of its own; null: nothing. */
export async function slotBFault(context: StepContext): Promise<string | null> {
  const dir = `${context.root}-slot-b`;
  const node = await filesystemNode(context.plan, 'root_b');
  if (!(await isBlockDevice(node))) return 'no device';
  try {
    await mountOnce(context, dir, ['-t', 'ext4', '-o', 'ro', node]);
    return await slotFault(context, dir);
  } finally {
    await unmountBelow(context, dir);
    await remove(dir);
  }
}
