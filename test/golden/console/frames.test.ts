/** Whole frames as text. A change of a frame is a change of a file that can be read in review. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import type { ScreenState } from '#console/screen-state.ts';
import { textOf } from '#console/style.ts';
import { actionNamed } from '#status/action-catalogue.ts';
import { toAscii } from '#ui/terminal/glyphs.ts';
import { logLines, SCREEN_SIZES, stateOf } from '../../support/console-fixtures.ts';
import { inSync, md } from '../../support/spoils.ts';
import { disk, HEALTHY_DATA, node, PULL_DATA, pod } from '../../support/status-fixtures.ts';

const mirror = md({
  name: 'md127',
  friendly: 'root_a',
  members: inSync(1),
  syncAction: 'recover',
  syncCompleted: '430 / 1000',
  syncSpeed: 1,
});

const NOT_HERE = { state: 'not_applicable', data: null } as const;
const NEVER = { state: 'unknown', data: null, observed_at: null, age_ms: null } as const;
const wave = (length: number, top: number): (number | null)[] =>
  Array.from({ length }, (_, i) => (i % 40 < 4 ? null : (top / 2) * (1 + Math.sin(i / 7))));

/** Everything a control plane serves, one of it in trouble. */
const SERVING: Parameters<typeof stateOf>[0] = {
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
const FLEET: Parameters<typeof stateOf>[0] = {
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

const STATES: Readonly<Record<string, ScreenState>> = {
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
const WORK: Readonly<Record<string, ScreenState>> = {
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

const frame = (state: ScreenState, columns: number, rows: number): string =>
  `${composeFrame(state, { columns, rows })
    .map((l) => textOf(l).trimEnd())
    .join('\n')}\n`;
const file = (name: string): string => path.join(import.meta.dirname, 'frames', `${name}.txt`);

describe.each(Object.entries({ ...STATES, ...WORK }))('%s', (name, state) => {
  it.each(SCREEN_SIZES)('%ix%i', async (columns, rows) => {
    await expect(frame(state, columns, rows)).toMatchFileSnapshot(file(`${name}.${columns}x${rows}`));
  });
  it('80x24 in ASCII has no other character', async () => {
    const ascii = [...frame(state, 80, 24)].map((c) => (c > '~' ? toAscii(c) : c)).join('');
    expect(ascii).not.toMatch(/[^\n\x20-\x7e]/);
    await expect(ascii).toMatchFileSnapshot(file(`${name}.80x24.ascii`));
  });
});

const HISTORY = {
  cpuPct: wave(300, 100),
  memoryPct: wave(300, 60),
  pressurePct: wave(300, 20),
  diskPct: Array.from({ length: 300 }, () => 40),
  networkBytesPerS: wave(300, 3e6),
};
const FAILED_PULL = {
  ...PULL_DATA,
  state: 'failed',
  fetched_version: 43,
  consecutive_failures: 3,
  failed: {
    version: 43,
    phase: 'validate',
    outcome: 'reverted',
    message: 'haproxy: line 12: unknown keyword "blance" in section "backend web"; the configuration before it runs on',
    attempts: 2,
    retry_at: '2026-11-30T16:10:00Z',
  },
  update: { running: '0.1.0', target: '0.2.0', phase: 'downloading', bad: ['0.1.9'], checked_at: '2026-11-30T15:40:00Z' },
} as const;
const REVOKED = {
  ...PULL_DATA,
  identity: 'revoked',
  code: 'ENR-403',
  message: 'The panel has revoked this device on 2026-11-29. Approve it again there, or give it a new token.',
} as const;
const PROCESSES = {
  total: 180,
  running: 2,
  blocked: 1,
  zombies: 1,
  rows: Array.from({ length: 180 }, (_, i) => ({
    pid: 400 + i,
    name: ['k3s-server', 'containerd', 'kworker/0:1', 'postgres: writer'][i % 4] as string,
    state: i === 1 ? 'D' : i === 2 ? 'Z' : i < 4 ? 'R' : 'S',
    user: i % 3 === 0 ? 'root' : 'systemd-network',
    cpuPct: i === 3 ? null : Math.max(0, 95 - i * 7),
    step: 0,
    memoryBytes: 1e9 / (i + 1),
    threads: 1 + (i % 30),
  })),
};
const plan = (name: string, over = {}) => {
  const spec = actionNamed(name);
  return {
    name,
    summary: spec?.summary ?? '',
    consequences: spec?.consequences ?? [],
    typed_confirm: null,
    confirm_token: 't',
    expires_s: 30,
    ...over,
  };
};
const EMPTY = { value: '', cursor: 0 };
const order = { plan: plan('power.reboot'), args: {}, typed: null };

const PAGES: Readonly<Record<string, ScreenState>> = {
  health: stateOf({ etcd: { alarms: null }, power: { last_reboot_reason: null }, vitals: { top_cpu: [] } }, {}, { page: 'health' }),
  'health-serving': stateOf(SERVING, {}, { page: 'health' }),
  'health-fleet': stateOf(FLEET, {}, { page: 'health' }),
  monitor: stateOf({}, {}, { page: 'monitor', history: HISTORY }),
  processes: stateOf({}, {}, { page: 'processes', processes: PROCESSES }),
  'pull-ok': stateOf({ pull: PULL_DATA }, {}, { page: 'pull' }),
  'pull-failed': stateOf({ pull: FAILED_PULL }, {}, { page: 'pull' }),
  'pull-revoked': stateOf({ pull: REVOKED }, {}, { page: 'pull' }),
  'pull-stale': stateOf({ pull: PULL_DATA }, { pull: { age_ms: 15_000 } }, { page: 'pull' }),
  'pull-unknown': stateOf({}, { pull: NEVER }, { page: 'pull' }),
  pods: stateOf({}, {}, { page: 'pods', pod: 'spatium/pod-3' }),
  podlog: stateOf(
    {},
    {},
    {
      page: 'podlog',
      podLog: {
        ns: 'spatium',
        pod: 'api-6f9b5c7d8-abcde',
        ended: null,
        log: { lines: logLines(30).map((l) => ({ ...l, at: '' })), scroll: 4, paused: true, filter: 'k3s', typing: true, note: '' },
      },
    },
  ),
  'log-flood': stateOf(
    {},
    {},
    { log: { lines: logLines(60), scroll: 0, paused: false, filter: '', typing: false, note: 'about 98000 lines a second' } },
  ),
  confirm: stateOf(
    {},
    {},
    { dialog: { kind: 'confirm', plan: plan('network.edit'), args: {}, typed: EMPTY, yes: false, untilMs: 30_000 } },
  ),
  'confirm-typed': stateOf(
    {},
    {},
    {
      dialog: {
        kind: 'confirm',
        plan: plan('etcd.restore', { typed_confirm: 'ddi-prod-01' }),
        args: {},
        typed: { value: 'ddi-pr', cursor: 6 },
        yes: true,
        untilMs: 90_000,
      },
    },
  ),
  password: stateOf(
    {},
    {},
    {
      dialog: {
        kind: 'password',
        order,
        title: 'Reboot',
        admins: ['ops', 'second'],
        at: 0,
        state: { value: 'secret', cursor: 6 },
        fault: null,
        busy: false,
        untilMs: 60_000,
      },
    },
  ),
  form: stateOf(
    {},
    {},
    {
      dialog: {
        kind: 'form',
        action: 'pair.set',
        title: 'Pair again',
        fields: (actionNamed('pair.set')?.args ?? []).map((arg, i) => ({ arg, state: i === 0 ? EMPTY : { value: '12345678', cursor: 8 } })),
        at: 1,
        fault: null,
        untilMs: 60_000,
      },
    },
  ),
};

describe.each(Object.entries(PAGES))('%s', (name, state) => {
  it.each([
    [80, 24],
    [120, 34],
  ])('%ix%i', async (columns, rows) => {
    await expect(frame(state, columns, rows)).toMatchFileSnapshot(file(`${name}.${columns}x${rows}`));
  });
  it('shows no secret that is being typed', () => {
    expect(frame(state, 80, 24)).not.toMatch(/secret|12345678/);
  });
});
