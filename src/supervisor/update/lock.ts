/**
 * The lock of the updater, which `flock(1)` takes before it starts us. That somebody holds it is not enough: a run that was started by
 * hand, without it, beside one of the timer would see the timer's. See docs/decisions/0017-updates.md.
 */
import { factsOf, readTextIfExists } from '#system/files.ts';
import type { Runner } from '#system/run.ts';

export const LOCK = '/run/spatium-update.lock';

/** Processes that hold a lock of `flock(2)` on a file, from the text of /proc/locks. */
function flockHolders(locks: string, inode: number): readonly number[] {
  return locks.split('\n').flatMap((line) => {
    const [, kind, , , pid, file] = line.trim().split(/\s+/);
    return kind === 'FLOCK' && file?.split(':')[2] === String(inode) ? [Number(pid)] : [];
  });
}

/** Does anybody hold it? */
export async function isLocked(run: Runner, file = LOCK): Promise<boolean> {
  const result = await run(['flock', '-n', '-E', '75', file, 'true']);
  return result.kind === 'exited' && result.code === 75;
}

/** Is it held for us: by the `flock` that started this process, or by this process, into which it turned? */
export async function isOurs(run: Runner, file = LOCK): Promise<boolean> {
  if (!(await isLocked(run, file))) return false;
  const [locks, facts] = [await readTextIfExists('/proc/locks'), await factsOf(file)];
  const holders = locks === null || facts === null ? [] : flockHolders(locks, facts.inode);
  // A kernel that does not say who leaves us with what we know.
  return holders.length === 0 || holders.includes(process.pid) || holders.includes(process.ppid);
}
