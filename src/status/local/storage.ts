/** Software RAID and multipath, from /sys/block. Nothing unreadable is ever drawn as healthy (console inventory 6.2). */
import type { SectionData } from '#model/status.ts';
import type { MdArray, MultipathMap } from '#model/status-sections.ts';
import type { HostView } from '#system/observe.ts';
import { type Collector, intOf, notApplicable, ok } from '../collector.ts';

/** Members that must work for the array to run; null for a level that we do not know. */
function minimumWorking(level: string, expected: number): number | null {
  switch (level) {
    case 'raid1':
      return 1;
    case 'raid4':
    case 'raid5':
    case 'raid10':
      return Math.max(1, expected - 1);
    case 'raid6':
      return Math.max(1, expected - 2);
    case 'raid0':
    case 'linear':
      return expected;
    default:
      return null;
  }
}

export interface MdFacts {
  readonly name: string;
  readonly friendly: string | null;
  readonly level: string;
  readonly arrayState: string | null;
  readonly raidDisks: number | null;
  /** null: the directory could not be read. */
  readonly members: readonly { readonly device: string; readonly state: string; readonly slot: string | null }[] | null;
  readonly syncAction: string | null;
  /** `done / total` in sectors, or `none`. */
  readonly syncCompleted: string | null;
  readonly sizeBytes: number | null;
  /** KiB per second. */
  readonly syncSpeed: number | null;
}

/** Progress of a sync in percent; null when it cannot be told. */
function syncPercent(completed: string | null): number | null {
  const m = /^(\d+) \/ (\d+)$/.exec(completed ?? '');
  if (!m || Number(m[2]) === 0) return null;
  return Math.min(100, Math.floor((100 * Number(m[1])) / Number(m[2])));
}

function etaSeconds(completed: string | null, speedKiB: number | null): number | null {
  const m = /^(\d+) \/ (\d+)$/.exec(completed ?? '');
  if (!m || !speedKiB) return null;
  return Math.round((Number(m[2]) - Number(m[1])) / 2 / speedKiB);
}

type Judged = Pick<MdArray, 'state' | 'severity' | 'finding'>;

function judge(f: MdFacts, inSync: number | null, minWorking: number | null, pct: number | null): Judged {
  const label = `${f.friendly ?? f.name} ${f.level}`;
  // Before any count: an array that did not assemble reports no members either.
  if (f.arrayState === 'inactive') return { state: 'failed', severity: 'critical', finding: `${label} FAILED to assemble` };
  const n = f.raidDisks;
  if (f.arrayState === null || n === null || n <= 0 || inSync === null || minWorking === null)
    return { state: 'unknown', severity: 'warning', finding: `${label} state unknown` };
  if (inSync < minWorking) return { state: 'failed', severity: 'critical', finding: `${label} FAILED ${inSync}/${n}` };
  const progress = pct === null ? '' : ` ${pct}%`;
  if (inSync < n)
    return {
      state: 'degraded',
      severity: inSync <= minWorking ? 'critical' : 'warning',
      finding: `${label} DEGRADED ${inSync}/${n}${progress}`,
    };
  return { state: f.syncAction !== null && f.syncAction !== 'idle' ? 'syncing' : 'clean', severity: 'ok', finding: null };
}

/** States come from member counts: a mirror with one member left calls itself clean. */
export function judgeArray(f: MdFacts): MdArray {
  const words = (f.members ?? []).map((m) => m.state.split(/[,\s]+/));
  const inSync = f.members === null ? null : words.filter((w) => w.includes('in_sync')).length;
  const minWorking = f.raidDisks === null || f.raidDisks <= 0 ? null : minimumWorking(f.level, f.raidDisks);
  const pct = syncPercent(f.syncCompleted);
  const syncing = f.syncAction !== null && f.syncAction !== 'idle' && f.syncAction !== 'frozen';
  return {
    name: f.name,
    friendly: f.friendly,
    level: f.level,
    array_state: f.arrayState ?? 'unreadable',
    members_expected: f.raidDisks,
    members_in_sync: inSync,
    members_faulty: words.filter((w) => w.includes('faulty')).length,
    spares: words.filter((w) => w.includes('spare') && !w.includes('in_sync')).length,
    redundancy_remaining: inSync === null || minWorking === null ? null : inSync - minWorking,
    min_working: minWorking,
    size_bytes: f.sizeBytes,
    members: [...(f.members ?? [])],
    sync: syncing ? { action: f.syncAction ?? '', pct, eta_s: etaSeconds(f.syncCompleted, f.syncSpeed) } : null,
    ...judge(f, inSync, minWorking, pct),
  };
}

async function readMd(host: HostView, name: string, friendly: string | null): Promise<MdFacts> {
  const at = `/sys/block/${name}/md`;
  const word = (file: string): Promise<string | null> => host.word(`${at}/${file}`).catch(() => null);
  const [level, arrayState, raidDisks, syncAction, syncCompleted, syncSpeed, size] = await Promise.all([
    word('level'),
    word('array_state'),
    word('raid_disks'),
    word('sync_action'),
    word('sync_completed'),
    word('sync_speed'),
    host.word(`/sys/block/${name}/size`),
  ]);
  const names = await host.names(at).catch(() => null);
  const devices = names?.filter((n) => n.startsWith('dev-')) ?? null;
  const members =
    devices === null
      ? null
      : await Promise.all(
          devices.map(async (d) => ({
            device: d.slice(4),
            state: (await word(`${d}/state`)) ?? 'unreadable',
            slot: await word(`${d}/slot`),
          })),
        );
  const sectors = intOf(size);
  return {
    name,
    friendly,
    level: level ?? 'md',
    arrayState,
    // `2 (1)` while a reshape runs: the first number is the new count.
    raidDisks: intOf(raidDisks?.split(' ')[0]),
    members: members !== null && members.length > 0 && members.every((m) => m.state === 'unreadable') ? null : members,
    syncAction,
    syncCompleted,
    sizeBytes: sectors === null ? null : sectors * 512,
    syncSpeed: intOf(syncSpeed),
  };
}

/** Path state is what the SCSI layer says. Device mapper's own word needs an ioctl, so no finding is not a clean bill. */
export function judgeMultipath(
  name: string,
  dm: string,
  uuid: string,
  paths: readonly { device: string; state: string | null }[],
): MultipathMap {
  const faulted = paths.filter((p) => p.state !== null && p.state !== 'running').length;
  const base = {
    name,
    dm,
    uuid,
    paths_total: paths.length,
    paths_faulted: faulted,
    paths: paths.map((p) => ({ device: p.device, device_state: p.state, dm_state: 'unknown' })),
  };
  const working = paths.length - faulted;
  if (working === 0) return { ...base, severity: 'critical', finding: `${name} mpath 0/${paths.length} paths` };
  if (faulted > 0) return { ...base, severity: 'warning', finding: `${name} mpath ${working}/${paths.length} paths` };
  return { ...base, severity: 'neutral', finding: null };
}

async function readMultipath(host: HostView, dm: string): Promise<MultipathMap | null> {
  const uuid = await host.word(`/sys/block/${dm}/dm/uuid`);
  if (!uuid?.startsWith('mpath-')) return null;
  const slaves = await host.names(`/sys/block/${dm}/slaves`);
  const paths = await Promise.all(
    slaves.map(async (device) => ({ device, state: await host.word(`/sys/block/${dm}/slaves/${device}/device/state`) })),
  );
  return judgeMultipath((await host.word(`/sys/block/${dm}/dm/name`)) ?? dm, dm, uuid, paths);
}

/** Names below /dev/md by kernel name: md127 is `root_a` to people. */
async function friendlyNames(host: HostView): Promise<Map<string, string>> {
  const out = new Map<string, string>();
  for (const name of await host.names('/dev/md')) {
    const target = await host.link(`/dev/md/${name}`);
    if (target) out.set(target.slice(target.lastIndexOf('/') + 1), name);
  }
  return out;
}

/** `secondEsp` is the supervisor's: whoever has none leaves it out. */
export function storageCollector(
  host: HostView,
  secondEsp: () => Promise<SectionData['storage']['second_esp']> = async () => null,
): Collector<'storage'> {
  return {
    name: 'storage',
    periodMs: 5000,
    timeLimitMs: 8000,
    ttlMs: 30_000,
    source: '/sys/block',
    async collect() {
      const blocks = await host.names('/sys/block');
      const mds: string[] = [];
      for (const b of blocks) if (/^md/.test(b) && (await host.exists(`/sys/block/${b}/md`))) mds.push(b);
      const friendly = mds.length > 0 ? await friendlyNames(host) : new Map<string, string>();
      const facts = await Promise.all(mds.map((b) => readMd(host, b, friendly.get(b) ?? null)));
      // A container is vendor metadata around the real arrays, not a redundancy group.
      const arrays = facts.filter((f) => f.level !== 'container').map(judgeArray);
      const maps = await Promise.all(blocks.filter((b) => /^dm-\d+$/.test(b)).map((b) => readMultipath(host, b)));
      const multipath = maps.filter((m): m is MultipathMap => m !== null);
      const esp = await secondEsp();
      if (arrays.length === 0 && multipath.length === 0 && esp === null) return notApplicable;
      return ok({ md_supported: await host.exists('/proc/mdstat'), arrays, multipath, second_esp: esp });
    },
  };
}
