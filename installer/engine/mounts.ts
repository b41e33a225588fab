/** Mounting below the target, read from and checked against the kernel's own table. */
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import { ensureDir, readText } from '#system/files.ts';
import { type MountEntry, parseMountinfo } from '#system/mountinfo.ts';
import { describeEnd, succeeded } from '#system/run.ts';
import { type StepContext, StepFailure } from './context.ts';

/** What is mounted now, in mount order. */
export const readMounts = async (): Promise<MountEntry[]> => parseMountinfo(await readText('/proc/self/mountinfo'));

/** True when something is mounted exactly there. */
export const isMounted = async (target: string): Promise<boolean> => (await readMounts()).some((m) => m.target === target);

/** Mounts `args` (options and source) once; a target that is mounted already is left as it is. Throws StepFailure when mount fails. */
export async function mountOnce(context: StepContext, target: string, args: readonly string[]): Promise<void> {
  await ensureDir(target);
  if (await isMounted(target)) return;
  await context.run(['mount', ...args, target]);
}

/** /dev, /proc, /sys and udev's database, so that tools work inside the target as they do outside. */
export async function mountForChroot(context: StepContext): Promise<void> {
  const { root } = context;
  await mountOnce(context, path.join(root, 'proc'), ['-t', 'proc', 'proc']);
  for (const dir of ['dev', 'sys', 'run']) {
    const target = path.join(root, dir);
    if (await isMounted(target)) continue;
    await mountOnce(context, target, ['--rbind', `/${dir}`]);
    // Without this, unmounting below the target would unmount the medium's own.
    await context.run(['mount', '--make-rslave', target]);
  }
}

/**
 * Puts on the disk what was written to the target's file systems. A journal that says "done" about what lay in memory only would
 * make a continued run skip work that a power cut undid. Throws StepFailure when the disk does not take it.
 */
export async function flushTarget(context: StepContext): Promise<void> {
  const { root } = context;
  const own = ['', 'var', PATHS.state, 'boot/efi', 'boot/efi2'].map((dir) => path.join(root, dir));
  const mounted = (await readMounts()).map((m) => m.target);
  const points = own.filter((point) => mounted.includes(point));
  if (points.length === 0) return;
  const synced = await context.tryRun(['sync', '--file-system', ...points], { timeoutMs: 3_600_000 });
  if (!succeeded(synced))
    throw new StepFailure(
      `the disk did not take all that was written (${describeEnd(synced)}: ${synced.tail.at(-1) ?? '?'}); it may be failing`,
      synced,
    );
}

/** Unmounts everything at and below a directory, the last mounted first. Gives the targets that stayed. */
export async function unmountBelow(context: StepContext, dir: string): Promise<string[]> {
  const below = (await readMounts()).map((m) => m.target).filter((t) => t === dir || t.startsWith(`${dir}/`));
  const outer = [...new Set(below)].sort((a, b) => b.length - a.length);
  for (const target of outer) {
    if (!(await isMounted(target))) continue;
    const isBorrowed = ['dev', 'sys', 'run'].some((d) => target === path.join(dir, d) || target.startsWith(`${path.join(dir, d)}/`));
    // What is borrowed from the medium is in use there; it only has to leave this tree.
    if (isBorrowed) await context.tryRun(['umount', '-l', target]);
    else await unmountPatiently(context, target);
  }
  return (await readMounts()).map((m) => m.target).filter((t) => t === dir || t.startsWith(`${dir}/`));
}

/**
 * Lets go of the target and of the places beside it where a run looks at single file systems, as a killed one leaves them.
 * Gives the targets that stayed.
 */
export async function unmountAll(context: StepContext): Promise<string[]> {
  const left: string[] = [];
  for (const beside of ['-kept', '-slot-b', '-var', '']) left.push(...(await unmountBelow(context, `${context.root}${beside}`)));
  return left;
}

async function unmountPatiently(context: StepContext, target: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const result = await context.tryRun(['umount', target], { timeoutMs: 300_000 });
    if (!(await isMounted(target))) return;
    if (result.kind === 'exited' && attempt < 4) await new Promise((resolve) => setTimeout(resolve, 500 * (attempt + 1)));
  }
}
