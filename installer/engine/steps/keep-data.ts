import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import { chmod, ensureDir, exists, factsOf, isDirectory, listNames, readForeignText, remove, rename, writeAtomic } from '#system/files.ts';
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
 * Paths below `fresh` that are folders there and something else on the kept /var, an operator's link first of all. rsync would
 * follow such a link and write wherever it leads: onto the medium, or another disk.
 */
async function standInTheWay(fresh: string, data: string, below = ''): Promise<string[]> {
  const found: string[] = [];
  for (const name of await listNames(path.join(fresh, below))) {
    const inner = path.join(below, name);
    if ((await factsOf(path.join(fresh, inner)))?.kind !== 'directory') continue;
    const kept = await factsOf(path.join(data, inner));
    if (kept === null) continue;
    if (kept.kind === 'directory') found.push(...(await standInTheWay(fresh, data, inner)));
    else found.push(inner);
  }
  return found;
}

/** What the kept /var lacks, from the copied system. What stands there stays, and nothing goes through it. */
async function addMissing(context: StepContext, fresh: string, data: string): Promise<void> {
  const left = await standInTheWay(fresh, data);
  for (const place of left) context.warn(`/var/${place} is kept as it is: it is no folder, so what the new system has there was not added`);
  // A pattern of rsync, so that what it reads as one is taken by the letter.
  const without = left.map((place) => `--exclude=/${place.replace(/[\\*?[]/g, '\\$&')}`);
  await context.run(['rsync', '--archive', '--acls', '--xattrs', '--hard-links', '--ignore-existing', ...without, `${fresh}/`, `${data}/`]);
}

/** A machine id that none is, as a power cut can leave it, gives way: the one of the plan is written in its place. */
async function dropBadMachineId(context: StepContext): Promise<void> {
  const file = path.join(context.root, PATHS.state, 'machine-id');
  const text = await readForeignText(file, 4096);
  if (!(await exists(file)) || /^[0-9a-f]{32}$/.test(text?.trim() ?? '')) return;
  await remove(file);
  context.warn('the kept machine id was not valid; the machine gets a new one');
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
    await addMissing(context, fresh, data);
    for (const name of await listNames(fresh)) await remove(path.join(fresh, name));
  } finally {
    await unmountBelow(context, data);
    await remove(data);
  }
  await ensureDir(path.join(root, PATHS.state));
  await mountData(context);
  await dropBadMachineId(context);
};
