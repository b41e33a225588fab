/** Documents of a supervisor of another make: the fields of the console inventory, 7.4, and nothing that only ours sends. */

export const NOW = '2026-11-30T15:55:53Z';
export const ago = (s: number) => new Date(Date.parse(NOW) - s * 1000).toISOString().replace('.000Z', 'Z');
export const env = (data: unknown, more: object = {}) => ({
  state: 'ok',
  observed_at: NOW,
  age_ms: 0,
  ttl_ms: 15000,
  source: 'x',
  error: null,
  data,
  ...more,
});
export const pod = (name: string, more: object = {}) => ({
  ns: 'spatium',
  name,
  short: name,
  kind: 'Deploy',
  ready: 1,
  total: 1,
  restarts: 0,
  restarts_1h: 0,
  state: 'Running',
  host_network: false,
  ports: [],
  created_at: ago(86400),
  severity: 'ok',
  init: false,
  ...more,
});
export const node = (name: string, more: object = {}) => ({
  name,
  local: false,
  ready: 'true',
  roles: [],
  internal_ips: [],
  version: 'v1',
  cordoned: false,
  conditions: [],
  pods_count: 11,
  capacity_cpu_cores: 2,
  capacity_mem_bytes: 8e9,
  allocatable_cpu_cores: 2,
  allocatable_mem_bytes: 8e9,
  created_at: ago(1e6),
  ...more,
});
export const disk = (mount: string, pct: number, more: object = {}) => ({
  mount,
  device: '/dev/sda3',
  fstype: 'ext4',
  total_bytes: 1e10,
  used_bytes: pct * 1e8,
  avail_bytes: (100 - pct) * 1e8,
  inodes_used_pct: 3,
  role: mount === '/' ? 'root' : 'var',
  ro: false,
  warn_pct: 80,
  crit_pct: 90,
  severity: pct >= 90 ? 'critical' : pct >= 80 ? 'warning' : 'ok',
  errors_count: null,
  ...more,
});
/** A healthy control plane on one node: data by section; null where a section does not apply. */
export const DATA = {
  meta: {
    schema: 1,
    boot_id: 'b',
    boot_at: ago(180000),
    instance: 'i',
    server_started_at: ago(180000),
    now: NOW,
    timezone: 'Europe/Berlin',
    boot_stage: 'running',
  },
  identity: {
    hostname: 'ddi-prod-01',
    role: 'control-plane',
    install_role: 'control-plane',
    is_cluster_member: false,
    kernel: '6.12',
    os_release: 'Debian 13',
    config_errors: [],
  },
  network: { web_ui_urls: [{ url: 'https://192.168.10.21', kind: 'node', family: 'v4' }], interfaces: [], dns_servers: [] },
  vitals: { cpu_pct: 37, cpu_cores: 2, load1: 0.4, load5: 0.3, load15: 0.2, mem_total_bytes: 8e9, mem_used_bytes: 5e9 },
  psi: { cpu: null, memory: null, io: null, some_pct: 50, mem_full_pct: 1, breach: [] },
  disks: [disk('/', 40), disk('/var', 31)],
  storage: null,
  slots: {
    available: true,
    booted: 'slot_a',
    durable: 'slot_a',
    is_trial: false,
    slots: { slot_a: { version_state: 'known' }, slot_b: { version_state: 'unstamped' } },
  },
  upgrade: { state: 'idle', recent_failures_1h: 0 },
  power: { pending: [], reasons: [] },
  pairing: null,
  control_plane: null,
  supervisor: {
    version: '1',
    pid: 1,
    loop_last_at: ago(1),
    loop_interval_s: 30,
    restart_cap_hit: false,
    watchdog: { state: 'ok', since: ago(100) },
    role_services: [],
    triggers_pending: [],
  },
  k3s: { installed: true, unit_state: 'active', version: 'v1', readyz: 'ok', kubeconfig_present: true, role: 'server' },
  nodes: { list: [node('n1', { local: true })], complete: true },
  pods: {
    list: Array.from({ length: 11 }, (_, i) => pod(`pod-${i}`)),
    counts: { total: 11, ready: 11, pending: 0, failed: 0, succeeded: 0 },
    complete: true,
    truncated_count: 0,
  },
  etcd: { backend: 'sqlite', quorum: 'not_applicable', quota_bytes: 2 ** 31, restore: { state: 'none' } },
  usage: { pods: [] },
  postgres: { present: false },
  api: { present: false, metrics_status: 'unreachable', ready: 'unknown' },
  platform: { checks: [] },
  loadbalancer: { metallb_present: false, vip_assigned: false },
  firewall: {
    webui: { status: 'open', ports: {}, ttl_s: 900, consecutive_indeterminate: 0 },
    apply: { status: 'ok' },
    lockout_risk: 'none',
  },
  host_config: { planes: [], patches: [] },
  time: { synced: true },
  certs: [],
  cluster_ops: { join: { state: 'none' } },
  events: { recent: [], complete: true },
};

type Sections = { readonly [K in keyof typeof DATA]?: unknown };

/** The document: these sections differ from a healthy one; an envelope made by `env` is taken as it is, null does not apply. */
export function foreignSnapshot(changed: Sections = {}, without: readonly (keyof typeof DATA)[] = []) {
  const isEnvelope = (v: unknown): boolean => typeof v === 'object' && v !== null && 'ttl_ms' in v;
  const wrap = (v: unknown): unknown => (v === null ? env(null, { state: 'not_applicable' }) : isEnvelope(v) ? v : env(v));
  const all = Object.entries({ ...DATA, ...changed }).filter(([name]) => !(without as readonly string[]).includes(name));
  return { t: 'snapshot', seq: 1, schema: 1, now: NOW, sections: Object.fromEntries(all.map(([name, v]) => [name, wrap(v)])) };
}
