/** Mounted file systems that live on a disk: how full, how many files, and whether they still take writes. */
import { PATHS } from '#model/limits.ts';
import type { Disk } from '#model/status-sections.ts';
import type { HostView, Space } from '#system/observe.ts';
import { type Collector, intOf, ok } from '../collector.ts';

const WARN_PCT = 80;
const CRIT_PCT = 90;
/** Always full or always read-only, so their fill level says nothing. */
const IMAGES = new Set(['squashfs', 'iso9660', 'erofs', 'udf']);

export interface Mount {
  readonly majorMinor: string;
  /** Path inside the file system that is mounted; `/` unless it is a bind mount. */
  readonly root: string;
  readonly mount: string;
  readonly fstype: string;
  readonly device: string;
  readonly readOnly: boolean;
}

const unescapeOctal = (s: string): string => s.replace(/\\([0-7]{3})/g, (_, o: string) => String.fromCharCode(Number.parseInt(o, 8)));

/** Lines of /proc/self/mountinfo, proc(5): optional fields end at ` - `. */
export function parseMountinfo(text: string): Mount[] {
  return text.split('\n').flatMap((line): Mount[] => {
    const [left, right] = line.split(' - ');
    const l = left?.split(' ') ?? [];
    const r = right?.split(' ') ?? [];
    if (l.length < 6 || r.length < 3) return [];
    const options = [...(l[5] ?? '').split(','), ...(r[2] ?? '').split(',')];
    return [
      {
        majorMinor: l[2] ?? '',
        root: unescapeOctal(l[3] ?? ''),
        mount: unescapeOctal(l[4] ?? ''),
        fstype: r[0] ?? '',
        device: unescapeOctal(r[1] ?? ''),
        readOnly: options.includes('ro'),
      },
    ];
  });
}

/** One mount per disk file system: the shortest path, bind mounts last. Network and virtual ones are not disks. */
export function diskMounts(all: readonly Mount[]): Mount[] {
  const best = new Map<string, Mount>();
  const rank = (m: Mount): number => (m.root === '/' ? 0 : 1000) + m.mount.length;
  for (const m of all) {
    const onDisk = m.device.startsWith('/dev/') && !m.majorMinor.startsWith('0:');
    if (!onDisk || IMAGES.has(m.fstype)) continue;
    const other = best.get(m.majorMinor);
    if (!other || rank(m) < rank(other)) best.set(m.majorMinor, m);
  }
  return [...best.values()].sort((a, b) => a.mount.localeCompare(b.mount));
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
export function diskOf(m: Mount, space: Space | null, removable: boolean, errorsCount: number | null): Disk {
  const used = space ? space.totalBytes - space.freeBytes : null;
  // As df counts: blocks reserved for root are neither used nor available.
  const usedPct = space && used !== null ? share(used, used + space.availableBytes) : null;
  const role = roleOf(m.mount, removable);
  return {
    mount: m.mount,
    device: m.device,
    fstype: m.fstype,
    total_bytes: space?.totalBytes ?? null,
    used_bytes: used,
    avail_bytes: space?.availableBytes ?? null,
    used_pct: usedPct,
    inodes_used_pct: space ? share(space.inodesTotal - space.inodesFree, space.inodesTotal) : null,
    role,
    ro: m.readOnly,
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

async function look(host: HostView, m: Mount, bootS: number | null): Promise<Disk> {
  const ext4 = `/sys/fs/ext4/${m.device.slice(m.device.lastIndexOf('/') + 1)}`;
  const [space, removable, errors, lastError] = await Promise.all([
    host.space(m.mount).catch(() => null),
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
