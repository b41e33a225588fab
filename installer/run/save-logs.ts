/** Takes the logs of a failed run off the medium: onto a volume that an operator can carry away. */
import path from 'node:path';
import type { BlockDevice, Machine } from '#model/machine.ts';
import { plain } from '#rules/disks.ts';
import { messageOf } from '#system/complain.ts';
import { ensureDir, factsOf, listNames, readWhole, remove, writeAtomic } from '#system/files.ts';
import { type Runner, succeeded, whyFailed } from '#system/run.ts';

/** File systems that the medium writes and that another machine reads. */
const WRITABLE = new Set(['vfat', 'exfat', 'ext2', 'ext3', 'ext4']);
const ESP_TYPE = 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b';
const MOUNT_TIMEOUT_MS = 60_000;

const isCidata = (device: BlockDevice): boolean => device.fsLabel?.toLowerCase() === 'cidata';

/** The whole disks that a node lies on; itself when it is one. */
function disksUnder(byName: ReadonlyMap<string, BlockDevice>, device: BlockDevice, seen = new Set<string>()): readonly BlockDevice[] {
  if (seen.has(device.kname)) return [];
  seen.add(device.kname);
  const parents = device.parents.flatMap((kname) => byName.get(kname) ?? []);
  return parents.length === 0 ? [device] : parents.flatMap((parent) => disksUnder(byName, parent, seen));
}

/** `cidata`: only the volume that brought the answers, when nobody was asked; `portable`: any that can be carried away. */
export type LogVolumes = 'cidata' | 'portable';

/**
 * Volumes that the logs may be written to, `CIDATA` first, then USB and other removable disks. Never one on a disk of the
 * plan or on a disk that is in use, the medium's own included, and never a boot partition.
 */
export function logVolumes(machine: Machine, planDisks: readonly string[], volumes: LogVolumes = 'portable'): readonly BlockDevice[] {
  const byName = new Map(machine.devices.map((device) => [device.kname, device]));
  const diskNames = (device: BlockDevice): readonly string[] => disksUnder(byName, device).map((disk) => disk.kname);
  const isInUse = (device: BlockDevice): boolean => device.mountpoints.length > 0 || device.claimed === true;
  const taken = new Set([...planDisks, ...machine.devices.filter(isInUse).flatMap(diskNames)]);
  const isPortable = (device: BlockDevice): boolean =>
    disksUnder(byName, device).some((disk) => disk.removable || disk.transport === 'usb' || disk.transport === 'mmc');
  return machine.devices
    .filter((device) => WRITABLE.has(device.fsType ?? '') && !device.readOnly && device.partType?.toLowerCase() !== ESP_TYPE)
    .filter(
      (device) =>
        (isCidata(device) || (volumes === 'portable' && isPortable(device))) && !diskNames(device).some((kname) => taken.has(kname)),
    )
    .sort((a, b) => Number(isCidata(b)) - Number(isCidata(a)) || (a.path < b.path ? -1 : 1));
}

export interface SaveLogsOptions {
  readonly logDir: string;
  /** Kernel names of the disks that the plan writes to. */
  readonly planDisks: readonly string[];
  /** Default `portable`. */
  readonly volumes?: LogVolumes;
  readonly runner: Runner;
  readonly now: Date;
  /** Where a volume is mounted meanwhile; made and removed. */
  readonly mountPoint?: string;
}

/** Copies a tree of plain files, each flushed to the disk. Returns how many. */
async function copyTree(from: string, to: string): Promise<number> {
  await ensureDir(to);
  let count = 0;
  for (const name of await listNames(from)) {
    const source = path.join(from, name);
    const kind = (await factsOf(source))?.kind;
    if (kind === 'directory') count += await copyTree(source, path.join(to, name));
    else if (kind === 'file') {
      // FAT knows no modes.
      await writeAtomic(path.join(to, name), await readWhole(source), { mode: null });
      count++;
    }
  }
  return count;
}

/** Null when it went well, else why it did not. */
async function saveOn(volume: BlockDevice, name: string, options: SaveLogsOptions): Promise<string | null> {
  const { runner, logDir, mountPoint = '/run/spatium-save-logs' } = options;
  await ensureDir(mountPoint, 0o700);
  const argv = ['mount', '-t', volume.fsType ?? 'auto', '-o', 'rw,nosuid,nodev,noexec', volume.path, mountPoint];
  const mounted = await runner(argv, { timeoutMs: MOUNT_TIMEOUT_MS });
  if (!succeeded(mounted)) {
    await remove(mountPoint);
    return `cannot be mounted: ${whyFailed(mounted)}`;
  }
  let why: string | null = null;
  try {
    await copyTree(logDir, path.join(mountPoint, name));
  } catch (error) {
    why = messageOf(error);
  }
  const released = await runner(['umount', mountPoint], { timeoutMs: MOUNT_TIMEOUT_MS });
  // Never removed while something may still be mounted there.
  if (!succeeded(released)) return why ?? `cannot be unmounted: ${whyFailed(released)}`;
  await remove(mountPoint);
  return why;
}

/** `2026-11-30_200433`, UTC; FAT takes no colon. */
const stamp = (now: Date): string => now.toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '');

/** Saves on the first volume that takes them. Resolves to a sentence that says where they are, whatever happened. */
export async function saveLogs(machine: Machine, options: SaveLogsOptions): Promise<string> {
  const { logDir } = options;
  const stay = `The logs are in ${logDir} on this medium until it is restarted.`;
  if ((await listNames(logDir)).length === 0) return `There are no logs yet in ${logDir}.`;
  const failures: string[] = [];
  const name = `spatium-install-logs_${stamp(options.now)}`;
  for (const volume of logVolumes(machine, options.planDisks, options.volumes)) {
    const why = await saveOn(volume, name, options);
    const label = volume.fsLabel === null ? '' : ` (${plain(volume.fsLabel)})`;
    if (why === null) return `The logs are saved on ${plain(volume.path)}${label} in the folder ${name}. It can be taken out now.`;
    failures.push(`${plain(volume.path)}${label}: ${why}`);
  }
  if (failures.length > 0) return `The logs could not be saved. ${failures.join('; ')}. ${stay}`;
  return `No USB disk and no CIDATA volume with a FAT or ext4 file system was found. Plug one in and choose this again. ${stay}`;
}
