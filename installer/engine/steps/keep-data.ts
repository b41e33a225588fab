import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import { chmod, ensureDir, exists, isDirectory, listNames, remove, rename, writeAtomic } from '#system/files.ts';
import type { StepContext, StepRunner } from '../context.ts';
import { filesystemNode } from '../devices.ts';
import { mountOnce, unmountBelow } from '../mounts.ts';
import { mountData } from './mount-target.ts';

/** There while the /etc on /var is half made: a second attempt must not take it for the old system's. */
export const INCOMPLETE = '/var/persist/etc.incomplete';
const PREVIOUS = 'persist/etc.previous';
const UPPER = 'persist/etc';

/** Sets the old system's /etc aside, readable by root only since it holds password hashes. Done once, however often the step runs. */
async function setAside(data: string): Promise<void> {
  const upper = path.join(data, UPPER);
  const marker = path.join(data, INCOMPLETE.replace('/var/', ''));
  await ensureDir(path.join(data, 'persist'));
  if (!(await exists(marker)) && (await isDirectory(upper))) {
    const previous = path.join(data, PREVIOUS);
    await remove(previous);
    await rename(upper, previous);
    await chmod(previous, 0o700);
  }
  await writeAtomic(marker, '');
  await remove(upper);
  await remove(path.join(data, 'persist/etc-work'));
  await ensureDir(upper);
}

/** The secrets that open the kept data, into the new /etc. */
async function carryOver(context: StepContext, data: string, carry: readonly string[]): Promise<void> {
  for (const file of carry) {
    const inEtc = path.relative('/etc', file);
    const from = path.join(data, PREVIOUS, inEtc);
    if (!(await exists(from))) continue;
    const to = path.join(data, UPPER, inEtc);
    await ensureDir(path.dirname(to));
    await context.run(['cp', '--archive', '--no-target-directory', from, to]);
    context.log.write(`kept ${file}`);
  }
}

/**
 * Joins the copied system with the /var that stays. The copy lies in the slot so far: what the kept /var lacks is added,
 * the package database is replaced, and nothing else on it changes.
 */
export const keepData: StepRunner<'keep-data'> = async (action, context) => {
  const { root, plan } = context;
  const fresh = path.join(root, 'var');
  const data = `${root}-var`;
  await mountOnce(context, data, ['-t', 'ext4', await filesystemNode(plan, 'var')]);
  try {
    await setAside(data);
    await carryOver(context, data, action.carry);
    for (const dir of action.replace) {
      const from = path.join(root, dir);
      if (!(await exists(from))) continue;
      const to = path.join(data, path.relative('/var', dir));
      await ensureDir(path.dirname(to));
      await remove(to);
      await context.run(['cp', '--archive', '--no-target-directory', from, to]);
    }
    await context.run(['rsync', '--archive', '--acls', '--xattrs', '--hard-links', '--ignore-existing', `${fresh}/`, `${data}/`]);
    for (const name of await listNames(fresh)) await remove(path.join(fresh, name));
  } finally {
    await unmountBelow(context, data);
    await remove(data);
  }
  await ensureDir(path.join(root, PATHS.state));
  await mountData(context);
};
