/** What the host's runners write below release-state: configuration planes, slot upgrades, cluster membership. */
import { isRecord, parseJson } from '#model/json.ts';
import type { SectionData } from '#model/status.ts';
import { type Collector, intOf, isoOf, ok } from '#status/collector.ts';
import type { HostView } from '#system/observe.ts';

const RELEASE_STATE = '/var/lib/spatiumddi/release-state';
const HOUR_MS = 3_600_000;
/** Progress older than this belongs to a runner that is gone. */
const PROGRESS_FRESH_MS = 300_000;
/** After this many attempts a plane is not merely slow. */
const FAILING_ATTEMPTS = 3;

type Plane = SectionData['host_config']['planes'][number];

/** Trigger file, and the file that holds the hash of what is applied. */
const PLANES: readonly (readonly [string, string, string])[] = [
  ...['snmp', 'ntp', 'lldp', 'syslog', 'ssh', 'resolver', 'apt'].map((n) => [n, `${n}-config-pending`, `${n}-config-hash`] as const),
  ['firewall', 'firewall-pending', 'firewall-applied-hash'],
  ['timezone', 'tz-pending', 'tz-hash'],
  ['console_mode', 'verbose-boot-pending', 'verbose-boot-applied'],
];

const parsed = (text: string | null): unknown => parseJson(text ?? 'null') ?? null;
const textOf = (v: unknown): string | null => (typeof v === 'string' && v !== '' ? v : null);
const numberOf = (v: unknown): number | null => (typeof v === 'number' && Number.isFinite(v) ? v : null);
const wordOf = (text: string | null): string => (text ?? '').trim().split(/[\t ]/)[0] ?? '';

/** `hash TAB attempts TAB time` of the last try against the hash that is applied. */
export function planeOf(name: string, fireState: string | null, applied: string | null): Plane {
  const [desired = '', attempts = '', at = ''] = (fireState ?? '').trim().split('\t');
  // The applied file may hold more words after the hash.
  const have = wordOf(applied);
  const tries = intOf(attempts) ?? 0;
  const state = desired === '' ? 'idle' : desired === have ? 'applied' : tries >= FAILING_ATTEMPTS ? 'failing' : 'retrying';
  const since = Number.isNaN(Date.parse(at)) ? null : new Date(Date.parse(at)).toISOString();
  return { name, state, attempts: tries, desired_hash: desired || null, applied_hash: have || null, last_error: null, since };
}

export function hostConfigCollector(host: HostView): Collector<'host_config'> {
  const read = (file: string): Promise<string | null> => host.text(`${RELEASE_STATE}/${file}`);
  return {
    name: 'host_config',
    periodMs: 5000,
    timeLimitMs: 2000,
    ttlMs: 10_000,
    source: RELEASE_STATE,
    async collect() {
      if (!(await host.exists(RELEASE_STATE))) return { state: 'not_applicable' };
      const planes = await Promise.all(
        PLANES.map(async ([name, trigger, hash]) => planeOf(name, await read(`${trigger}.fire-state`), await read(hash))),
      );
      const ledger = parsed(await read('host-patches-applied.json'));
      const patches = isRecord(ledger) && isRecord(ledger['patches']) ? Object.entries(ledger['patches']) : [];
      const lastOk = isRecord(ledger) ? ledger['last_reconcile_ok'] : null;
      return ok({
        planes,
        patches: patches.flatMap(([id, p]) =>
          isRecord(p) && typeof p['ok'] === 'boolean' ? [{ id, ok: p['ok'], detail: textOf(p['detail']) }] : [],
        ),
        last_reconcile_ok: typeof lastOk === 'boolean' ? lastOk : null,
      });
    },
  };
}

const JOIN_STATES = ['joining', 'ready', 'leaving', 'left', 'failed'] as const;

export function clusterOpsCollector(host: HostView): Collector<'cluster_ops'> {
  const file = `${RELEASE_STATE}/cluster-join.state`;
  return {
    name: 'cluster_ops',
    periodMs: 3000,
    timeLimitMs: 2000,
    ttlMs: 6000,
    source: file,
    async collect() {
      const [text, modifiedMs] = await Promise.all([host.text(file), host.modifiedMs(file)]);
      const [word = '', reason] = (text ?? '').trim().split('\t');
      const state = JOIN_STATES.find((s) => s === word) ?? 'none';
      return ok({ join: { state, reason: reason ?? null, since: modifiedMs === null ? null : isoOf(modifiedMs) }, migration: null });
    },
  };
}

type UpgradeState = SectionData['upgrade']['state'];

/** Steps of the runner, its own words and older ones, in the order they come. */
const STEPS: readonly (readonly [RegExp, UpgradeState, number])[] = [
  [/^queued/, 'queued', 0],
  [/^download/, 'downloading', 1],
  [/^(verify|checksum)/, 'verifying', 2],
  [/^(writing|dd)/, 'writing', 3],
  [/^(bootloader|uuid|grub)/, 'bootloader', 4],
  [/^(arming|sync|finalize)/, 'arming', 5],
  [/^reboot/, 'reboot_pending', 5],
  [/^failed/, 'failed', 5],
];

export interface UpgradeFiles {
  readonly progress: string | null;
  readonly stateWord: string;
  readonly isPending: boolean;
  /** When each failure of the last hour was written. */
  readonly failuresMs: readonly number[];
}

/** `at` is ISO text; a number of seconds from older runners is taken too. */
const timeOf = (v: unknown): number | null => {
  if (typeof v === 'number') return v * 1000;
  const ms = typeof v === 'string' ? Date.parse(v) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
};

export function upgradeOf(f: UpgradeFiles, nowMs: number): SectionData['upgrade'] {
  const p = parsed(f.progress);
  const progress = isRecord(p) ? p : {};
  const atMs = timeOf(progress['at']);
  const isFresh = atMs !== null && Math.abs(nowMs - atMs) <= PROGRESS_FRESH_MS;
  const step = isFresh ? STEPS.find(([re]) => re.test(String(progress['step'] ?? ''))) : undefined;
  const recent = f.failuresMs.filter((t) => nowMs - t <= HOUR_MS).length;
  const byWord: UpgradeState =
    f.stateWord === 'failed' || recent >= 3
      ? 'failed'
      : f.stateWord === 'done'
        ? 'done'
        : f.isPending || f.stateWord === 'in-flight'
          ? 'queued'
          : 'idle';
  const state = f.stateWord === 'failed' || f.stateWord === 'done' ? byWord : (step?.[1] ?? byWord);
  return {
    state,
    target_slot: null,
    target_version: textOf(progress['version']),
    step_index: step ? step[2] : null,
    step_count: step ? 5 : null,
    pct: isFresh ? numberOf(progress['pct']) : null,
    bytes_done: null,
    bytes_total: null,
    detail: isFresh ? textOf(progress['detail']) : null,
    started_at: null,
    updated_at: atMs === null ? null : isoOf(atMs),
    error: state === 'failed' ? textOf(progress['detail']) : null,
    recent_failures_1h: recent,
    log_ref: null,
  };
}

export function upgradeCollector(host: HostView, wallMs: () => number): Collector<'upgrade'> {
  const name = 'slot-upgrade-pending';
  return {
    name: 'upgrade',
    periodMs: 2000,
    timeLimitMs: 2000,
    ttlMs: 5000,
    source: RELEASE_STATE,
    async collect() {
      const files = await host.names(RELEASE_STATE);
      if (files.length === 0) return { state: 'not_applicable' };
      const failed = files.filter((f) => f.startsWith(`${name}.failed.`));
      const [progress, word, times] = await Promise.all([
        host.text(`${RELEASE_STATE}/slot-upgrade.progress`),
        host.text(`${RELEASE_STATE}/${name}.state`),
        Promise.all(failed.map((f) => host.modifiedMs(`${RELEASE_STATE}/${f}`))),
      ]);
      const failuresMs = times.filter((t): t is number => t !== null);
      return ok(upgradeOf({ progress, stateWord: wordOf(word), isPending: files.includes(name), failuresMs }, wallMs()));
    },
  };
}
