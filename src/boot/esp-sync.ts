/**
 * Keeps a mirror's second boot partition in step with the first. Firmware reads a boot partition before any array exists,
 * so it cannot be mirrored; without this the survivor of a lost first disk would start from an old menu.
 */
import path from 'node:path';
import { PATHS } from '#model/limits.ts';
import { ensureDir, exists, isDirectory, readBytes, readTextIfExists, remove, writeAtomic } from '#system/files.ts';
import { type Runner, run, succeeded } from '#system/run.ts';

const OWN = '/boot/efi';
/** Where the one that is not in use is mounted while it is worked on. */
const OTHER = '/boot/efi2';
const MAX_FILE_BYTES = 1024 * 1024;

/** What both must agree on. Each keeps its own loader, which looks for its own partition. */
const SHARED_BOOT_FILES = ['grub.cfg', 'grub.cfg.bak', 'grubenv'] as const;

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
    await writeAtomic(target, await readBytes(path.join(from, name), MAX_FILE_BYTES), { mode: null });
  }
  return names;
}

export interface EspSyncOptions {
  /** The system, `/` or below a directory during an installation. */
  readonly root: string;
  /** Only compare. */
  readonly isCheck: boolean;
  /** At boot: without the first boot partition the second is mounted in its place. */
  readonly mayStandIn?: boolean;
  readonly runner?: Runner;
}

/**
 * - `single`: no second boot partition is configured, so there is nothing to do
 * - `absent`: one of the two disks is not there (a degraded mirror); the other one's boot partition is in use, nothing was copied
 * - `stands-in`: the second one was just mounted at `/boot/efi`
 * - `restored`: the first one took what the second had got in its absence
 */
export type EspSyncResult =
  | { readonly kind: 'single' | 'absent' | 'same' | 'stands-in' }
  | { readonly kind: 'copied' | 'drift' | 'restored'; readonly names: readonly string[] }
  | { readonly kind: 'failed'; readonly why: string };

/** Exit codes of the command: 0 in step or nothing to do, 1 drift (`--check`) or failure. */
export const espSyncExitCode = (result: EspSyncResult): number => (result.kind === 'drift' || result.kind === 'failed' ? 1 : 0);

/** On the second one: it was changed while the first was away, so at the first's return the copy goes the other way, once. */
const AHEAD = 'spatium-ahead';
/** Below the time limit of the boot unit. */
const SETTLE_S = 60;
const FAT_OPTIONS = 'fmask=0133,dmask=0022,shortname=winnt';
const byUuid = (root: string, uuid: string): string => path.join(root, '/dev/disk/by-uuid', uuid);

interface Pair {
  readonly root: string;
  readonly runner: Runner;
  readonly first: string;
  readonly second: string;
}

/** Mounts one at `point`; null, or why it cannot be. */
async function mountAt({ root, runner }: Pair, uuid: string, point: string): Promise<string | null> {
  await ensureDir(point);
  const mounted = await runner(['mount', '-t', 'vfat', '-o', FAT_OPTIONS, byUuid(root, uuid), point]);
  return succeeded(mounted) ? null : (mounted.tail.at(-1) ?? `${uuid} cannot be mounted on ${point}`);
}

/** Does the work with the other boot partition mounted, for as long as that takes unless it is mounted already. */
async function withOther(pair: Pair, uuid: string, work: (grubDir: string) => Promise<EspSyncResult>): Promise<EspSyncResult> {
  const point = path.join(pair.root, OTHER);
  const wasMounted = succeeded(await pair.runner(['mountpoint', '--quiet', point]));
  if (!wasMounted) {
    const why = await mountAt(pair, uuid, point);
    if (why !== null) return { kind: 'failed', why };
  }
  try {
    return await work(path.join(point, 'grub'));
  } finally {
    if (!wasMounted) await pair.runner(['umount', point]);
  }
}

async function bring(from: string, to: string, isCheck: boolean): Promise<EspSyncResult> {
  if (!(await exists(path.join(from, 'grub.cfg')))) return { kind: 'failed', why: `${from} has no grub.cfg, so it is not copied from` };
  const names = isCheck ? await bootFileDrift(from, to) : await copyBootFiles(from, to);
  return names.length === 0 ? { kind: 'same' } : { kind: isCheck ? 'drift' : 'copied', names };
}

/** The first takes what the second got in its absence; the mark goes last, so that a cut run is done again. */
async function restore(from: string, to: string): Promise<EspSyncResult> {
  const result = await bring(from, to, false);
  if (result.kind === 'failed') return result;
  await remove(path.join(from, AHEAD));
  return { kind: 'restored', names: result.kind === 'copied' ? result.names : [] };
}

/** The second is mounted at /boot/efi: the first was lost, and may have come back meanwhile. */
async function syncFromStandIn(pair: Pair, isCheck: boolean): Promise<EspSyncResult> {
  const own = path.join(pair.root, PATHS.grubDir);
  if (!(await exists(byUuid(pair.root, pair.first)))) {
    if (!isCheck) await writeAtomic(path.join(own, AHEAD), '', { mode: null });
    return { kind: 'absent' };
  }
  return withOther(pair, pair.first, (other) => (isCheck ? bring(own, other, true) : restore(own, other)));
}

/**
 * Nothing is at /boot/efi. The wait of the mount unit may have ended before a slow disk was up, and the first boot partition is there by
 * now: it is mounted, which gives null. Otherwise the second one takes its place, also when the first can no longer be mounted.
 */
async function mountLate(pair: Pair): Promise<EspSyncResult | null> {
  const point = path.join(pair.root, OWN);
  await pair.runner(['udevadm', 'settle', `--timeout=${SETTLE_S}`]);
  if ((await exists(byUuid(pair.root, pair.first))) && (await mountAt(pair, pair.first, point)) === null) return null;
  if (!(await exists(byUuid(pair.root, pair.second)))) return { kind: 'failed', why: 'neither boot partition is there' };
  const why = await mountAt(pair, pair.second, point);
  return why === null ? { kind: 'stands-in' } : { kind: 'failed', why };
}

/** Compares or copies, in the direction that the two disks' history asks for. */
export async function espSync({ root, isCheck, mayStandIn = false, runner = run }: EspSyncOptions): Promise<EspSyncResult> {
  const fstab = (await readTextIfExists(path.join(root, '/etc/fstab'))) ?? '';
  const uuidAt = (point: string) => new RegExp(`^UUID=(\\S+)\\s+${point}\\s`, 'm').exec(fstab)?.[1];
  const [first, second] = [uuidAt(OWN), uuidAt(OTHER)];
  if (second === undefined) return { kind: 'single' };
  if (first === undefined) return { kind: 'failed', why: '/etc/fstab does not name the first boot partition' };
  const pair: Pair = { root, runner, first, second };
  const own = path.join(root, PATHS.grubDir);
  if (!(await isDirectory(own))) {
    if (!mayStandIn) return { kind: 'failed', why: `${PATHS.grubDir} is not there: no boot partition is mounted on ${OWN}` };
    const ended = await mountLate(pair);
    if (ended !== null) return ended;
  }
  const isSecondHere = await exists(byUuid(root, second));
  const mounted = await runner(['findmnt', '--noheadings', '--output', 'UUID', '--mountpoint', path.join(root, OWN)]);
  if (succeeded(mounted) && mounted.stdout.trim().toUpperCase() === second.toUpperCase()) return syncFromStandIn(pair, isCheck);
  if (!isSecondHere) return { kind: 'absent' };
  return withOther(pair, second, async (other) => {
    if (!(await exists(path.join(other, AHEAD)))) return bring(own, other, isCheck);
    return isCheck ? bring(other, own, true) : restore(other, own);
  });
}
