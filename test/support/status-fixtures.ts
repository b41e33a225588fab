/** A healthy box as sections, for tests to spoil one thing at a time. */
import type { Section, SectionData, SectionName, Sections } from '#model/status.ts';
import { type View, viewOf } from '#status/freshness.ts';

const GIB = 1024 ** 3;

export const section = <T>(data: T, over: Partial<Section<T>> = {}): Section<T> => ({
  state: 'ok',
  observed_at: '2026-11-30T15:55:50Z',
  age_ms: 100,
  ttl_ms: 10_000,
  source: 'test',
  error: null,
  data,
  ...over,
});

export const disk = (mount: string, usedPct: number, over: Partial<SectionData['disks']['mounts'][number]> = {}) => ({
  mount,
  device: '/dev/sda4',
  fstype: 'ext4',
  total_bytes: 8 * GIB,
  used_bytes: Math.round((usedPct / 100) * 8 * GIB),
  avail_bytes: Math.round((1 - usedPct / 100) * 8 * GIB),
  used_pct: usedPct,
  inodes_used_pct: 5,
  role: (mount === '/' ? 'root' : mount === '/var' ? 'var' : 'data') as SectionData['disks']['mounts'][number]['role'],
  ro: false,
  warn_pct: 80,
  crit_pct: 90,
  severity: (usedPct >= 90 ? 'critical' : usedPct >= 80 ? 'warning' : 'ok') as 'critical' | 'warning' | 'ok',
  errors_count: 0,
  ...over,
});

export const pod = (name: string, over: Partial<SectionData['pods']['list'][number]> = {}): SectionData['pods']['list'][number] => ({
  ns: 'spatium',
  name,
  short: name,
  kind: 'Deploy',
  node: 'ddi-prod-01',
  ready: 1,
  total: 1,
  restarts: 0,
  restarts_1h: 0,
  last_restart_at: null,
  state: 'Running',
  state_reason: null,
  last_exit: null,
  ip: '10.42.0.7',
  host_network: false,
  ports: [],
  created_at: '2026-11-28T10:00:00Z',
  role_tag: null,
  severity: 'ok',
  severity_code: null,
  init: false,
  ...over,
});

export const node = (name: string, over: Partial<SectionData['nodes']['list'][number]> = {}): SectionData['nodes']['list'][number] => ({
  name,
  local: name === 'ddi-prod-01',
  ready: 'true',
  since: null,
  roles: ['control-plane'],
  internal_ips: ['192.168.10.21'],
  version: 'v1.36.1+k3s1',
  cordoned: false,
  conditions: [],
  pods_count: 11,
  capacity_cpu_cores: 4,
  capacity_mem_bytes: 8 * GIB,
  allocatable_cpu_cores: 4,
  allocatable_mem_bytes: 8 * GIB,
  usage_cpu_cores: null,
  usage_mem_bytes: null,
  psi_breach: null,
  created_at: null,
  ...over,
});

const identity: SectionData['identity'] = {
  hostname: 'ddi-prod-01',
  role: 'control-plane',
  install_role: 'control-plane',
  is_cluster_member: false,
  appliance_id: null,
  machine_uuid: null,
  product: 'Standard PC',
  vendor: 'QEMU',
  kernel: '6.12.57',
  os_release: 'Debian GNU/Linux 13 (trixie)',
  appliance_version: '2026.05.01-1',
  stack_version: '2026.05.01-1',
  versions_match: true,
  k3s_version: 'v1.36.1+k3s1',
  console_mode: null,
  console_mode_pending: null,
  config_errors: [],
};

const network: SectionData['network'] = {
  web_ui_urls: [{ url: 'https://192.168.10.21', kind: 'node', family: 'v4' }],
  vip: null,
  interfaces: [
    {
      name: 'eth0',
      kind: 'ethernet',
      mac: '52:54:00:00:00:01',
      up: true,
      carrier: true,
      speed_mbps: 1000,
      mtu: 1500,
      addrs: [{ addr: '192.168.10.21', prefix: 24, family: 'v4', scope: 'global', dynamic: null }],
      managed: null,
      rx_bytes_per_s: 1200,
      tx_bytes_per_s: 800,
    },
  ],
  gateway4: '192.168.10.1',
  gateway6: null,
  dns_servers: ['1.1.1.1', '1.0.0.1'],
  mode4: 'static',
  mode6: null,
  mtu: null,
  connectivity: null,
  adopt: null,
};

const calm = { some: { avg10: 0, avg60: 0, avg300: 0 }, full: { avg10: 0, avg60: 0, avg300: 0 } };

export const HEALTHY_DATA = {
  meta: {
    schema: 1,
    boot_id: 'b',
    boot_at: '2026-11-27T11:55:53Z',
    instance: 'i',
    server_started_at: '2026-11-27T11:56:20Z',
    now: '2026-11-30T15:55:50Z',
    timezone: 'UTC',
    boot_stage: 'running',
    first_boot: null,
  },
  identity,
  network,
  vitals: {
    cpu_pct: 37,
    cpu_cores: 2,
    load1: 0.4,
    load5: 0.37,
    load15: 0.2,
    mem_total_bytes: 8 * GIB,
    mem_used_bytes: 5 * GIB,
    mem_available_bytes: 3 * GIB,
    swap_used_bytes: 0,
    procs_count: 180,
    temperature_c: null,
    top_cpu: null,
  },
  psi: { cpu: calm, memory: calm, io: calm, some_pct: 50, mem_full_pct: 1, breach: [] },
  disks: { mounts: [disk('/', 40), disk('/var', 31)] },
  slots: {
    available: true,
    booted: 'slot_a',
    durable: 'slot_a',
    next_once: null,
    is_trial: false,
    commit_pending: false,
    slots: {
      slot_a: { version: '2026.05.01-1', version_state: 'known', kernel: null, size_bytes: null },
      slot_b: { version: '2026.04.02-1', version_state: 'known', kernel: null, size_bytes: null },
    },
    storage_kind: 'disk',
    rollback_safe: null,
    rollback_note: null,
    esp_schema_current: null,
  },
  power: { pending: [], last_reboot_reason: null, needs_reboot: false, reasons: [] },
  supervisor: {
    version: '0.1.0',
    pid: 400,
    loop_last_at: '2026-11-30T15:55:50Z',
    loop_interval_s: 5,
    restarts_24h: null,
    restart_cap_hit: false,
    restart_cap_at: null,
    watchdog: { state: 'ok', since: null },
    roles_assigned: null,
    role_services: [],
    triggers_pending: [],
    collectors_late: {},
  },
  k3s: {
    installed: true,
    unit_state: 'active',
    unit_since: '2026-11-27T11:57:00Z',
    unit_result: 'success',
    version: 'v1.36.1+k3s1',
    readyz: 'ok',
    readyz_failed_checks: null,
    role: 'server',
    kubeconfig_present: true,
    image_import: null,
  },
  time: { synced: true, source: 'chrony', offset_ms: 0.4, stratum: 3, last_sync_at: null },
  nodes: { list: [node('ddi-prod-01')], complete: true, expected_count: 1 },
  pods: {
    list: Array.from({ length: 11 }, (_, i) => pod(`pod-${i}`)),
    counts: { total: 11, ready: 11, pending: 0, failed: 0, succeeded: 0 },
    complete: true,
    truncated_count: 0,
  },
  etcd: {
    backend: 'etcd',
    has_leader: true,
    is_leader: true,
    members_total: 1,
    members_healthy: 1,
    quorum: 'not_applicable',
    db_size_bytes: 3e7,
    db_in_use_bytes: 2e7,
    quota_bytes: 2 * GIB,
    failed_proposals_15m: 0,
    leader_changes_1h: 0,
    last_snapshot_at: null,
    snapshots_count: 8,
    alarms: [],
    restore: { state: 'none', reason: null, since: null },
  },
} as const satisfies { [K in SectionName]?: SectionData[K] };

const NOT_APPLICABLE: Section<never> = { ...section<never>(null as never), state: 'not_applicable', data: null };

/** Spoils sections: new data (merged one level deep), a changed envelope, or `null` for "not offered". */
export type Spoil = { readonly [K in SectionName]?: Partial<SectionData[K]> | null };

export function sectionsOf(spoil: Spoil = {}, envelopes: { readonly [K in SectionName]?: Partial<Section<unknown>> } = {}): Sections {
  const out: Record<string, Section<unknown>> = { storage: NOT_APPLICABLE };
  const base: Record<string, unknown> = HEALTHY_DATA;
  for (const name of new Set([...Object.keys(base), ...Object.keys(spoil), ...Object.keys(envelopes)])) {
    const change = spoil[name as SectionName];
    const envelope = envelopes[name as SectionName] ?? {};
    if (change === null) {
      delete out[name];
      continue;
    }
    const data = change === undefined ? base[name] : Array.isArray(change) ? change : { ...(base[name] as object), ...change };
    if (data !== undefined || name in envelopes) out[name] = section<unknown>(data ?? null, envelope);
  }
  return out as Sections;
}

export const healthyView = (spoil: Spoil = {}, envelopes: Parameters<typeof sectionsOf>[1] = {}): View =>
  viewOf(sectionsOf(spoil, envelopes), () => 0);

/** A box that its panel knows and that runs what it was told. */
export const PULL_DATA: SectionData['pull'] = {
  kind: 'lb',
  panel: 'https://panel.example.net',
  identity: 'active',
  code: null,
  message: null,
  device_id: 'd3b07384-d9a0-4c1f-8b1a-2f1f3a6d9c11',
  pin: 'kT8jV0Yb1wF6mQe2rS5uX9zA3cD7gH4iJ0lN8oP6qRs',
  last_contact_at: '2026-11-30T15:55:20Z',
  last_status: 304,
  consecutive_failures: 0,
  next_poll_at: '2026-11-30T15:56:20Z',
  fetched_version: 42,
  applied_version: 42,
  applied_at: '2026-11-30T13:10:00Z',
  state: 'applied',
  failed: null,
  update: { running: '0.1.0', target: null, phase: null, bad: [], checked_at: '2026-11-30T15:40:00Z' },
};
