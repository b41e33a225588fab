/**
 * Keeps a mirror's second boot partition in step with the first. Firmware reads a boot partition before any array exists,
 * so it cannot be mirrored; without this the survivor of a lost first disk would start from an old menu.
 */
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import { copyFile, ensureDir, exists, isDirectory, readBytes, readTextIfExists, remove, rename } from '#system/files.ts';
import { type Runner, run, succeeded } from '#system/run.ts';

const SECOND = '/boot/efi2';
const MAX_FILE_BYTES = 1024 * 1024;

/** What both must agree on. Each keeps its own loader, which looks for its own partition. */
export const SHARED_BOOT_FILES = ['grub.cfg', 'grub.cfg.bak', 'grubenv'] as const;

async function differs(a: string, b: string): Promise<boolean> {
  const [inA, inB] = [await exists(a), await exists(b)];
  if (!inA || !inB) return inA !== inB;
  const [left, right] = [await readBytes(a, MAX_FILE_BYTES), await readBytes(b, MAX_FILE_BYTES)];
  return left.length !== right.length || left.some((byte, i) => byte !== right[i]);
}

/** Names of shared files that are not the same in both grub directories. */
export async function bootFileDrift(from: string, to: string): Promise<string[]> {
  const names: string[] = [];
  for (const name of SHARED_BOOT_FILES) if (await differs(path.join(from, name), path.join(to, name))) names.push(name);
  return names;
}

/** Makes the shared files of `to` those of `from`, each swapped in whole; gives the names that changed. */
export async function copyBootFiles(from: string, to: string): Promise<string[]> {
  await ensureDir(to);
  const names = await bootFileDrift(from, to);
  for (const name of names) {
    const target = path.join(to, name);
    if (!(await exists(path.join(from, name)))) {
      await remove(target);
      continue;
    }
    await copyFile(path.join(from, name), `${target}.new`);
    await rename(`${target}.new`, target);
  }
  return names;
}

export interface EspSyncOptions {
  /** The system, `/` or below a directory during an installation. */
  readonly root: string;
  /** Only compare. */
  readonly isCheck: boolean;
  readonly runner?: Runner;
}

/**
 * - `single`: no second boot partition is configured, so there is nothing to do
 * - `absent`: the second disk is not there (a degraded mirror); nothing was changed
 */
export type EspSyncResult =
  | { readonly kind: 'single' | 'absent' | 'same' }
  | { readonly kind: 'copied' | 'drift'; readonly names: readonly string[] }
  | { readonly kind: 'failed'; readonly why: string };

/** Exit codes of the command: 0 in step or nothing to do, 1 drift (`--check`) or failure. */
export const espSyncExitCode = (result: EspSyncResult): number => (result.kind === 'drift' || result.kind === 'failed' ? 1 : 0);

/** Compares or copies. Mounts the second boot partition for as long as that takes, unless it is mounted already. */
export async function espSync({ root, isCheck, runner = run }: EspSyncOptions): Promise<EspSyncResult> {
  const fstab = (await readTextIfExists(path.join(root, '/etc/fstab'))) ?? '';
  const uuid = /^UUID=(\S+)\s+\/boot\/efi2\s/m.exec(fstab)?.[1];
  if (uuid === undefined) return { kind: 'single' };
  const from = path.join(root, PATHS.grubDir);
  if (!(await isDirectory(from))) return { kind: 'failed', why: `${PATHS.grubDir} is not there: the first boot partition is not mounted` };
  const point = path.join(root, SECOND);
  const wasMounted = succeeded(await runner(['mountpoint', '--quiet', point]));
  if (!wasMounted) {
    const node = `/dev/disk/by-uuid/${uuid}`;
    if (!(await exists(node))) return { kind: 'absent' };
    await ensureDir(point);
    const mounted = await runner(['mount', '-t', 'vfat', '-o', 'fmask=0133,dmask=0022,shortname=winnt', node, point]);
    if (!succeeded(mounted)) return { kind: 'failed', why: mounted.tail.at(-1) ?? `${node} cannot be mounted` };
  }
  try {
    const to = path.join(point, 'grub');
    const names = isCheck ? await bootFileDrift(from, to) : await copyBootFiles(from, to);
    return names.length === 0 ? { kind: 'same' } : { kind: isCheck ? 'drift' : 'copied', names };
  } finally {
    if (!wasMounted) await runner(['umount', point]);
  }
}
