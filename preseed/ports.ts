/** The linter's view of files and devices, on the real machine. */
import path from 'node:path';
import { MAX_ANSWER_FILE_BYTES } from '#model/limits.ts';
import { isMissing, listNames, readTextIfExists, realPath, writeAtomic } from '#system/files.ts';
import { factsOf, readBytes } from '#system/files-now.ts';
import { readStdin } from '#system/stdin.ts';

/** One byte more than is allowed, so that a file over the limit is known as one. */
const READ_BYTES = MAX_ANSWER_FILE_BYTES + 1;

export type Loaded = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly why: string };

function whyUnreadable(error: unknown): string {
  if (isMissing(error)) return 'no such file';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'EACCES' || code === 'EPERM'
    ? 'permission denied'
    : code === 'EISDIR'
      ? 'it is a directory'
      : `cannot be read (${code || 'unknown error'})`;
}

/** Reads a file, or standard input for `-`. */
export async function loadFile(file: string): Promise<Loaded> {
  try {
    return { ok: true, bytes: file === '-' ? await readStdin(READ_BYTES) : await readBytes(file, READ_BYTES) };
  } catch (error) {
    return { ok: false, why: whyUnreadable(error) };
  }
}

/** A directory stands for the files of that extension in it, sorted by name; anything else for itself. */
export async function expandNames(files: readonly string[], extension = /\.ya?ml$/i): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of files) {
    const facts = file === '-' ? null : await factsOf(file, true).catch(() => null);
    if (facts?.kind !== 'directory') found.push(file);
    else
      found.push(
        ...(await listNames(file)).filter((name) => extension.test(name) && !name.startsWith('.')).map((name) => path.join(file, name)),
      );
  }
  return found;
}

/** Puts new content in the place of a file; its permission bits stay. */
export async function replaceFile(file: string, bytes: Uint8Array): Promise<void> {
  const real = (await realPath(file)) ?? file;
  const facts = await factsOf(real);
  await writeAtomic(real, bytes, { mode: facts?.mode ?? 0o600, ...(facts ? { owner: { uid: facts.uid, gid: facts.gid } } : {}) });
}

export interface LocalDisk {
  readonly kname: string;
  readonly sizeBytes: number;
  readonly isWhole: boolean;
}

/**
 * SPATIUM_FAKE_DISK_BYTES, kept from the installer before this one for its tests: a number is the size of every disk,
 * `path=bytes,...` names the disks there are. null: not set.
 */
export function fakeDiskBytes(setting: string, name: string): number | null {
  if (/^[0-9]+$/.test(setting)) return Number(setting);
  const sizes = setting.split(',').map((pair) => /^(.+)=([0-9]+)$/.exec(pair.trim()));
  const found = sizes.find((pair) => pair?.[1] === name);
  return found ? Number(found[2]) : null;
}

/** Size of a named block device, from sysfs; null when this machine has none of that name. */
export async function blockDeviceSize(name: string): Promise<LocalDisk | null> {
  if (!name.startsWith('/dev/')) return null;
  const fake = process.env['SPATIUM_FAKE_DISK_BYTES'];
  if (fake) {
    const sizeBytes = fakeDiskBytes(fake, name);
    return sizeBytes === null ? null : { kname: path.basename(name), sizeBytes, isWhole: true };
  }
  try {
    if ((await factsOf(name, true))?.kind !== 'block') return null;
    const kname = path.basename((await realPath(name)) ?? name);
    const sysfs = `/sys/class/block/${kname}`;
    const sectors = Number(await readTextIfExists(`${sysfs}/size`));
    const isPartition = (await readTextIfExists(`${sysfs}/partition`)) !== null;
    return { kname, sizeBytes: sectors * 512, isWhole: !isPartition };
  } catch {
    // A device that cannot be looked at is one that this machine cannot check.
    return null;
  }
}
