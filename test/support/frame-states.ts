/** States of a box that frames are kept of: quiet, in trouble, unsure, at work. */
import type { ScreenState } from '#console/screen-state.ts';
import { stateOf } from './console-fixtures.ts';
import { inSync, md } from './spoils.ts';
import { disk, HEALTHY_DATA, node, PULL_DATA, pod } from './status-fixtures.ts';

const mirror = md({
  name: 'md127',
  friendly: 'root_a',
  members: inSync(1),
  syncAction: 'recover',
  syncCompleted: '430 / 1000',
  syncSpeed: 1,
});

const NOT_HERE = { state: 'not_applicable', data: null } as const;
export const NEVER = { state: 'unknown', data: null, observed_at: null, age_ms: null } as const;
export const wave = (length: number, top: number): (number | null)[] =>
  Array.from({ length }, (_, i) => (i % 40 < 4 ? null : (top / 2) * (1 + Math.sin(i / 7))));

/** Everything a control plane serves, one of it in trouble. */
export const SERVING: Parameters<typeof stateOf>[0] = {
  api: { present: true, requests_per_s: 12.4, active: 3, total: 90_000, metrics_status: 'ok', ready: 'degraded', ready_http_status: 503 },
  platform: {
    checks: [
      { name: 'database', state: 'ok', detail: null },
      { name: 'redis', state: 'failing', detail: 'timeout' },
      { name: 'schema', state: 'unknown', detail: null },
    ],
  },
  postgres: {
    present: true,
    role: 'primary',
    primary_pod: 'postgres-1',
    replicas_streaming: 2,
    replica_lag_s: 0.4,
    backends_active: 4,
    backends_idle: 8,
    backends_waiting: 1,
    max_connections: 100,
    size_bytes: 3.2e9,
    wal_bytes: null,
  },
  loadbalancer: { metallb_present: true, speakers_ready: 2, speakers_total: 3, vip_assigned: true, vip_reachable: true },
  certs: [
    { name: 'web_ui', not_after: '2026-12-09T00:00:00Z', days_left: 8.3, severity: 'warning' },
    { name: 'k3s_ca', not_after: '2036-01-01T00:00:00Z', days_left: 3300, severity: 'ok' },
    { name: 'pin', not_after: null, days_left: null, severity: 'unknown' },
  ],
  usage: {
    pods: HEALTHY_DATA.pods.list
      .slice(0, 10)
      .map((p, i) => ({ ns: p.ns, name: p.name, node: p.node, cpu_cores: i / 8, mem_bytes: (i + 1) * 3e7 })),
    node_cpu_pct: 37,
    node_mem_pct: 62,
    node_fs_pct: 40,
    source: 'metrics',
    max_cpu_cores: 2,
    max_mem_bytes: 8e9,
  },
  nodes: {
    list: [
      node('ddi-prod-01', { usage_cpu_cores: 1.5, usage_mem_bytes: 5e9 }),
      node('ddi-prod-02', { internal_ips: ['192.168.10.22'] }),
      node('ddi-prod-03', { internal_ips: ['192.168.10.23'], ready: 'false' }),
    ],
    complete: true,
    expected_count: 3,
  },
};
export const FLEET: Parameters<typeof stateOf>[0] = {
  identity: { role: 'appliance' },
  pairing: {
    applicable: true,
    state: 'code_rejected',
    code_present: false,
    attempts: 3,
    last_attempt_at: '2026-11-30T15:54:00Z',
    retry_at: '2026-11-30T16:10:00Z',
    last_error: { code: 'ENR-401', http_status: 401, msg: 'the panel does not know this code' },
    approved_at: null,
    revocation: { strikes: 1, header: 'revoked', at: null },
    pinned: true,
    pin_mismatch: false,
    cert_not_after: null,
  },
  control_plane: {
    url: 'https://ddi.example.net',
    resolved_addrs: ['192.0.2.10'],
    tcp_ok: false,
    tls_ok: null,
    http_ok: null,
    rtt_ms: null,
    last_heartbeat_at: '2026-11-30T15:40:00Z',
    last_heartbeat_status: null,
    consecutive_failures: 7,
    interval_s: 30,
    in_cluster: false,
  },
  firewall: {
    webui: {
      status: 'blocked',
      detail: 'an input chain drops new connections to tcp/443',
      ports: { '443': 'blocked', '80': 'blocked' },
      checked_at: '2026-11-30T15:53:00Z',
      age_s: 170,
      ttl_s: 900,
      consecutive_indeterminate: 0,
    },
    apply: { status: 'ok', reason: null, hash: 'x', at: '2026-11-30T14:00:00Z' },
    drift: true,
    ssh_scoped: true,
    web_scoped: true,
    lockout_risk: 'console_only',
  },
};

export const STATES: Readonly<Record<string, ScreenState>> = {
  healthy: stateOf({ pull: PULL_DATA }),
  'no-k3s': stateOf({ nodes: null, pods: null, etcd: null }, { k3s: NOT_HERE, slots: NOT_HERE }),
  trouble: stateOf({
    disks: { mounts: [disk('/', 40), disk('/var', 95), disk('/boot/efi', 3)] },
    storage: { md_supported: true, arrays: [mirror], multipath: [], second_esp: null },
    slots: { booted: 'slot_b', is_trial: true },
    k3s: { unit_state: 'failed' },
    pods: {
      list: [
        pod('api-6f9b5c7d8-abcde', {
          ready: 0,
          restarts: 6,
          state: 'CrashLoopBackOff',
          severity: 'critical',
          last_exit: { reason: 'OOMKilled', code: 137, at: null },
        }),
        ...HEALTHY_DATA.pods.list,
      ],
      counts: { total: 12, ready: 11, pending: 0, failed: 1, succeeded: 0 },
    },
  }),
  serving: stateOf(SERVING),
  'no-supervisor': stateOf({}, {}, { link: { state: 'lost', since: '2026-11-30T15:50:00Z', sinceMs: 0, why: 'no socket' } }),
  /** Four things that must look different without colours: stale, expired, never known, cannot be read; beside zero and not applicable. */
  unsure: stateOf(
    {
      pull: PULL_DATA,
      vitals: { cpu_pct: 0, mem_used_bytes: null, load1: null },
      disks: {
        mounts: [
          { ...disk('/', 0), used_pct: 0 },
          { ...disk('/var', 31), used_pct: null, severity: 'unknown' },
        ],
      },
    },
    {
      network: { age_ms: 12_000 },
      slots: { age_ms: 40_000 },
      pull: { age_ms: 15_000 },
      psi: NOT_HERE,
      etcd: NEVER,
      pods: { state: 'unavailable', error: { code: 'x', msg: 'the k3s API does not answer' }, data: null },
      time: NOT_HERE,
    },
  ),
};
/** Work in progress, which an operator waits for: it must say how far it is. */
const UPGRADE = {
  state: 'writing',
  target_slot: 'slot_b',
  target_version: '2026.06.01-1',
  step_index: 3,
  step_count: 5,
  pct: 43,
  bytes_done: 1.3e9,
  bytes_total: 3e9,
  detail: 'writing the system',
  started_at: '2026-11-30T15:50:00Z',
  updated_at: '2026-11-30T15:55:50Z',
  error: null,
  recent_failures_1h: 0,
  log_ref: null,
} as const;
export const WORK: Readonly<Record<string, ScreenState>> = {
  'upgrade-running': stateOf({ upgrade: UPGRADE }),
  rebuilding: stateOf({
    storage: { md_supported: true, arrays: [mirror, md({ name: 'md126', friendly: 'var' })], multipath: [], second_esp: null },
  }),
  'first-boot': stateOf(
    {
      meta: {
        boot_stage: 'first_boot',
        first_boot: { step: 'starting k3s', pct: null, detail: null, failed: false, log_hint: 'journalctl' },
      },
      k3s: { unit_state: 'activating', readyz: 'unknown', image_import: { done: 3, total: 11 } },
      slots: { is_trial: false },
    },
    { pods: NEVER, nodes: NEVER, etcd: NEVER },
  ),
  cluster: stateOf({
    nodes: {
      list: [
        node('ddi-prod-01'),
        node('ddi-prod-02', { internal_ips: ['192.168.10.22'], cordoned: true }),
        node('ddi-prod-03', { internal_ips: ['192.168.10.23'], ready: 'false', conditions: ['NetworkUnavailable'] }),
      ],
      complete: true,
      expected_count: 3,
    },
    etcd: { members_total: 3, members_healthy: 2, quorum: 'at_risk' },
    network: { vip: { v4: '192.168.10.50', v6: null, announcing_node: 'ddi-prod-02' } },
    vitals: {
      top_cpu: [
        { comm: 'k3s-server', pct: 38 },
        { comm: 'postgres', pct: 4 },
      ],
    },
    power: { last_reboot_reason: 'unexpected end: no shutdown was recorded (power loss, reset or crash)' },
  }),
};
