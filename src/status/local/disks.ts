/** Mounted file systems that live on a disk: how full, how many files, and whether they still take writes. */
import { PATHS } from '#model/limits.ts';
import type { Disk } from '#model/status-sections.ts';
import { type MountEntry, parseMountinfo } from '#system/mountinfo.ts';
import type { HostView, Space } from '#system/observe.ts';
import { type Collector, intOf, ok } from '../collector.ts';

const WARN_PCT = 80;
const CRIT_PCT = 90;
/** Always full or always read-only, so their fill level says nothing. */
const IMAGES = new Set(['squashfs', 'iso9660', 'erofs', 'udf']);

/** One mount per disk file system: the shortest path, bind mounts last. Network and virtual ones are not disks. */
export function diskMounts(all: readonly MountEntry[]): MountEntry[] {
  const best = new Map<string, MountEntry>();
  const rank = (m: MountEntry): number => (m.root === '/' ? 0 : 1000) + m.target.length;
  for (const m of all) {
    const onDisk = m.source.startsWith('/dev/') && !m.majorMinor.startsWith('0:');
    if (!onDisk || IMAGES.has(m.filesystem)) continue;
    const other = best.get(m.majorMinor);
    if (!other || rank(m) < rank(other)) best.set(m.majorMinor, m);
  }
  return [...best.values()].sort((a, b) => a.target.localeCompare(b.target));
}

function roleOf(mount: string, removable: boolean): Disk['role'] {
  if (mount === '/') return 'root';
  if (mount === '/var') return 'var';
  if (mount === PATHS.state) return 'state';
  return removable ? 'removable' : 'data';
}

/** Null is unknown, never in order. */
export function severityOf(usedPct: number | null, role: Disk['role']): Disk['severity'] {
  if (usedPct === null) return 'unknown';
  // A full backup disk is a full backup disk, not a dying appliance.
  if (usedPct >= CRIT_PCT) return role === 'removable' ? 'warning' : 'critical';
  return usedPct >= WARN_PCT ? 'warning' : 'ok';
}

const share = (used: number, total: number): number | null => (total > 0 ? Math.round((1000 * used) / total) / 10 : null);

/** One mounted file system; `space` null: it did not answer, and nothing of it is taken for zero. */
export function diskOf(m: MountEntry, space: Space | null, removable: boolean, errorsCount: number | null): Disk {
  const used = space ? space.totalBytes - space.freeBytes : null;
  // As df counts: blocks reserved for root are neither used nor available.
  const usedPct = space && used !== null ? share(used, used + space.availableBytes) : null;
  const role = roleOf(m.target, removable);
  return {
    mount: m.target,
    device: m.source,
    fstype: m.filesystem,
    total_bytes: space?.totalBytes ?? null,
    used_bytes: used,
    avail_bytes: space?.availableBytes ?? null,
    used_pct: usedPct,
    inodes_used_pct: space ? share(space.inodesTotal - space.inodesFree, space.inodesTotal) : null,
    role,
    ro: m.isReadOnly,
    warn_pct: WARN_PCT,
    crit_pct: CRIT_PCT,
    severity: severityOf(usedPct, role),
    errors_count: errorsCount,
  };
}

async function isRemovable(host: HostView, majorMinor: string): Promise<boolean> {
  const dir = await host.real(`/sys/dev/block/${majorMinor}`);
  if (dir === null) return false;
  const word = (await host.word(`${dir}/removable`)) ?? (await host.word(`${dir}/../removable`));
  return word === '1';
}

/**
 * Errors of a file system since this boot: the count itself goes on until a full check. `lastS` is when the last one was,
 * `bootS` when this kernel started, both seconds since 1970.
 */
export function errorsOfThisBoot(count: number | null, lastS: number | null, bootS: number | null): number | null {
  if (count === null || lastS === null || bootS === null) return count;
  return lastS >= bootS ? count : 0;
}

async function look(host: HostView, m: MountEntry, bootS: number | null): Promise<Disk> {
  const ext4 = `/sys/fs/ext4/${m.source.slice(m.source.lastIndexOf('/') + 1)}`;
  const [space, removable, errors, lastError] = await Promise.all([
    host.space(m.target).catch(() => null),
    isRemovable(host, m.majorMinor),
    host.word(`${ext4}/errors_count`).catch(() => null),
    host.word(`${ext4}/last_error_time`).catch(() => null),
  ]);
  return diskOf(m, space, removable, errorsOfThisBoot(intOf(errors), intOf(lastError), bootS));
}

export function disksCollector(host: HostView): Collector<'disks'> {
  return {
    name: 'disks',
    periodMs: 5000,
    timeLimitMs: 4000,
    ttlMs: 10_000,
    source: '/proc/self/mountinfo, statfs',
    async collect() {
      const text = await host.text('/proc/self/mountinfo');
      if (text === null) throw new Error('/proc is not mounted');
      const bootS = intOf(/^btime (\d+)$/m.exec((await host.text('/proc/stat')) ?? '')?.[1]);
      return ok({ mounts: await Promise.all(diskMounts(parseMountinfo(text)).map((m) => look(host, m, bootS))) });
    },
  };
}
