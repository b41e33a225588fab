/** Situations of a box, and what its operator would expect to be told: the level, and words that the reason must hold. */
import { describe, expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { textOf } from '#console/style.ts';
import type { Level, Section, SectionData, SectionName } from '#model/status.ts';
import { stateOf } from '../../support/console-fixtures.ts';
import { API_DOWN, arrays, CONTROL_PLANE, inSync, judge, maps, md, mtu, NO_UPGRADE, PAIRED, plane, webui } from '../../support/spoils.ts';
import { disk, HEALTHY_DATA, healthyView, node, PULL_DATA, pod, type Spoil } from '../../support/status-fixtures.ts';

type Envelopes = { readonly [K in SectionName]?: Partial<Section<unknown>> };

interface Situation {
  readonly is: string;
  readonly spoil?: Spoil;
  readonly envelopes?: Envelopes;
  readonly level: Level;
  /** Each is found in one reason; none: no reason at all. */
  readonly says: readonly RegExp[];
}

const FAR_MS = 10 * 60_000;
const GONE = { state: 'unavailable', data: null, error: { code: 'x', msg: 'cannot be read' } } as const;
const NEVER = { state: 'unknown', data: null, observed_at: null, age_ms: null } as const;
const NOT_HERE = { state: 'not_applicable', data: null } as const;

const nodes = (...list: SectionData['nodes']['list']): Spoil => ({ nodes: { list, complete: true, expected_count: list.length } });
const down = (name: string) => node(name, { ready: 'false' });
const bad = (name: string, state: string, code = 'state') => pod(name, { ready: 0, state, severity: 'critical', severity_code: code });
const pods = (...list: SectionData['pods']['list']): Spoil => ({ pods: { list } });
const pairing = (over: Partial<SectionData['pairing']>): Spoil => ({ identity: { role: 'appliance' }, pairing: { ...PAIRED, ...over } });
const controlPlane = (over: Partial<SectionData['control_plane']>): Spoil => ({
  ...pairing({}),
  control_plane: { ...CONTROL_PLANE, ...over },
});
const upgrade = (over: Partial<SectionData['upgrade']>): Spoil => ({
  upgrade: { ...NO_UPGRADE, ...over },
});
const api = (ready: SectionData['api']['ready'], status: number | null): Spoil => ({
  api: { ...(API_DOWN.api as SectionData['api']), ready, ready_http_status: status },
});
const platform = (name: string, state: 'ok' | 'failing' | 'unknown'): Spoil => ({
  platform: {
    checks: [
      { name, state, detail: null },
      { name: 'other', state: 'ok', detail: null },
    ],
  },
});
const speakers = (ready: number, over: Partial<SectionData['loadbalancer']> = {}): Spoil => ({
  loadbalancer: { metallb_present: true, speakers_ready: ready, speakers_total: 3, vip_assigned: true, vip_reachable: true, ...over },
});
const join = (state: SectionData['cluster_ops']['join']['state'], reason: string | null = null): Spoil => ({
  cluster_ops: { join: { state, reason, since: null }, migration: null },
});
const restore = (state: SectionData['etcd']['restore']['state'], reason: string | null = null): Spoil => ({
  etcd: { restore: { state, reason, since: null } },
});
const cert = (name: string, days: number | null, severity: 'ok' | 'warning' | 'critical' | 'unknown'): Spoil => ({
  certs: [{ name, not_after: null, days_left: days, severity }] as never,
});
const firewall = (over: Partial<SectionData['firewall']>): Spoil => {
  const { firewall: base } = webui('open', 10);
  return { firewall: { ...(base as SectionData['firewall']), ...over } };
};
const pull = (over: Partial<SectionData['pull']>): Spoil => ({ pull: { ...PULL_DATA, ...over } });
const firstBoot = (failed: boolean): Spoil => ({
  meta: { first_boot: { step: 'starting k3s', pct: null, detail: null, failed, log_hint: null } },
});
const service = (state: 'healthy' | 'starting' | 'unhealthy' | 'missing'): Spoil => ({
  supervisor: { roles_assigned: ['dns'], role_services: [{ name: 'dns-bind9', state, since: null, restarts: 0, message: null }] },
});

const SITUATIONS: readonly Situation[] = [
  // Pods
  { is: 'ImagePullBackOff', spoil: pods(bad('api', 'ImagePullBackOff')), level: 'CRITICAL', says: [/^api ImagePullBackOff/] },
  { is: 'ErrImagePull', spoil: pods(bad('api', 'ErrImagePull')), level: 'CRITICAL', says: [/ErrImagePull/] },
  {
    is: 'CreateContainerError',
    spoil: pods(bad('redis', 'CreateContainerError')),
    level: 'CRITICAL',
    says: [/redis CreateContainerError/],
  },
  { is: 'CreateContainerConfigError', spoil: pods(bad('w', 'CreateContainerConfigError')), level: 'CRITICAL', says: [/w CreateContainer/] },
  { is: 'InvalidImageName', spoil: pods(bad('w', 'InvalidImageName')), level: 'CRITICAL', says: [/InvalidImageName/] },
  {
    is: 'a flapping pod',
    spoil: pods(pod('beat', { restarts: 4, severity: 'critical', severity_code: 'flapping' })),
    level: 'CRITICAL',
    says: [/beat flapping/],
  },
  { is: 'a pod that restarted twice', spoil: pods(pod('beat', { restarts: 2, restarts_1h: 2 })), level: 'HEALTHY', says: [] },
  { is: 'ten restarts long ago', spoil: pods(pod('beat', { restarts: 40, restarts_1h: 0 })), level: 'HEALTHY', says: [] },
  {
    is: 'a pod that no node takes',
    spoil: pods(
      pod('w', {
        ready: 0,
        state: 'Pending',
        state_reason: 'Unschedulable: Insufficient cpu',
        severity: 'warning',
        severity_code: 'unschedulable',
      }),
    ),
    level: 'DEGRADED',
    says: [/w .*Insufficient cpu/],
  },
  {
    is: 'a pod that starts',
    spoil: pods(pod('w', { ready: 0, state: 'ContainerCreating', severity: 'pending' })),
    level: 'HEALTHY',
    says: [],
  },
  {
    is: 'two pods down',
    spoil: pods(bad('a', 'CrashLoopBackOff'), bad('b', 'ErrImagePull')),
    level: 'CRITICAL',
    says: [/^a Crash/, /^b Err/],
  },
  { is: 'pods cannot be read', envelopes: { pods: GONE }, level: 'UNKNOWN', says: [/pods/] },
  { is: 'pods were read long ago', envelopes: { pods: { age_ms: FAR_MS } }, level: 'UNKNOWN', says: [/pods/] },
  // Disks
  { is: '/var at 90.0', spoil: { disks: { mounts: [disk('/', 40), disk('/var', 90)] } }, level: 'CRITICAL', says: [/disk \/var 90% full/] },
  { is: '/var at 89.9', spoil: { disks: { mounts: [disk('/var', 89.9)] } }, level: 'HEALTHY', says: [] },
  { is: '/var at 100', spoil: { disks: { mounts: [disk('/var', 100)] } }, level: 'CRITICAL', says: [/100% full/] },
  {
    is: 'two disks full',
    spoil: { disks: { mounts: [disk('/', 92), disk('/var', 97)] } },
    level: 'CRITICAL',
    says: [/disk \/ 92%/, /disk \/var 97%/],
  },
  {
    is: 'no inodes left',
    spoil: { disks: { mounts: [disk('/var', 40, { inodes_used_pct: 99, severity: 'critical' })] } },
    level: 'CRITICAL',
    says: [/^\/var has used 99% of its files/],
  },
  { is: '/var read only', spoil: { disks: { mounts: [disk('/var', 40, { ro: true })] } }, level: 'CRITICAL', says: [/\/var.*read.only/] },
  {
    is: 'errors of a file system',
    spoil: { disks: { mounts: [disk('/var', 40, { errors_count: 3, severity: 'warning' })] } },
    level: 'DEGRADED',
    says: [/\/var.*error/],
  },
  { is: 'disks cannot be read', envelopes: { disks: GONE }, level: 'UNKNOWN', says: [/disks/] },
  // Mirrors and paths
  { is: 'mirror of two lost one', spoil: arrays(md({ members: inSync(1) })), level: 'CRITICAL', says: [/md0.*DEGRADED.*1\/2/] },
  { is: 'mirror of three lost one', spoil: arrays(md({ raidDisks: 3, members: inSync(2) })), level: 'DEGRADED', says: [/md0.*2\/3/] },
  {
    is: 'mirror rebuilds',
    spoil: arrays(md({ members: inSync(1), syncAction: 'recover', syncCompleted: '43 / 100' })),
    level: 'CRITICAL',
    says: [/43%/],
  },
  {
    is: 'mirror not assembled',
    spoil: arrays(md({ arrayState: 'inactive', raidDisks: 0, members: [] })),
    level: 'CRITICAL',
    says: [/md0.*FAILED/],
  },
  { is: 'mirror is checked', spoil: arrays(md({ syncAction: 'check', syncCompleted: '12 / 100' })), level: 'HEALTHY', says: [] },
  {
    is: 'one path of two is gone',
    spoil: maps([
      { device: 'sda', state: 'running' },
      { device: 'sdb', state: 'offline' },
    ]),
    level: 'DEGRADED',
    says: [/1\/2 paths/],
  },
  { is: 'no path at all', spoil: maps([]), level: 'CRITICAL', says: [/mpath/] },
  {
    is: 'second boot partition gone',
    spoil: {
      storage: { md_supported: true, arrays: [md()], multipath: [], second_esp: { present: false, in_sync: null, checked_at: null } },
    },
    level: 'DEGRADED',
    says: [/second boot partition/],
  },
  {
    is: 'second boot partition differs',
    spoil: {
      storage: { md_supported: true, arrays: [md()], multipath: [], second_esp: { present: true, in_sync: false, checked_at: null } },
    },
    level: 'DEGRADED',
    says: [/second boot partition/],
  },
  // k3s and etcd
  { is: 'k3s failed', spoil: { k3s: { unit_state: 'failed', readyz: 'unknown' } }, level: 'CRITICAL', says: [/k3s failed/] },
  { is: 'k3s stopped', spoil: { k3s: { unit_state: 'inactive', readyz: 'unknown' } }, level: 'DEGRADED', says: [/k3s/] },
  { is: 'k3s starts', spoil: { k3s: { unit_state: 'activating', readyz: 'unknown' } }, level: 'DEGRADED', says: [/k3s/] },
  { is: 'k3s does not answer', spoil: { k3s: { readyz: 'timeout' } }, level: 'DEGRADED', says: [/k3s/] },
  { is: 'k3s is not ready', spoil: { k3s: { readyz: 'failing', readyz_failed_checks: ['etcd'] } }, level: 'DEGRADED', says: [/k3s.*etcd/] },
  { is: 'k3s is not installed', envelopes: { k3s: NOT_HERE, nodes: NOT_HERE, pods: NOT_HERE, etcd: NOT_HERE }, level: 'HEALTHY', says: [] },
  { is: 'etcd without leader, one node', spoil: { etcd: { has_leader: false, quorum: 'lost' } }, level: 'CRITICAL', says: [/etcd/] },
  {
    is: 'etcd quorum lost',
    spoil: { ...nodes(node('a'), node('b'), node('c')), etcd: { has_leader: false, quorum: 'lost', members_total: 3 } },
    level: 'CRITICAL',
    says: [/etcd quorum lost/],
  },
  {
    is: 'etcd at risk',
    spoil: { ...nodes(node('a'), node('b'), down('c')), etcd: { quorum: 'at_risk', members_total: 3, members_healthy: 2 } },
    level: 'DEGRADED',
    says: [/etcd/, /c\b/],
  },
  { is: 'etcd out of space', spoil: { etcd: { alarms: ['NOSPACE'] } }, level: 'CRITICAL', says: [/etcd.*NOSPACE/] },
  { is: 'etcd corrupt', spoil: { etcd: { alarms: ['CORRUPT'] } }, level: 'CRITICAL', says: [/etcd.*CORRUPT/] },
  {
    is: 'etcd nearly at its quota',
    spoil: { etcd: { db_size_bytes: 1.95 * 1024 ** 3, db_in_use_bytes: 1.9 * 1024 ** 3 } },
    level: 'CRITICAL',
    says: [/etcd/],
  },
  { is: 'etcd failed writes', spoil: { etcd: { failed_proposals_15m: 3 } }, level: 'DEGRADED', says: [/etcd/] },
  {
    is: 'a restore runs',
    spoil: { ...restore('restoring'), k3s: { unit_state: 'failed' } },
    level: 'CRITICAL',
    says: [/etcd restore in progress/],
  },
  { is: 'a restore failed', spoil: restore('failed', 'no such snapshot'), level: 'DEGRADED', says: [/restore.*no such snapshot/] },
  { is: 'a restore done', spoil: restore('done'), level: 'HEALTHY', says: [] },
  { is: 'etcd cannot be read', envelopes: { etcd: GONE }, level: 'UNKNOWN', says: [/etcd/] },
  // Nodes
  {
    is: 'one node of three not ready',
    spoil: { ...nodes(node('a'), node('b'), down('c')), etcd: { quorum: 'ok', members_total: 3 } },
    level: 'DEGRADED',
    says: [/c\b.*not ready/i],
  },
  { is: 'the only node not ready', spoil: nodes(down('ddi-prod-01')), level: 'CRITICAL', says: [/ddi-prod-01/] },
  {
    is: 'majority not ready, etcd unknown',
    spoil: nodes(node('a'), down('b'), down('c')),
    envelopes: { etcd: NEVER },
    level: 'CRITICAL',
    says: [/quorum|majority/],
  },
  {
    is: 'a node short of memory',
    spoil: nodes(node('ddi-prod-01', { conditions: ['MemoryPressure'] })),
    level: 'DEGRADED',
    says: [/MemoryPressure/],
  },
  { is: 'a cordoned node', spoil: nodes(node('ddi-prod-01', { cordoned: true })), level: 'DEGRADED', says: [/cordoned/i] },
  { is: 'nodes cannot be read', envelopes: { nodes: GONE }, level: 'UNKNOWN', says: [/nodes/] },
  // Application
  {
    is: 'database down by a 503',
    spoil: { ...api('degraded', 503), ...platform('database', 'failing') },
    level: 'DEGRADED',
    says: [/database/],
  },
  { is: 'API unreachable', spoil: api('unreachable', null), level: 'DEGRADED', says: [/api unreachable/i] },
  { is: 'a check that nobody knows', spoil: { ...api('ok', 200), ...platform('redis', 'unknown') }, level: 'HEALTHY', says: [] },
  { is: 'one speaker down', spoil: speakers(2), level: 'DEGRADED', says: [/metallb 1\/3/] },
  { is: 'one speaker down, no address', spoil: speakers(2, { vip_assigned: false, vip_reachable: null }), level: 'HEALTHY', says: [] },
  { is: 'virtual address silent', spoil: speakers(3, { vip_reachable: false }), level: 'DEGRADED', says: [/virtual address|VIP/] },
  // Firewall
  { is: 'web UI blocked', spoil: webui('blocked', 30), level: 'CRITICAL', says: [/Web UI blocked.*443/] },
  { is: 'blocked, too old', spoil: webui('blocked', 901), level: 'HEALTHY', says: [] },
  { is: 'scoped', spoil: webui('scoped', 30), level: 'HEALTHY', says: [] },
  { is: 'indeterminate for long', spoil: webui('indeterminate', 30, 9), level: 'HEALTHY', says: [] },
  {
    is: 'firewall refused',
    spoil: firewall({ apply: { status: 'refused', reason: 'would lock out', hash: null, at: null } }),
    level: 'DEGRADED',
    says: [/firewall.*would lock out/],
  },
  {
    is: 'both doors scoped',
    spoil: firewall({ ssh_scoped: true, web_scoped: true, lockout_risk: 'console_only' }),
    level: 'HEALTHY',
    says: [],
  },
  // Host
  { is: 'a plane failing', spoil: plane('failing'), level: 'CRITICAL', says: [/host config failing: ntp/] },
  { is: 'a plane retrying', spoil: plane('retrying'), level: 'DEGRADED', says: [/host config retrying: ntp/] },
  {
    is: 'a patch that failed',
    spoil: { host_config: { planes: [], patches: [{ id: 'p7', ok: false, detail: null }], last_reconcile_ok: true } },
    level: 'CRITICAL',
    says: [/patch:p7/],
  },
  { is: 'trial boot', spoil: { slots: { booted: 'slot_b', is_trial: true } }, level: 'DEGRADED', says: [/trial boot/] },
  { is: 'upgrade runs', spoil: upgrade({ state: 'writing', pct: 40 }), level: 'HEALTHY', says: [] },
  {
    is: 'upgrade failed',
    spoil: upgrade({ state: 'failed', error: 'checksum', target_version: '2' }),
    level: 'DEGRADED',
    says: [/upgrade.*checksum/i],
  },
  { is: 'clock not synchronised', spoil: { time: { synced: false } }, level: 'DEGRADED', says: [/clock|time/] },
  {
    is: 'MTU refused',
    spoil: mtu({ requested: 9000, status: 'dropped', reason: 'over the maximum' }),
    level: 'DEGRADED',
    says: [/MTU.*9000/],
  },
  { is: 'MTU of another boot', spoil: mtu({ requested: 9000, status: 'dropped', boot_id_matches: false }), level: 'HEALTHY', says: [] },
  {
    is: 'out of memory soon',
    spoil: { vitals: { mem_used_bytes: Math.round(0.97 * 8 * 1024 ** 3), mem_available_bytes: Math.round(0.03 * 8 * 1024 ** 3) } },
    level: 'DEGRADED',
    says: [/memory/i],
  },
  {
    is: 'memory pressure',
    spoil: { psi: { breach: ['memory_full'], memory: { some: null, full: { avg10: 2, avg60: 2, avg300: 2 } } } },
    level: 'DEGRADED',
    says: [/memory/],
  },
  { is: 'processor at its limit', spoil: { vitals: { cpu_pct: 100, load1: 3 } }, level: 'HEALTHY', says: [] },
  {
    is: 'a cable unplugged',
    spoil: {
      network: {
        web_ui_urls: [],
        interfaces: [
          { ...(HEALTHY_DATA.network.interfaces[0] as SectionData['network']['interfaces'][number]), carrier: false, addrs: [] },
        ],
      },
    },
    level: 'DEGRADED',
    says: [/network|address|cable/i],
  },
  { is: 'reboot required', spoil: { power: { needs_reboot: true, reasons: ['linux-image'] } }, level: 'HEALTHY', says: [] },
  {
    is: 'an unknown role',
    spoil: { identity: { role: null, config_errors: ['unknown role "foo"'] } },
    level: 'UNKNOWN',
    says: [/unknown role/],
  },
  // Fleet
  { is: 'approval revoked', spoil: pairing({ state: 'revoked' }), level: 'CRITICAL', says: [/revoked/] },
  { is: 'code rejected', spoil: pairing({ state: 'code_rejected' }), level: 'DEGRADED', says: [/code/] },
  {
    is: 'another certificate than pinned',
    spoil: pairing({ state: 'pin_mismatch', pin_mismatch: true }),
    level: 'DEGRADED',
    says: [/certificate|pin/i],
  },
  { is: 'awaiting approval', spoil: pairing({ state: 'awaiting', approved_at: null }), level: 'UNKNOWN', says: [/approv/] },
  {
    is: 'control plane refuses',
    spoil: controlPlane({ tcp_ok: false, tls_ok: null, http_ok: null }),
    level: 'DEGRADED',
    says: [/control plane unreachable/],
  },
  { is: 'join failed', spoil: join('failed', 'token expired'), level: 'DEGRADED', says: [/join.*token expired/] },
  { is: 'joining', spoil: join('joining'), level: 'HEALTHY', says: [] },
  {
    is: 'watchdog gave up',
    spoil: { supervisor: { restart_cap_hit: true, watchdog: { state: 'cap_hit', since: null } } },
    level: 'CRITICAL',
    says: [/supervisor/],
  },
  { is: 'a service unhealthy', spoil: service('unhealthy'), level: 'DEGRADED', says: [/dns-bind9/] },
  { is: 'a service starts', spoil: service('starting'), level: 'HEALTHY', says: [] },
  {
    is: 'a first boot, k3s not started yet',
    spoil: { ...firstBoot(false), k3s: { unit_state: 'activating', readyz: 'unknown' } },
    level: 'UNKNOWN',
    says: [/^first boot: starting k3s/],
  },
  {
    is: 'a first boot, k3s failed',
    spoil: { ...firstBoot(false), k3s: { unit_state: 'failed' } },
    level: 'CRITICAL',
    says: [/k3s failed/],
  },
  { is: 'a first boot that failed', spoil: firstBoot(true), level: 'CRITICAL', says: [/^first boot failed at starting k3s/] },
  // Certificates
  {
    is: 'certificate over',
    spoil: cert('web_ui', -1, 'critical'),
    level: 'CRITICAL',
    says: [/certificate.*expired|expired.*certificate/i],
  },
  { is: 'certificate ends in 10 days', spoil: cert('supervisor', 10, 'warning'), level: 'DEGRADED', says: [/supervisor expires in 10 d/] },
  { is: 'certificate far off', spoil: cert('web_ui', 300, 'ok'), level: 'HEALTHY', says: [] },
  // Pull
  {
    is: 'configuration failed',
    spoil: pull({
      state: 'failed',
      failed: { version: 43, phase: 'validate', outcome: 'reverted', message: 'line 12', attempts: 2, retry_at: null },
    }),
    level: 'DEGRADED',
    says: [/43/],
  },
  { is: 'device revoked', spoil: pull({ identity: 'revoked', code: 'ENR-403' }), level: 'CRITICAL', says: [/revoked/i] },
  { is: 'device cloned', spoil: pull({ identity: 'cloned', code: 'ENR-409' }), level: 'CRITICAL', says: [/clone|copy|another/i] },
  // Freshness
  { is: 'vitals are stale', envelopes: { vitals: { age_ms: 15_000 } }, level: 'UNKNOWN', says: [/CPU and memory/] },
  { is: 'vitals were never read', envelopes: { vitals: NEVER }, level: 'UNKNOWN', says: [/CPU and memory/] },
  {
    is: 'a full disk, and etcd unknown',
    spoil: { disks: { mounts: [disk('/var', 95)] } },
    envelopes: { etcd: NEVER },
    level: 'CRITICAL',
    says: [/disk \/var/, /etcd/],
  },
];

describe('situations', () => {
  it.each(SITUATIONS.map((s) => [s.is, s] as const))('%s', (_is, { spoil = {}, envelopes = {}, level, says }) => {
    const view = healthyView(spoil, envelopes);
    const { verdict } = judge(view, judge(view).memory, 16 * 60_000);
    const texts = verdict.reasons.map((r) => r.text);
    expect({ level: verdict.level, texts }).toEqual({
      level,
      texts: says.length === 0 ? [] : expect.arrayContaining(says.map((s) => expect.stringMatching(s))),
    });
    // The worst one is on the screen at 80x24, whatever else is.
    const state = { ...stateOf(spoil, envelopes), verdict };
    const frame = composeFrame(state, { columns: 80, rows: 24 }).map((l) => textOf(l));
    expect(frame).toHaveLength(24);
    expect(frame.every((l) => [...l].length <= 80)).toBe(true);
    expect(frame.join('\n')).toContain(level);
    // What wraps, or is cut, begins with the same words.
    const words = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, ' ').trim();
    expect(words(frame.join(' '))).toContain(words((texts[0] ?? level).slice(0, 24)));
  });
});
