/** Whether the medium's image can become a system that starts from the planned disks; asked while nothing has been written. */
import path from 'node:path';
import { missingIn, type SlotStorage } from '#boot/slot-initrd.ts';
import { messageOf } from '#system/complain.ts';
import { ensureDir, exists, readTextIfExists, remove } from '#system/files.ts';
import { sha256Of } from '#system/part-file.ts';
import { succeeded } from '#system/run.ts';
import { findTool } from '#system/tools.ts';
import { type StepContext, StepFailure } from '../context.ts';
import { isMirror } from '../devices.ts';

/** Run inside the new system later in the run. */
const PROGRAMS = ['grub-install', 'grub-script-check'];
/** By a plan that makes an account; a locked image has none of them. */
const ACCOUNT_PROGRAMS = ['useradd', 'chpasswd', 'passwd'];
const FOLDERS = ['usr/bin', 'usr/sbin'];

/** What the image must carry for a kind of disk, beyond its initrd: the running system watches and mends with it. */
const STORAGE_PROGRAMS: Readonly<Record<SlotStorage, readonly string[]>> = {
  md: ['mdadm'],
  multipath: ['multipath', 'multipathd', 'kpartx'],
};

/** The kind of disk that the new system's initrd has to be told of. */
export const storageOf = (context: StepContext): SlotStorage | null =>
  isMirror(context.plan) ? 'md' : context.plan.steps.some((s) => s.action.kind === 'multipath-config') ? 'multipath' : null;

/** Paths in the image, of those asked for. */
async function listed(context: StepContext, paths: readonly string[]): Promise<string[]> {
  const source = context.options.sourceSquashfs;
  const result = await context.tryRun(['unsquashfs', '-l', source, ...paths], { maxBytes: 4 * 1024 ** 2, onLine: () => undefined });
  if (!succeeded(result)) throw new StepFailure(`the system image ${source} cannot be read; is the medium damaged?`, result);
  return result.stdout.split('\n').flatMap((line) => (line.startsWith('squashfs-root/') ? [line.slice('squashfs-root/'.length)] : []));
}

/** Unpacks the initrd beside the logs, lists it, takes it away again. */
async function initrdListing(context: StepContext, initrd: string): Promise<string> {
  if ((await findTool('lsinitramfs')) === null) throw new StepFailure('lsinitramfs is not on this medium');
  const dir = path.join(context.options.logDir, 'initrd-check');
  try {
    await ensureDir(path.dirname(dir));
    await context.run(['unsquashfs', '-f', '-n', '-q', '-d', dir, context.options.sourceSquashfs, initrd], { onLine: () => undefined });
    return await context.run(['lsinitramfs', path.join(dir, initrd)], { maxBytes: 32 * 1024 ** 2, onLine: () => undefined });
  } finally {
    await remove(dir);
  }
}

/**
 * Reads the image once and compares it with the sum that its medium carries; media without one are taken as they are.
 * A squashfs has no checksums: a changed block that is stored as it is would be installed without a word.
 */
async function requireUndamaged({ log }: StepContext, source: string): Promise<void> {
  const line = await readTextIfExists(`${source}.sha256`);
  if (line === null) return log.write(`${source} has no checksum beside it; damage to the medium cannot be seen`);
  const wanted = /^[0-9a-f]{64}\b/.exec(line)?.[0];
  const found = await sha256Of(source).catch((error: unknown) => messageOf(error));
  if (found !== wanted)
    throw new StepFailure(`the system image ${source} is not what was written to the medium (${found}); write the medium anew`);
}

/** Throws StepFailure naming what the image lacks. */
export async function requireSource(context: StepContext): Promise<void> {
  const source = context.options.sourceSquashfs;
  if (!(await exists(source))) throw new StepFailure(`the system image ${source} cannot be found; is the medium still in place?`);
  await requireUndamaged(context, source);
  const storage = storageOf(context);
  const makesAccount = context.plan.steps.some((s) => s.action.kind === 'create-account');
  const programs = [...PROGRAMS, ...(makesAccount ? ACCOUNT_PROGRAMS : []), ...(storage === null ? [] : STORAGE_PROGRAMS[storage])];
  const loaders = context.plan.steps.flatMap(({ action }) => (action.kind === 'boot-loader' && action.required ? [action.target] : []));
  const modules = [...new Set(loaders)].map((target) => `usr/lib/grub/${target}/modinfo.sh`);
  const names = await listed(context, ['boot', ...FOLDERS.flatMap((dir) => programs.map((p) => `${dir}/${p}`)), ...modules]);
  for (const program of programs)
    if (!FOLDERS.some((dir) => names.some((n) => n.split(' -> ')[0] === `${dir}/${program}`)))
      throw new StepFailure(`the system image has no ${program}, so it could not be made to start here`);
  for (const file of modules)
    if (!names.includes(file))
      throw new StepFailure(`the system image has no boot loader for this machine (${path.basename(path.dirname(file))})`);
  const kernels = names.flatMap((n) => (n.startsWith('boot/vmlinuz-') ? [n.slice('boot/vmlinuz-'.length)] : []));
  const version = kernels.find((v) => names.includes(`boot/initrd.img-${v}`));
  if (version === undefined)
    throw new StepFailure('the system image has no kernel with a matching initrd in /boot: the medium is not complete');
  if (storage === null) return;
  const missing = missingIn(await initrdListing(context, `boot/initrd.img-${version}`), storage);
  if (missing !== null)
    throw new StepFailure(
      `the image's initrd holds no ${missing}, so it would not start from ${storage === 'md' ? 'a mirror' : 'a multipath map'}`,
    );
}
