/** Small works on the copied tree, before the overlay is there. */
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import { ensureDir, factsOf, linkAtomic, listNames, remove } from '#system/files.ts';
import { StepFailure, type StepRunner } from '../context.ts';
import { mountForChroot } from '../mounts.ts';

/** Empties /var/log of files but keeps the directories: services expect theirs, with the owners the image gave them. */
async function removeLogFiles(dir: string): Promise<void> {
  for (const name of await listNames(dir)) {
    const entry = path.join(dir, name);
    if ((await factsOf(entry))?.kind === 'directory') await removeLogFiles(entry);
    else await remove(entry);
  }
}

/** What belongs to the live session or to one machine goes; with `logs`, the log files of the build too. */
export const removeLiveParts: StepRunner<'remove-live-parts'> = async (action, { root }) => {
  for (const part of action.paths) await remove(path.join(root, part));
  if (action.logs) await removeLogFiles(path.join(root, 'var/log'));
};

/** Newest first, numbers compared as numbers: 6.12.9 before 6.12.10 is wrong in plain text. */
export function newestFirst(versions: readonly string[]): string[] {
  const collator = new Intl.Collator('en', { numeric: true });
  return [...versions].sort((a, b) => collator.compare(b, a));
}

/** `vmlinuz` and `initrd.img` without a version, so that a slot image with another kernel needs no new boot menu. */
export const linkKernel: StepRunner<'link-kernel'> = async (_action, { root, log }) => {
  const boot = path.join(root, 'boot');
  const names = await listNames(boot);
  const versions = names.flatMap((n) => (n.startsWith('vmlinuz-') ? [n.slice('vmlinuz-'.length)] : []));
  const version = newestFirst(versions).find((v) => names.includes(`initrd.img-${v}`));
  if (version === undefined)
    throw new StepFailure('the copied system has no kernel with a matching initrd in /boot: the medium is not complete');
  await linkAtomic(`vmlinuz-${version}`, path.join(boot, 'vmlinuz'));
  await linkAtomic(`initrd.img-${version}`, path.join(boot, 'initrd.img'));
  log.write(`kernel ${version}`);
};

/** In the slot itself, so that root stays locked when /var, and with it the overlay, is emptied. */
export const lockRoot: StepRunner<'lock-root'> = async (_action, context) => {
  await mountForChroot(context);
  await context.runInTarget(['passwd', '--lock', 'root']);
};

async function removeHostKeys(dir: string): Promise<void> {
  for (const name of await listNames(dir)) if (/^ssh_host_.*_key(\.pub)?$/.test(name)) await remove(path.join(dir, name));
}

/** Keeps this /etc as the lower layer of the overlay. Host keys are not part of it: the first boot makes its own, on STATE. */
export const snapshotEtc: StepRunner<'snapshot-etc'> = async (_action, context) => {
  const etc = path.join(context.root, 'etc');
  const image = path.join(context.root, PATHS.etcImage);
  await removeHostKeys(path.join(etc, 'ssh'));
  await remove(image);
  await ensureDir(path.dirname(image));
  await context.run(['cp', '--archive', etc, image]);
};
