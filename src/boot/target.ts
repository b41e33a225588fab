/** The system that is rendered: paths below a root folder, commands, and a place for what happened. */
import path from 'node:path';
import { ensureDir, readTextIfExists, writeAtomic } from '#system/files.ts';
import type { Runner } from '#system/run.ts';

export interface Target {
  /** `/` on the appliance; a folder in a test, where nothing of the running system is touched. */
  readonly root: string;
  readonly run: Runner;
  readonly note: (text: string) => void;
}

export const inRoot = (target: Pick<Target, 'root'>, absolute: string): string => path.join(target.root, absolute);

/** Effects beyond files (kernel host name, mounts) belong to the running system only. */
export const isLive = (target: Target): boolean => target.root === '/';

/** Writes a file only when its content differs, so that a boot without news writes nothing; makes its folder. */
export async function putText(target: Target, absolute: string, text: string, mode: number): Promise<void> {
  const file = inRoot(target, absolute);
  if ((await readTextIfExists(file)) === text) return;
  await ensureDir(path.dirname(file));
  await writeAtomic(file, text, { mode });
  target.note(`wrote ${absolute}`);
}
