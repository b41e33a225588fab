/**
 * The cases of the console inventory, section 8.1 and 8.2, as a supervisor of another make sends them: its fields alone, no
 * verdict. `T..` are the inventory's numbers.
 */
import { describe, expect, it } from 'vitest';
import { applyFrame, clientVerdict, EMPTY_MODEL } from '#status/client-model.ts';
import { EMPTY_MEMORY } from '#status/verdict.ts';
import { ago, DATA, disk, env, foreignSnapshot, node, pod } from '../../support/foreign-status.ts';

type Changed = Parameters<typeof foreignSnapshot>[0];

function judged(changed: Changed, without: Parameters<typeof foreignSnapshot>[1] = []): string[] {
  const got = applyFrame(EMPTY_MODEL, foreignSnapshot(changed, without), 0);
  if (!got.ok) throw new Error(got.why);
  const { level, reasons } = clientVerdict(got.model, 0, EMPTY_MEMORY).verdict;
  return [level, ...reasons.map((r) => `${r.level[0]} ${r.text}`)];
}

const pods = (...first: object[]): Changed => ({ pods: { ...DATA.pods, list: [...first, ...DATA.pods.list.slice(first.length)] } });
const loop = { restarts: 5, ready: 0, severity: 'critical', state: 'CrashLoopBackOff' };
const flapping = { restarts: 4, last_restart_at: ago(30), severity: 'critical' };
const stuck = (state: string, more: object = {}): Changed => pods(pod('web-1', { state, ready: 0, severity: 'critical', ...more }));
const three = (ready: readonly string[], more: object = {}): Changed => ({
  nodes: { list: ready.map((r, i) => node(`n${i + 1}`, { local: i === 0, ready: r })), complete: true },
  etcd: {
    backend: 'etcd',
    has_leader: true,
    quorum: 'ok',
    members_total: 3,
    members_healthy: 3,
    quota_bytes: 2 ** 31,
    restore: { state: 'none' },
    ...more,
  },
});
const cut = (msg: string) => env(null, { state: 'unavailable', error: { code: 'x', msg } });
const webui = (status: string, at: string, indeterminate = 0): Changed => ({
  firewall: {
    ...DATA.firewall,
    webui: { status, detail: 'd', ports: { 443: status }, checked_at: at, ttl_s: 900, consecutive_indeterminate: indeterminate },
  },
});
const appliance = (changed: Changed = {}): Changed => ({
  identity: { ...DATA.identity, role: 'appliance' },
  pairing: { applicable: true, state: 'paired', code_present: false, attempts: 1 },
  control_plane: {
    url: 'https://cp',
    tcp_ok: true,
    consecutive_failures: 0,
    interval_s: 30,
    in_cluster: false,
    last_heartbeat_at: ago(10),
  },
  ...changed,
});
const speakers = (vip: boolean): Changed => ({
  loadbalancer: { metallb_present: true, speakers_ready: 2, speakers_total: 3, vip_assigned: vip },
});
const memory = (full: number, breach: readonly string[] = []) => ({
  ...DATA.psi,
  memory: { full: { avg10: full, avg60: full, avg300: full } },
  breach,
});
const k3s = (more: object): Changed => ({ k3s: { ...DATA.k3s, ...more } });
const service = [{ name: 'dhcp-kea', state: 'unhealthy', since: ago(500) }];

const CASES: readonly (readonly [string, Changed, string, ...string[]])[] = [
  ['T01', {}, 'HEALTHY'],
  [
    'T02',
    stuck('CrashLoopBackOff', { restarts: 6, last_exit: { reason: 'OOMKilled', code: 137 } }),
    'CRITICAL',
    'C web-1 CrashLoopBackOff',
  ],
  ['T03', pods(pod('web-1', flapping)), 'CRITICAL', 'C web-1 flapping'],
  ['T04', pods(pod('web-1', { restarts: 2, last_restart_at: ago(30) })), 'HEALTHY'],
  ['T06', pods(pod('a', flapping), pod('b', loop)), 'CRITICAL', 'C b CrashLoopBackOff', 'C a flapping'],
  ['T08', stuck('ImagePullBackOff', { init: true }), 'CRITICAL', 'C web-1 ImagePullBackOff'],
  ['T09', stuck('CreateContainerConfigError'), 'CRITICAL', 'C web-1 CreateContainerConfigError'],
  [
    'T10',
    stuck('Pending', { severity: 'warning', state_reason: 'Unschedulable: insufficient cpu' }),
    'DEGRADED',
    'D web-1 Unschedulable: insufficient cpu',
  ],
  ['T11 90.0', { disks: [disk('/var', 90)] }, 'CRITICAL', 'C disk /var 90% full'],
  ['T11 89.9', { disks: [disk('/var', 89.9)] }, 'HEALTHY'],
  [
    'T13',
    { ...k3s({ unit_state: 'failed', readyz: 'unknown' }), pods: cut('k3s failed') },
    'CRITICAL',
    'C k3s failed',
    'U pods: k3s failed',
  ],
  ['T14', k3s({ readyz: 'timeout' }), 'DEGRADED', 'D k3s not ready - the API does not answer'],
  ['T16', three(['true', 'true', 'true'], { has_leader: false, quorum: 'lost' }), 'CRITICAL', 'C etcd quorum lost'],
  [
    'T18',
    { ...three(['true', 'false', 'false']), etcd: cut('refused') },
    'CRITICAL',
    'C quorum lost (1 of 3 nodes ready)',
    'D node n2 not ready',
    'D node n3 not ready',
    'U etcd: refused',
  ],
  [
    'T21',
    { api: env({ present: true, metrics_status: 'unreachable', ready: 'unreachable' }, { age_ms: 40_000 }) },
    'DEGRADED',
    'D api unreachable',
  ],
  ['T22', speakers(true), 'DEGRADED', 'D metallb 1/3 speaker down'],
  ['T22, no VIP', speakers(false), 'HEALTHY'],
  [
    'T23',
    { etcd: { ...DATA.etcd, restore: { state: 'restoring' } }, ...k3s({ unit_state: 'failed' }) },
    'CRITICAL',
    'C etcd restore in progress',
    'C k3s failed',
  ],
  ['T25', { host_config: { planes: [], patches: [{ id: 'p1', ok: false }] } }, 'CRITICAL', 'C host config failing: patch:p1'],
  ['T26', { slots: { ...DATA.slots, booted: 'slot_b', is_trial: true } }, 'DEGRADED', 'D trial boot - a reboot goes back to slot A'],
  ['T27 299 s', appliance({ supervisor: { ...DATA.supervisor, loop_last_at: ago(299) } }), 'HEALTHY'],
  ['T27 300 s', appliance({ supervisor: { ...DATA.supervisor, loop_last_at: ago(300) } }), 'DEGRADED', 'D supervisor loop stale'],
  ['T28', appliance({ supervisor: env(null, { state: 'unknown', observed_at: null }) }), 'UNKNOWN', 'U supervisor: not known yet'],
  [
    'T29',
    appliance({ control_plane: { url: 'u', tcp_ok: false, consecutive_failures: 9, interval_s: 30, in_cluster: false } }),
    'DEGRADED',
    'D control plane unreachable',
  ],
  [
    'T30',
    appliance({ pairing: { applicable: true, state: 'revoked', code_present: false, attempts: 1 } }),
    'CRITICAL',
    'C approval revoked - pair again',
  ],
  ['T33', { psi: memory(2, ['memory_full']) }, 'DEGRADED', 'D memory stalls 2.0% over 5 min'],
  ['T33, not compared', { psi: memory(2) }, 'DEGRADED', 'D memory stalls 2.0% over 5 min'],
  ['T34', webui('blocked', ago(30)), 'CRITICAL', 'C Web UI blocked by firewall (tcp/443)'],
  ['T35', webui('blocked', ago(901)), 'HEALTHY'],
  ['T37', webui('scoped', ago(30)), 'HEALTHY'],
  ['T38', webui('indeterminate', ago(30), 3), 'HEALTHY'],
  [
    'a list of nodes that failed',
    { nodes: { list: [], complete: false, expected_count: 3 } },
    'UNKNOWN',
    'U nodes: the list is not complete',
  ],
  ['a list of pods that was cut', { pods: { ...DATA.pods, complete: false } }, 'UNKNOWN', 'U pods: the list is not complete'],
  [
    'the cap of restarts',
    { supervisor: { ...DATA.supervisor, restart_cap_hit: true } },
    'CRITICAL',
    'C supervisor restarts stopped - needs a person',
  ],
  ['a service of a role', { supervisor: { ...DATA.supervisor, role_services: service } }, 'DEGRADED', 'D service dhcp-kea unhealthy'],
  [
    'words of a later server',
    { upgrade: { state: 'dancing', recent_failures_1h: 0 }, ...pods(pod('a', { severity: 'mauve' })) },
    'HEALTHY',
  ],
];

describe('a status of another supervisor', () => {
  for (const [name, changed, ...wanted] of CASES) it(name, () => expect(judged(changed)).toEqual(wanted));

  it('stale and expired sections, and those that are missing, keep it from HEALTHY', () => {
    const disks = (ageMs: number) => judged({ disks: env(DATA.disks, { age_ms: ageMs }) });
    expect(disks(15_000)).toEqual(['HEALTHY']);
    expect(disks(15_001)).toEqual(['UNKNOWN', 'U disks: no news for a while']);
    expect(disks(45_001)).toEqual(['UNKNOWN', 'U disks: readings too old to trust']);
    expect(judged({}, ['pods'])).toEqual(['UNKNOWN', 'U pods: not reported']);
  });

  it('fractions, numbers and one time for all stand for what ours writes otherwise', () => {
    const dns = { connectivity: { gateway: true, dns: false, checked_at: ago(5) } };
    expect(judged({ network: { ...DATA.network, ...dns } })).toEqual(['DEGRADED', 'D no name server answers']);
    expect(judged({ vitals: { ...DATA.vitals, mem_total_bytes: 8e9 + 0.5 } })).toEqual(['HEALTHY']);
    const { webui: w } = DATA.firewall;
    expect(judged({ firewall: { ...DATA.firewall, webui: { ...w, ports: { 443: true } } } })).toEqual(['HEALTHY']);
  });
});
