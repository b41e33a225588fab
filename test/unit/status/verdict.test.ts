import { describe, expect, it } from 'vitest';
import type { Level } from '#model/status.ts';
import type { View } from '#status/freshness.ts';
import { EMPTY_MEMORY, judgeStatus } from '#status/verdict.ts';
import { API_DOWN, arrays, CONTROL_PLANE, inSync, judge, maps, md, mtu, NOW, PAIRED, plane, webui } from '../../support/spoils.ts';
import { disk, healthyView, node, pod, type Spoil } from '../../support/status-fixtures.ts';

const textsOf = (view: View): string[] => judge(view).verdict.reasons.map((r) => r.text);

const three = (ready: number) => Array.from({ length: 3 }, (_, i) => node(`n${i}`, { ready: i < ready ? 'true' : 'false' }));
const APPLIANCE: Spoil = {
  identity: { role: 'appliance' },
  pairing: PAIRED,
  control_plane: { ...CONTROL_PLANE, resolved_addrs: null },
};
const appliance = (over: Spoil = {}): Spoil => ({
  ...APPLIANCE,
  ...over,
  ...(over.pairing ? { pairing: { ...APPLIANCE.pairing, ...over.pairing } } : {}),
  ...(over.control_plane ? { control_plane: { ...APPLIANCE.control_plane, ...over.control_plane } } : {}),
});

const postgres = (over: Spoil['postgres']): Spoil => ({
  postgres: {
    present: true,
    role: 'primary',
    primary_pod: 'pg-1',
    replicas_streaming: 2,
    replica_lag_s: 0,
    backends_active: 3,
    backends_idle: 9,
    backends_waiting: 0,
    max_connections: 100,
    size_bytes: 1,
    wal_bytes: 1,
    ...over,
  },
});
const cert = (daysLeft: number | null, severity: 'ok' | 'warning' | 'critical' | 'unknown'): Spoil => ({
  certs: [{ name: 'k3s_api', not_after: null, days_left: daysLeft, severity }] as never,
});

/** Cases of console inventory section 8: what is wrong, the level, and the phrase of the worst reason. */
const CASES: readonly (readonly [string, Spoil, Level, string | null])[] = [
  ['T01 healthy', {}, 'HEALTHY', null],
  [
    'T02 crash loop',
    { pods: { list: [pod('api', { state: 'CrashLoopBackOff', severity: 'critical', severity_code: 'state' })] } },
    'CRITICAL',
    'api CrashLoopBackOff',
  ],
  [
    'T03 flapping',
    { pods: { list: [pod('api', { restarts: 4, severity: 'critical', severity_code: 'flapping' })] } },
    'CRITICAL',
    'api flapping',
  ],
  ['T04 two restarts', { pods: { list: [pod('api', { restarts: 2 })] } }, 'HEALTHY', null],
  [
    'T08 init image pull',
    { pods: { list: [pod('api', { state: 'Init:ImagePullBackOff', init: true, severity: 'critical', severity_code: 'state' })] } },
    'CRITICAL',
    'api Init:ImagePullBackOff',
  ],
  [
    'T10 unschedulable',
    {
      pods: {
        list: [
          pod('api', {
            state: 'Pending',
            state_reason: 'Unschedulable: insufficient cpu',
            severity: 'warning',
            severity_code: 'unschedulable',
          }),
        ],
      },
    },
    'DEGRADED',
    'api Unschedulable: insufficient cpu',
  ],
  ['T11 /var 90.0 %', { disks: { mounts: [disk('/', 40), disk('/var', 90)] } }, 'CRITICAL', 'disk /var 90% full'],
  ['T11 /var 89.9 %', { disks: { mounts: [disk('/', 40), disk('/var', 89.9)] } }, 'HEALTHY', null],
  [
    'T21 readiness unreachable',
    { ...API_DOWN, platform: { checks: [{ name: 'database', state: 'ok', detail: null }] } },
    'DEGRADED',
    'api unreachable',
  ],
  [
    'T09 config error of a container',
    { pods: { list: [pod('api', { state: 'CreateContainerConfigError', severity: 'critical', severity_code: 'state' })] } },
    'CRITICAL',
    'api CreateContainerConfigError',
  ],
  ['T52 MTU applied', mtu({ applied: 1420, status: 'applied' }), 'HEALTHY', null],
  ['T52 MTU refused', mtu({ requested: 1420, status: 'dropped' }), 'DEGRADED', 'MTU 1420 refused'],
  ['T52 of another boot', mtu({ requested: 1420, status: 'dropped', boot_id_matches: false }), 'HEALTHY', null],
  ['T38 indeterminate x2', webui('indeterminate', 30, 2), 'HEALTHY', null],
  ['database without a primary', postgres({ primary_pod: null, role: null }), 'DEGRADED', 'database has no primary'],
  ['connections that wait', postgres({ backends_waiting: 2 }), 'DEGRADED', 'database: connections wait for locks'],
  ['a replica far behind', postgres({ replica_lag_s: 61 }), 'DEGRADED', 'database: a replica is more than a minute behind'],
  ['connections used up', postgres({ backends_active: 80, backends_idle: 12 }), 'DEGRADED', 'database: 92 of 100 connections used'],
  ['a database in order', postgres({}), 'HEALTHY', null],
  ['etcd nearly at its quota', { etcd: { db_size_bytes: 1.7 * 1024 ** 3 } }, 'DEGRADED', 'etcd has used 85% of its quota'],
  ['etcd at its quota', { etcd: { db_size_bytes: 2 * 1024 ** 3 } }, 'CRITICAL', 'etcd has used 100% of its quota'],
  ['a leader that changes all the time', { etcd: { leader_changes_1h: 5 } }, 'DEGRADED', 'etcd changed its leader 5 times in an hour'],
  [
    'a supervisor that is started again and again',
    { supervisor: { restarts_24h: 5 } },
    'DEGRADED',
    'supervisor started 5 times again within a day',
  ],
  ['errors of a file system', { disks: { mounts: [disk('/var', 10, { errors_count: 2 })] } }, 'DEGRADED', 'file system of /var has errors'],
  [
    'a second boot partition out of step',
    { storage: { md_supported: true, arrays: [md()], multipath: [], second_esp: { present: true, in_sync: false, checked_at: null } } },
    'DEGRADED',
    'second boot partition is not in step with the first',
  ],
  ['a certificate about to end', cert(3, 'warning'), 'DEGRADED', 'certificate k3s_api expires in 3 d'],
  ['a certificate that ended', cert(-1, 'critical'), 'CRITICAL', 'certificate k3s_api expired'],
  ['a web certificate that ended', cert(-1, 'warning'), 'DEGRADED', 'certificate k3s_api expired'],
  ['a certificate that cannot be read', cert(null, 'unknown'), 'UNKNOWN', 'certificate k3s_api cannot be read'],
  ['T13 k3s failed', { k3s: { unit_state: 'failed' } }, 'CRITICAL', 'k3s failed'],
  ['T14 readyz times out', { k3s: { readyz: 'timeout' } }, 'DEGRADED', 'k3s not ready - the API does not answer'],
  ['T16 no etcd leader', { nodes: { list: three(3) }, etcd: { has_leader: false, members_total: 3 } }, 'CRITICAL', 'etcd quorum lost'],
  [
    'T18 majority lost, etcd unknown',
    { nodes: { list: three(1) }, etcd: { has_leader: null, quorum: 'unknown', members_total: null } },
    'CRITICAL',
    'quorum lost (1 of 3 nodes ready)',
  ],
  [
    'T22 speakers',
    { loadbalancer: { metallb_present: true, speakers_ready: 2, speakers_total: 3, vip_assigned: true, vip_reachable: null } },
    'DEGRADED',
    'metallb 1/3 speaker down',
  ],
  [
    'T22 no VIP',
    { loadbalancer: { metallb_present: true, speakers_ready: 2, speakers_total: 3, vip_assigned: false, vip_reachable: null } },
    'HEALTHY',
    null,
  ],
  [
    'T23 restore',
    { etcd: { restore: { state: 'restoring', reason: null, since: null } }, k3s: { unit_state: 'failed' } },
    'CRITICAL',
    'etcd restore in progress',
  ],
  [
    'T25 patch ledger',
    { host_config: { planes: [], patches: [{ id: 'x', ok: false, detail: null }], last_reconcile_ok: false } },
    'CRITICAL',
    'host config failing: patch:x',
  ],
  [
    'T25 reconcile only',
    { host_config: { planes: [], patches: [], last_reconcile_ok: false } },
    'CRITICAL',
    'host config failing: patch:reconcile',
  ],
  ['T26 trial boot', { slots: { booted: 'slot_b', is_trial: true } }, 'DEGRADED', 'trial boot - a reboot goes back to slot A'],
  ['T27 loop 299 s', appliance({ supervisor: { loop_last_at: '2026-11-30T15:50:54Z' } }), 'HEALTHY', null],
  ['T27 loop 300 s', appliance({ supervisor: { loop_last_at: '2026-11-30T15:50:53Z' } }), 'DEGRADED', 'supervisor loop stale'],
  ['T28 no supervisor section', appliance({ supervisor: null }), 'UNKNOWN', 'supervisor: not reported'],
  ['T29 control plane refused', appliance({ control_plane: { tcp_ok: false } }), 'DEGRADED', 'control plane unreachable'],
  [
    'a fresh appliance whose control plane cannot be reached',
    appliance({ pairing: { state: 'registering' }, control_plane: { tcp_ok: false } }),
    'UNKNOWN',
    'not paired yet: control plane unreachable',
  ],
  ['T30 revoked', appliance({ pairing: { state: 'revoked' } }), 'CRITICAL', 'approval revoked - pair again'],
  [
    'T33 memory stalls',
    { psi: { memory: { some: { avg10: 9, avg60: 9, avg300: 9 }, full: { avg10: 2, avg60: 2, avg300: 2 } }, breach: ['memory_full'] } },
    'DEGRADED',
    'memory stalls 2.0% over 5 min',
  ],
  ['T34 blocked', webui('blocked', 30), 'CRITICAL', 'Web UI blocked by firewall (tcp/443)'],
  ['T35 blocked, too old', webui('blocked', 901), 'HEALTHY', null],
  ['T37 scoped', webui('scoped', 30), 'HEALTHY', null],
  ['T38 indeterminate x3', webui('indeterminate', 30, 3), 'HEALTHY', null],
  ['T40 raid1 2/2', arrays(md()), 'HEALTHY', null],
  [
    'T41 raid1 1/2 rebuilding',
    arrays(md({ members: inSync(1), syncAction: 'recover', syncCompleted: '430 / 1000' })),
    'CRITICAL',
    'md0 raid1 DEGRADED 1/2 43%',
  ],
  ['T42 raid1 2/3', arrays(md({ raidDisks: 3, members: inSync(2) })), 'DEGRADED', 'md0 raid1 DEGRADED 2/3'],
  ['T44 did not assemble', arrays(md({ arrayState: 'inactive', raidDisks: 0, members: [] })), 'CRITICAL', 'md0 raid1 FAILED to assemble'],
  ['T45 raid_disks unreadable', arrays(md({ raidDisks: null })), 'DEGRADED', 'md0 raid1 state unknown'],
  ['members unreadable is not failed', arrays(md({ members: null })), 'DEGRADED', 'md0 raid1 state unknown'],
  ['T47 monthly check', arrays(md({ syncAction: 'check', syncCompleted: '12 / 100' })), 'HEALTHY', null],
  [
    'T48 two paths',
    maps([
      { device: 'sda', state: 'running' },
      { device: 'sdb', state: 'running' },
    ]),
    'HEALTHY',
    null,
  ],
  ['one path is no fault by itself', maps([{ device: 'sda', state: 'running' }]), 'HEALTHY', null],
  ['T50 no path', maps([]), 'CRITICAL', 'mpatha mpath 0/0 paths'],
  [
    'T50 one of two offline',
    maps([
      { device: 'sda', state: 'running' },
      { device: 'sdb', state: 'offline' },
    ]),
    'DEGRADED',
    'mpatha mpath 1/2 paths',
  ],
  [
    'an NVMe path without a state counts neither way',
    maps([
      { device: 'nvme0n1', state: null },
      { device: 'nvme1n1', state: null },
    ]),
    'HEALTHY',
    null,
  ],
  ['host plane failing', plane('failing'), 'CRITICAL', 'host config failing: ntp'],
  ['/var read-only', { disks: { mounts: [disk('/var', 10, { ro: true })] } }, 'CRITICAL', '/var is read-only'],
  ['unknown role', { identity: { role: null, config_errors: ['unknown role "x"'] } }, 'UNKNOWN', 'unknown role "x"'],
  ['a 503 of the API', { platform: { checks: [{ name: 'database', state: 'failing', detail: null }] } }, 'DEGRADED', 'api: database down'],
];

describe('verdict, cases of the inventory', () => {
  /** Judged again after a quarter of an hour, so that what has to last has lasted. */
  const settled = (view: View) => judge(view, judge(view).memory, 16 * 60_000);
  it.each(CASES)('%s', (_name, spoil, level, phrase) => {
    const { verdict } = settled(healthyView(spoil));
    expect({ level: verdict.level, phrase: verdict.reasons[0]?.text ?? null }).toEqual({ level, phrase });
  });

  it('T06: state outranks restarts, and both are listed', () => {
    const list = [
      pod('a', { severity: 'critical', severity_code: 'flapping' }),
      pod('b', { state: 'CrashLoopBackOff', severity: 'critical', severity_code: 'state' }),
    ];
    expect(textsOf(healthyView({ pods: { list } }))).toEqual(['b CrashLoopBackOff', 'a flapping']);
  });

  it('T31: with nothing known it is UNKNOWN, and says what is not known', () => {
    const { verdict } = judge({});
    expect(verdict.level).toBe('UNKNOWN');
    expect(verdict.unknown_sections).toContain('vitals');
  });

  it('T31: no socket is UNKNOWN even when all local facts are fine', () => {
    const { view } = { view: healthyView() };
    const { verdict } = judgeStatus({ view, now: NOW, nowMs: 0, memory: EMPTY_MEMORY, localOnlySince: '2026-11-30T15:50:00Z' });
    expect(verdict.reasons).toMatchObject([{ code: 'supervisor.unreachable', since: '2026-11-30T15:50:00Z' }]);
    expect(verdict.level).toBe('UNKNOWN');
  });

  it('a local rule still fires without the socket', () => {
    const view = healthyView({ disks: { mounts: [disk('/var', 95)] } });
    const { verdict } = judgeStatus({ view, now: NOW, nowMs: 0, memory: EMPTY_MEMORY, localOnlySince: NOW });
    expect(verdict.level).toBe('CRITICAL');
  });

  it('a failed node list is unknown, not a single node', () => {
    const view = healthyView({}, { nodes: { state: 'unavailable', data: null, error: { code: 'x', msg: 'k3s does not answer' } } });
    expect(textsOf(view)).toEqual(['nodes: k3s does not answer']);
  });

  it('k3s that is not installed is no fault', () => {
    const view = healthyView({ nodes: null, pods: null, etcd: null }, { k3s: { state: 'not_applicable', data: null } });
    expect(judge(view).verdict.level).toBe('HEALTHY');
  });
});
