/** k3s, nodes, etcd, pods and the product as another supervisor may send them, and verdicts that it made itself; 2.6 and 7.4. */
import { ago, DATA, disk, env, node, pod } from '../../../support/foreign-status.ts';
import { type Case, testCases } from './support.ts';

const k3s = (more: object) => ({ k3s: { ...DATA.k3s, ...more } });
const ETCD = {
  backend: 'etcd',
  has_leader: true,
  quorum: 'ok',
  members_total: 3,
  members_healthy: 3,
  quota_bytes: 2 ** 31,
  restore: { state: 'none' },
};
const etcd = (more: object) => ({ etcd: { ...ETCD, ...more } });
const nodes = (count: number, odd: object = {}) =>
  Array.from({ length: count }, (_, i) => node(`node-${i}`, { local: i === 0, ...(i === count - 1 ? odd : {}) }));
const many = (count: number, odd: object = {}, more: object = {}) => ({
  nodes: { list: nodes(count, odd), complete: true, ...more },
  ...etcd({}),
});
const counts = (total: number) => ({ total, ready: total, pending: 0, failed: 0, succeeded: 0 });
const pods = (list: readonly object[], more: object = {}) => ({
  pods: { list, counts: counts(list.length), complete: true, truncated_count: 0, ...more },
});
const fill = (n: number) => Array.from({ length: n }, (_, i) => pod(`p-${i}`));
const loop = { restarts: 9, ready: 0, severity: 'critical', state: 'CrashLoopBackOff', last_exit: { reason: 'OOMKilled', code: 137 } };

const K3S: readonly Case[] = [
  { is: 'unit failed', changed: k3s({ unit_state: 'failed', readyz: 'unknown' }), level: 'CRITICAL', first: /k3s failed/ },
  { is: 'unit starts', changed: k3s({ unit_state: 'activating', readyz: 'unknown' }), level: 'DEGRADED', first: /k3s/ },
  {
    is: 'ready checks fail',
    changed: k3s({ readyz: 'failing', readyz_failed_checks: ['etcd'] }),
    level: 'DEGRADED',
    first: /k3s not ready/,
  },
  { is: 'readiness not known', changed: k3s({ readyz: 'unknown' }), level: 'UNKNOWN|DEGRADED' },
  { is: 'a unit state of a later systemd', changed: k3s({ unit_state: 'hovering' }), level: 'HEALTHY|UNKNOWN|DEGRADED' },
  {
    is: 'no k3s on an appliance: its sections do not apply',
    changed: {
      identity: { ...DATA.identity, role: 'appliance' },
      k3s: null,
      nodes: null,
      pods: null,
      etcd: null,
      usage: null,
      events: null,
      pairing: { applicable: true, state: 'paired', code_present: false, attempts: 1 },
    },
    level: 'HEALTHY|UNKNOWN',
    hides: [/pods unknown|k3s failed/],
  },
];

const NODES: readonly Case[] = [
  { is: 'a hundred nodes', changed: many(100), level: 'HEALTHY', shows: [/100/] },
  {
    is: 'the last of a hundred is not ready',
    changed: many(100, { ready: 'false', since: ago(600) }),
    level: 'DEGRADED',
    first: /node-99/,
  },
  { is: 'not ready, as a truth value', changed: many(3, { ready: false, since: ago(600) }), level: 'DEGRADED', first: /node-2/ },
  { is: 'ready is not known', changed: many(3, { ready: 'unknown', since: ago(600) }), level: 'DEGRADED|UNKNOWN', first: /node-2/ },
  { is: 'cordoned', changed: many(3, { cordoned: true }), level: 'HEALTHY|DEGRADED' },
  { is: 'a list that failed', changed: { nodes: { list: [], complete: false } }, level: 'UNKNOWN', first: /nodes/, hides: [/0\/0/] },
  { is: 'one of three expected', changed: { ...many(1, {}, { expected_count: 3 }) }, level: 'DEGRADED|CRITICAL|UNKNOWN' },
  {
    is: 'a node name that writes to the terminal',
    changed: many(2, { name: 'n\u001b[31m\u202e\u0000x', ready: 'false', since: ago(600) }),
    level: 'CRITICAL|DEGRADED',
  },
  {
    is: 'capacities of null',
    changed: many(2, { pods_count: null, capacity_cpu_cores: null, capacity_mem_bytes: null }),
    level: 'HEALTHY|UNKNOWN',
  },
];

const ETCDS: readonly Case[] = [
  {
    is: 'restoring comes before everything',
    changed: { ...etcd({ restore: { state: 'restoring', since: ago(9) } }), ...k3s({ unit_state: 'failed' }), ...pods([pod('a', loop)]) },
    level: 'CRITICAL',
    first: /etcd restore in progress/,
  },
  {
    is: 'restore failed',
    changed: etcd({ restore: { state: 'failed', reason: 'no space', since: ago(60) } }),
    level: 'CRITICAL|DEGRADED',
    first: /restore/,
  },
  { is: 'restore done', changed: etcd({ restore: { state: 'done', since: ago(60) } }), level: 'HEALTHY' },
  { is: 'one member away', changed: { ...many(3), ...etcd({ quorum: 'at_risk', members_healthy: 2 }) }, level: 'DEGRADED', first: /etcd/ },
  {
    is: 'quorum lost',
    changed: { ...many(3), ...etcd({ quorum: 'lost', has_leader: false }) },
    level: 'CRITICAL',
    first: /etcd quorum lost/,
  },
  { is: 'writes fail', changed: etcd({ failed_proposals_15m: 5 }), level: 'DEGRADED', first: /etcd write failures/ },
  { is: 'an alarm', changed: etcd({ alarms: ['NOSPACE'] }), level: 'CRITICAL|DEGRADED', first: /NOSPACE|space/i },
  { is: 'leader not known', changed: { ...many(3), ...etcd({ has_leader: null, quorum: 'unknown' }) }, level: 'UNKNOWN|HEALTHY' },
];

const PODS: readonly Case[] = [
  {
    is: 'five hundred of 750, where no line is left for one',
    changed: { disks: [disk('/', 95), disk('/var', 95)], ...pods(fill(500), { truncated_count: 250, counts: counts(750) }) },
    level: 'CRITICAL',
    at: [40, 10],
    shows: [/\+750 more/],
  },
  {
    is: 'a crash loop is told in the title',
    changed: pods([...fill(3), pod('web', loop)]),
    level: 'CRITICAL',
    shows: [/Pods .*1 failing/],
  },

  { is: 'no pods', changed: pods([]), level: 'HEALTHY|UNKNOWN', shows: [/Pods 0|no pods/] },
  {
    is: 'the last of five hundred, and 250 cut',
    changed: pods([...fill(499), pod('zz-last', loop)], { truncated_count: 250, counts: { ...counts(750), ready: 749 } }),
    level: 'CRITICAL',
    first: /zz-last CrashLoopBackOff/,
    shows: [/749\/750/, /zz-last +0\/1/, /OOMK/],
  },
  { is: 'restarts beyond counting', changed: pods([pod('a', { restarts: 2 ** 53, restarts_1h: 0 })]), level: 'HEALTHY|DEGRADED|CRITICAL' },
  { is: 'created tomorrow', changed: pods([pod('a', { created_at: ago(-86_400) })]), level: 'HEALTHY', hides: [/-\d+[smhd]/] },
  { is: 'done is done', changed: pods([pod('job-1', { kind: 'Job', state: 'Succeeded', ready: 0 }), pod('web')]), level: 'HEALTHY' },
  { is: 'evicted is history', changed: pods([pod('old', { state: 'Evicted', ready: 0, severity: 'ok' }), pod('web')]), level: 'HEALTHY' },
  {
    is: 'fits nowhere',
    changed: pods([
      pod('web', {
        state: 'Pending',
        ready: 0,
        state_reason: 'Unschedulable: Insufficient cpu',
        severity: 'warning',
        created_at: ago(900),
      }),
    ]),
    level: 'DEGRADED',
    first: /web.*Insufficient cpu/,
  },
  {
    is: 'a kind and a severity of a later version',
    changed: pods([pod('web', { kind: 'Robot', severity: 'mauve', state: 'Dreaming' })]),
    level: 'HEALTHY|UNKNOWN',
    shows: [/Dreaming/],
  },
  {
    is: 'names of wide and joined letters',
    changed: pods([pod('\u6f22\u5b57'.repeat(40), loop), pod('e\u0301\u200d\u{1f468}\u200d\u{1f469}'.repeat(30))]),
    level: 'CRITICAL',
  },
  {
    is: 'a state that writes to the terminal',
    changed: pods([pod('web', { state: '\u001b[2J\u009b31mBad\u0007', ready: 0, severity: 'critical' })]),
    level: 'CRITICAL',
    first: /^web .*Bad/,
  },
  { is: 'counts of null', changed: pods(fill(3), { counts: null }), level: 'HEALTHY|UNKNOWN', hides: [/0\/0/] },
  {
    is: 'fields of null',
    changed: pods([pod('web', { restarts: null, ready: null, total: null, created_at: null, kind: null })]),
    level: 'HEALTHY|UNKNOWN',
    hides: [/0\/0/],
  },
];

const PRODUCT: readonly Case[] = [
  {
    is: 'database or redis down',
    changed: { api: { present: true, metrics_status: 'ok', ready: 'degraded', ready_http_status: 503 } },
    level: 'DEGRADED',
    first: /api/,
  },
  {
    is: 'a check fails',
    changed: { platform: { checks: [{ name: 'redis', state: 'failing', detail: 'refused' }] } },
    level: 'DEGRADED|CRITICAL',
    first: /redis/,
  },
  { is: 'a check is not known', changed: { platform: { checks: [{ name: 'redis', state: 'unknown' }] } }, level: 'HEALTHY|UNKNOWN' },
  { is: 'numbers not allowed', changed: { api: { present: true, metrics_status: 'unauthorized', ready: 'ok' } }, level: 'HEALTHY' },
  {
    is: 'a join failed',
    changed: { cluster_ops: { join: { state: 'failed', reason: 'token', since: ago(60) } } },
    level: 'CRITICAL|DEGRADED',
    first: /join/,
  },
  { is: 'joining', changed: { cluster_ops: { join: { state: 'joining', since: ago(60) } } }, level: 'HEALTHY|DEGRADED' },
  {
    is: 'no speaker at all',
    changed: { loadbalancer: { metallb_present: true, speakers_ready: 0, speakers_total: 2, vip_assigned: true } },
    level: 'DEGRADED|CRITICAL',
    first: /metallb/,
  },
];

const reason = (level: string, text: string, since: string | null, more: object = {}) => ({
  code: `x.${text}`,
  level,
  subject: null,
  text,
  since,
  section: 'disks',
  ...more,
});
const verdict = (level: string, ...reasons: object[]) => ({ verdict: env({ level, reasons, unknown_sections: [], computed_at: ago(1) }) });
const JUDGED: readonly Case[] = [
  {
    is: 'reasons in no order: the worst first',
    changed: verdict(
      'CRITICAL',
      reason('DEGRADED', 'small', ago(900)),
      reason('UNKNOWN', 'dark', ago(9)),
      reason('CRITICAL', 'great', ago(5)),
    ),
    level: 'CRITICAL',
    first: /great/,
    shows: [/great/],
  },
  { is: 'a level below its reasons', changed: verdict('HEALTHY', reason('CRITICAL', 'great', ago(5))), level: 'CRITICAL', first: /great/ },
  { is: 'a level of a later version', changed: verdict('APOCALYPSE', reason('CRITICAL', 'great', ago(5))), level: 'CRITICAL|UNKNOWN' },
  { is: 'since never', changed: verdict('DEGRADED', reason('DEGRADED', 'small', null)), level: 'DEGRADED', shows: [/small/] },
  {
    is: 'since tomorrow',
    changed: verdict('DEGRADED', reason('DEGRADED', 'small', ago(-86_400))),
    level: 'DEGRADED',
    hides: [/-\d+[smhd]/],
  },
  {
    is: 'two hundred reasons',
    changed: verdict('CRITICAL', ...Array.from({ length: 200 }, (_, i) => reason('CRITICAL', `r${i} ${'long '.repeat(40)}`, ago(i)))),
    level: 'CRITICAL',
    shows: [/200|\+19\d/],
  },
  {
    is: 'a text that writes to the terminal',
    changed: verdict('DEGRADED', reason('DEGRADED', 'a\u001b[2J\nb\u202ec', ago(5))),
    level: 'DEGRADED',
  },
];

testCases([...K3S, ...NODES, ...ETCDS, ...PODS, ...PRODUCT, ...JUDGED]);
