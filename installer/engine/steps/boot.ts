/** Boot menu and boot loaders. All of GRUB lives on the boot partition, shared by both slots. */
import path from 'node:path';
import { FRESH_GRUBENV, renderGrubenv, renderGrubMenu, titleVersion } from '#boot/grub-menu.ts';
import { PATHS } from '#model/limits.ts';
import type { GrubTarget } from '#model/plan.ts';
import { ensureDir, readTextIfExists, rename, writeAtomic } from '#system/files.ts';
import { describeEnd, succeeded } from '#system/run.ts';
import { type StepContext, StepFailure, type StepRunner } from '../context.ts';
import { diskNode, layoutAt } from '../devices.ts';
import { mountForChroot } from '../mounts.ts';

/** Where a disk's boot partition is mounted in the installed system. */
const espOf = (diskIndex: number): string => (diskIndex === 0 ? '/boot/efi' : '/boot/efi2');

/** The value of a KEY="value" line; null when the file or the key is missing. */
export function releaseValue(text: string | null, key: string): string | null {
  const line = text?.split('\n').find((l) => l.startsWith(`${key}=`));
  return line === undefined ? null : line.slice(key.length + 1).replace(/^"(.*)"$/, '$1');
}

async function installedVersion(context: StepContext): Promise<string | null> {
  return titleVersion(releaseValue(await readTextIfExists(path.join(context.root, PATHS.release)), 'APPLIANCE_VERSION'));
}

const MACHINE_ID_WORD = 'systemd.machine_id=';

/** A reinstalled machine keeps the id on its STATE, so the menu must name that one. */
async function withKeptMachineId(context: StepContext, words: readonly string[]): Promise<string[]> {
  const kept = (await readTextIfExists(path.join(context.root, PATHS.state, 'machine-id')))?.trim() ?? '';
  return words.map((w) => (w.startsWith(MACHINE_ID_WORD) && /^[0-9a-f]{32}$/.test(kept) ? `${MACHINE_ID_WORD}${kept}` : w));
}

/** Candidate, checked, the old kept aside, then swapped in: the menu on the disk is always a whole one. */
export const bootMenu: StepRunner<'boot-menu'> = async (action, context) => {
  const { root } = context;
  await mountForChroot(context);
  const version = await installedVersion(context);
  const text = renderGrubMenu({
    product: context.plan.product,
    slotA: { uuid: action.rootAUuid, version },
    slotB: { uuid: action.rootBUuid, version },
    extraKernelWords: await withKeptMachineId(context, action.extraKernelWords),
    offersRescue: !action.isLocked,
    isLocked: action.isLocked,
  });
  const menu = path.join(root, PATHS.grubDir, 'grub.cfg');
  await ensureDir(path.dirname(menu));
  await writeAtomic(`${menu}.new`, text, { mode: null });
  await context.runInTarget(['grub-script-check', `${PATHS.grubDir}/grub.cfg.new`]);
  const old = await readTextIfExists(menu);
  if (old !== null) await writeAtomic(`${menu}.bak`, old, { mode: null });
  await rename(`${menu}.new`, menu);
  await writeAtomic(path.join(root, PATHS.grubDir, 'grubenv'), renderGrubenv(FRESH_GRUBENV), { mode: null });
  const versions = path.join(root, PATHS.slotVersions);
  await ensureDir(path.dirname(versions));
  await writeAtomic(versions, `${JSON.stringify({ slot_a: version ?? 'unknown', slot_b: version ?? 'unknown' })}\n`);
};

/**
 * What the menu uses, what a person at GRUB's prompt finds a disk with, and the ways to show it. All 280 modules would be five
 * times the files to write to FAT, on each boot partition, for each firmware; the rest is file systems and formats that no appliance has.
 */
const MODULES: readonly string[] = [
  ...['part_gpt', 'part_msdos', 'fat', 'ext2', 'diskfilter', 'mdraid1x', 'search', 'search_fs_uuid', 'search_fs_file', 'search_label'],
  ...['normal', 'linux', 'test', 'true', 'echo', 'loadenv', 'configfile', 'chain', 'boot', 'gzio', 'regexp', 'eval', 'read'],
  ...['serial', 'terminal', 'all_video', 'gfxterm', 'font', 'keystatus'],
  ...['minicmd', 'ls', 'cat', 'help', 'sleep', 'reboot', 'halt', 'probe', 'hexdump', 'smbios', 'date'],
];

const FIRMWARE_MODULES: Readonly<Record<GrubTarget, readonly string[]>> = {
  'i386-pc': ['biosdisk', 'vga', 'vbe', 'lspci'],
  'x86_64-efi': ['efi_gop', 'efifwsetup', 'lsefi', 'lspci'],
  'arm64-efi': ['efi_gop', 'efifwsetup', 'lsefi'],
};

/** Text only: neither fonts, themes nor translations. */
const smallSet = (target: GrubTarget): string[] => [
  `--install-modules=${[...MODULES, ...FIRMWARE_MODULES[target]].join(' ')}`,
  '--fonts=',
  '--themes=',
  '--locales=',
];

/** GRUB for one kind of firmware on one disk. Only the kind by which this machine starts may stop the run; another is a warning. */
export const bootLoader: StepRunner<'boot-loader'> = async (action, context) => {
  await mountForChroot(context);
  const esp = espOf(action.diskIndex);
  const disk = await diskNode(layoutAt(context.plan, action.diskIndex));
  const where =
    action.target === 'i386-pc' ? [disk] : [`--efi-directory=${esp}`, '--removable', '--no-nvram', '--bootloader-id=SPATIUMDDI'];
  const argv = [
    'chroot',
    context.root,
    'grub-install',
    `--target=${action.target}`,
    `--boot-directory=${esp}`,
    ...smallSet(action.target),
    ...where,
  ];
  const result = await context.tryRun(argv, { timeoutMs: 300_000 });
  if (succeeded(result)) return;
  const name = action.target === 'i386-pc' ? 'BIOS' : 'UEFI';
  if (action.required)
    throw new StepFailure(
      `the ${name} boot loader could not be installed (${describeEnd(result)}), and this machine starts by ${name}`,
      result,
    );
  context.warn(`the ${name} boot loader could not be installed on ${disk}; the disk will not start on a ${name} machine`);
};
