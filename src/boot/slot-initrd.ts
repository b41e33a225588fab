/**
 * What the initrd of a slot must know to find a mirror or a multipath map: the description of the arrays, or the accepted maps.
 * An image comes without it, so it is added to each slot that is written, by the installer and at an upgrade.
 */
import path from 'node:path';
import { ensureDir, readTextIfExists, readWhole, realPath, writeAtomic } from '#system/files.ts';
import { cpioArchive, type ExtraFile, withExtra } from './initrd-extra.ts';

export type SlotStorage = 'md' | 'multipath';

/** Parts of the initrd without which the added files would be of no use. */
const INITRD_NEEDS: Readonly<Record<SlotStorage, readonly string[]>> = {
  md: ['md-mod.ko', 'raid1.ko', 'sbin/mdadm'],
  multipath: ['dm-multipath.ko', 'sbin/multipath'],
};

/** Used when the running system has no configuration of its own: take what has two paths, and names that last. */
const DEFAULT_MULTIPATH = 'defaults {\n\tfind_multipaths yes\n\tuser_friendly_names yes\n}\n';

const MULTIPATH_FILES = [
  { path: 'etc/multipath.conf', mode: 0o644 },
  { path: 'etc/multipath/wwids', mode: 0o600 },
  { path: 'etc/multipath/bindings', mode: 0o600 },
] as const;

/** mdadm.conf from `mdadm --detail --scan`. Throws when no array is in it: such an initrd would not find root. */
export function mdadmFile(scan: string): ExtraFile {
  const arrays = scan.split('\n').filter((line) => line.startsWith('ARRAY '));
  if (arrays.length === 0) throw new Error('mdadm describes no array, so the system would not find its disk at boot');
  // mdmonitor ends with an error when it has nobody to tell.
  const head = 'HOMEHOST <ignore>\nMAILADDR root\nDEVICE partitions\n';
  return { path: 'etc/mdadm/mdadm.conf', mode: 0o644, content: `${head}${arrays.join('\n')}\n` };
}

/** What the running system, which is below `root`, knows of its maps: configuration, accepted WWIDs, names. Throws when it knows none. */
export async function multipathFiles(root: string): Promise<ExtraFile[]> {
  const files: ExtraFile[] = [];
  for (const { path: file, mode } of MULTIPATH_FILES) {
    const content = (await readTextIfExists(path.join(root, file))) ?? (file.endsWith('.conf') ? DEFAULT_MULTIPATH : null);
    if (content !== null) files.push({ path: file, mode, content });
  }
  if (!files.some((f) => f.path.endsWith('wwids')))
    throw new Error('/etc/multipath/wwids is not there, so the map would not be found at boot');
  return files;
}

/** The first of those parts that a listing of an initrd lacks; null when it has all. */
export const missingIn = (listing: string, storage: SlotStorage): string | null =>
  INITRD_NEEDS[storage].find((name) => !listing.includes(name)) ?? null;

/** Whether the initrd of the slot below `root` ends with what the slot's baseline of /etc says about the storage. */
export async function isDescribed(root: string, storage: SlotStorage, baseline: string): Promise<boolean> {
  const initrd = await realPath(path.join(root, 'boot/initrd.img'));
  const known = storage === 'md' ? [{ path: 'etc/mdadm/mdadm.conf', mode: 0o644 }] : MULTIPATH_FILES;
  const files: ExtraFile[] = [];
  for (const file of known) {
    const content = await readTextIfExists(path.join(root, baseline, path.relative('etc', file.path)));
    if (content !== null) files.push({ ...file, content });
  }
  if (initrd === null || files.length === 0) return false;
  const bytes = await readWhole(initrd);
  return withExtra(bytes, cpioArchive(files)) === bytes;
}

/**
 * Puts the files into the slot below `root`: into its /etc, into the baseline of /etc when there is one already, and into its initrd.
 * Throws when the slot has no initrd.
 */
export async function describeStorage(root: string, files: readonly ExtraFile[], baseline: string): Promise<void> {
  const initrd = await realPath(path.join(root, 'boot/initrd.img'));
  if (initrd === null) throw new Error('the slot has no initrd');
  for (const file of files) {
    const inBaseline = path.join(root, baseline, path.relative('etc', file.path));
    const hasBaseline = (await realPath(path.join(root, baseline))) !== null;
    for (const target of [path.join(root, file.path), ...(hasBaseline ? [inBaseline] : [])]) {
      await ensureDir(path.dirname(target));
      await writeAtomic(target, file.content, { mode: file.mode });
    }
  }
  await writeAtomic(initrd, withExtra(await readWhole(initrd), cpioArchive(files)));
}
