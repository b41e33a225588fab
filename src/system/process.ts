/** Other processes of this machine. */
import fs from 'node:fs/promises';
import { errnoOf, listNames } from './files.ts';

/**
 * The name that process lists show for this one; the runtime calls each of its programs "MainThread". The kernel keeps 15 characters.
 * Not `process.title`, which writes over the command line that others look for.
 */
export const nameProcess = (name: string): Promise<void> => fs.writeFile('/proc/self/comm', name).catch(() => undefined);

/** SIGKILL to a process; one that has ended already is what was wanted. Throws for any other reason, EPERM first of all. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

/** Where a process has its root directory; null for a kernel thread, one that is gone, and one that is not ours to ask. */
const rootOf = (pid: string): Promise<string | null> => fs.readlink(`/proc/${pid}/root`).catch(() => null);

/** Numbers of the processes whose root directory is `root` or below it, so only those of a chroot. */
export async function processesBelow(root: string): Promise<number[]> {
  const pids = (await listNames('/proc')).filter((name) => /^\d+$/.test(name));
  const roots = await Promise.all(pids.map(rootOf));
  return pids.filter((_, i) => roots[i] === root || roots[i]?.startsWith(`${root}/`)).map(Number);
}

/** Resolves when this process is asked to end; the signals count from the moment of the call. */
export const signalled = (): Promise<'signal'> =>
  new Promise((resolve) => {
    process.once('SIGTERM', () => resolve('signal'));
    process.once('SIGINT', () => resolve('signal'));
  });
