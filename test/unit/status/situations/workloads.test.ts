/** What runs in the cluster, and the cluster itself. */
import type { SectionData } from '#model/status.ts';
import { API_DOWN } from '../../../support/spoils.ts';
import { node, pod, type Spoil } from '../../../support/status-fixtures.ts';
import { GONE, NEVER, testSituations } from './support.ts';

const FAR_MS = 10 * 60_000;
const NOT_HERE = { state: 'not_applicable', data: null } as const;

const nodes = (...list: SectionData['nodes']['list']): Spoil => ({ nodes: { list, complete: true, expected_count: list.length } });
const down = (name: string) => node(name, { ready: 'false' });
const bad = (name: string, state: string, code = 'state') => pod(name, { ready: 0, state, severity: 'critical', severity_code: code });
const pods = (...list: SectionData['pods']['list']): Spoil => ({ pods: { list } });
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
const restore = (state: SectionData['etcd']['restore']['state'], reason: string | null = null): Spoil => ({
  etcd: { restore: { state, reason, since: null } },
});

testSituations([
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
]);
