/**
 * One holder at a time, across processes. The lock is a file made exclusively that names its holder by pid,
 * start time and boot, so a lock left by a killed process or an earlier boot is known to be stale and is taken over.
 */
import fs from 'node:fs/promises';
import { isMissing, readTextIfExists } from './files.ts';

export class LockedError extends Error {
  readonly holderPid: number;

  constructor(file: string, holderPid: number) {
    super(`${file} is held by process ${holderPid}`);
    this.name = 'LockedError';
    this.holderPid = holderPid;
  }
}

export interface Lock {
  release(): Promise<void>;
}

/** Field 22 of /proc/PID/stat, clock ticks since boot; the command name before it may hold blanks and brackets. */
async function startTimeOf(pid: number): Promise<string | null> {
  const stat = await readTextIfExists(`/proc/${pid}/stat`);
  if (stat === null) return null;
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

async function identityOf(pid: number): Promise<string> {
  const boot = (await readTextIfExists('/proc/sys/kernel/random/boot_id'))?.trim() ?? 'unknown';
  return `${pid} ${(await startTimeOf(pid)) ?? 'gone'} ${boot}`;
}

/** Pid of a live holder; null when the lock is stale or unreadable as one. */
async function liveHolder(content: string): Promise<number | null> {
  const pid = Number.parseInt(content, 10);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return content.trim() === (await identityOf(pid)) ? pid : null;
}

/**
 * Takes the lock or throws LockedError at once; never waits.
 * The file is linked into place with its content, so no reader ever sees it empty.
 */
export async function acquireLock(file: string): Promise<Lock> {
  const mine = await identityOf(process.pid);
  const temporary = `${file}.${process.pid}`;
  await fs.writeFile(temporary, `${mine}\n`, { mode: 0o644 });
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      try {
        await fs.link(temporary, file);
        return { release: () => releaseLock(file, mine) };
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
      const content = await readTextIfExists(file);
      if (content === null) continue;
      const holder = await liveHolder(content);
      if (holder !== null) throw new LockedError(file, holder);
      await dropStale(file, content);
    }
    throw new Error(`${file}: the lock changes hands too quickly`);
  } finally {
    await fs.rm(temporary, { force: true });
  }
}

/** Moves a stale lock aside and looks again, so that a lock taken meanwhile by another is put back. */
async function dropStale(file: string, seen: string): Promise<void> {
  const aside = `${file}.stale.${process.pid}`;
  try {
    await fs.rename(file, aside);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  if ((await readTextIfExists(aside)) !== seen) await fs.link(aside, file).catch(() => undefined);
  await fs.rm(aside, { force: true });
}

async function releaseLock(file: string, mine: string): Promise<void> {
  if ((await readTextIfExists(file))?.trim() === mine) await fs.rm(file, { force: true });
}
