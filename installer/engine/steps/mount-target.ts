import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import { ensureDir, listNames } from '#system/files.ts';
import type { StepContext, StepRunner } from '../context.ts';
import { filesystemNode, isMirror } from '../devices.ts';
import { mountOnce } from '../mounts.ts';

/** Slot A, and with it /var and STATE unless they are kept. The boot partition follows after the copy. */
export const mountTarget: StepRunner<'mount-target'> = async (action, context) => {
  const { plan, root } = context;
  // Zeroing inode tables in the background would only make the copy to slot B longer; the installed system does it later.
  await mountOnce(context, root, ['-t', 'ext4', '-o', 'noinit_itable', await filesystemNode(plan, 'root_a')]);
  if (action.withData) await mountData(context);
};

/** /var and STATE at their places. */
export async function mountData(context: StepContext): Promise<void> {
  const { plan, root } = context;
  await mountOnce(context, path.join(root, 'var'), ['-t', 'ext4', await filesystemNode(plan, 'var')]);
  await mountOnce(context, path.join(root, PATHS.state), ['-t', 'ext4', await filesystemNode(plan, 'state')]);
  await ensureDir(path.join(root, PATHS.state, 'ssh'), 0o700);
}

/** The same options as the installed system's fstab. */
const ESP_OPTIONS = 'fmask=0133,dmask=0022,shortname=winnt';

/**
 * The persistent /etc over the slot's own, the homes that outlive a slot, and the boot partitions.
 * From here on what is written to /etc lands on /var.
 */
export const mountOverlay: StepRunner<'mount-overlay'> = async (_action, context) => {
  const { plan, root, run } = context;
  const inVar = (dir: string) => path.join(root, dir);
  await ensureDir(inVar(PATHS.etcUpper));
  await ensureDir(inVar(PATHS.etcWork));
  await ensureDir(inVar('/var/home'));
  await ensureDir(inVar('/var/root'), 0o700);
  const overlay = `lowerdir=${inVar(PATHS.etcImage)},upperdir=${inVar(PATHS.etcUpper)},workdir=${inVar(PATHS.etcWork)}`;
  await mountOnce(context, inVar('/etc'), ['-t', 'overlay', '-o', overlay, 'overlay']);
  // Root's own files go where the bind will show them; a home that already holds something is not touched.
  if ((await listNames(inVar('/var/root'))).length === 0) await run(['cp', '--archive', `${inVar('/root')}/.`, inVar('/var/root')]);
  await mountOnce(context, inVar('/root'), ['--bind', inVar('/var/root')]);
  await mountOnce(context, inVar('/home'), ['--bind', inVar('/var/home')]);
  await mountOnce(context, inVar('/boot/efi'), ['-t', 'vfat', '-o', ESP_OPTIONS, await filesystemNode(plan, 'esp')]);
  if (isMirror(plan))
    await mountOnce(context, inVar('/boot/efi2'), ['-t', 'vfat', '-o', ESP_OPTIONS, await filesystemNode(plan, 'esp', 1)]);
};
