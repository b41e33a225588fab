/** Verdict rules about k3s, what runs on it, and the control plane this box belongs to. */
import { type Candidate, FLAP_MS, type Rule, type RuleInput } from './verdict-rule.ts';

const MINUTE_MS = 60_000;
/** The store compacts, an apiserver restarts: two answers that fail are no news. */
const READY_MS = 10_000;
const CHANGES_AN_HOUR = 5;
/** etcd takes no more writes once its file has the size of its quota. */
const SPACE_SHARE = 0.8;
const NO_SPACE_SHARE = 0.95;

function k3s({ view }: RuleInput): Candidate[] {
  const k = view.k3s?.data;
  if (!k?.installed || view.k3s?.freshness === 'not_applicable') return [];
  const base = { subject: null, section: 'k3s', hint: 'F7', since: k.unit_since ?? undefined } as const;
  if (k.unit_state === 'failed') return [{ ...base, code: 'k3s.failed', level: 'CRITICAL', text: 'k3s failed' }];
  // At a first boot k3s starts late and long; the step that is told instead says more.
  const first = view.meta?.data?.first_boot;
  if (first && !first.failed && ['activating', 'inactive'].includes(k.unit_state)) return [];
  if (k.unit_state !== 'active') return [{ ...base, code: 'k3s.not_ready', level: 'DEGRADED', text: `k3s ${k.unit_state}` }];
  if (k.role === 'agent' || k.readyz === 'ok') return [];
  if (k.readyz === 'unknown') return [{ ...base, code: 'k3s.unknown', level: 'UNKNOWN', text: 'k3s runs, readiness not known' }];
  const failed = k.readyz_failed_checks?.length ? `: ${k.readyz_failed_checks.join(', ')}` : '';
  const how = k.readyz === 'timeout' ? ' - the API does not answer' : failed;
  return [{ ...base, code: 'k3s.not_ready', level: 'DEGRADED', text: `k3s not ready${how}`, holdMs: READY_MS, clearMs: READY_MS }];
}

/** Etcd's own word where it is known; else the majority of nodes, of those that should be there. */
function quorum({ view }: RuleInput): Candidate[] {
  const e = view.etcd?.data;
  const n = view.nodes?.data;
  const lost = (text: string, section: string): Candidate[] => [
    { code: 'etcd.quorum_lost', level: 'CRITICAL', subject: null, text, section, hint: 'F7' },
  ];
  const count = Math.max(n?.expected_count ?? 0, n?.list.length ?? 0, e?.members_total ?? 0);
  if (e && count > 1) {
    if (e.quorum === 'lost' || e.has_leader === false) return lost('etcd quorum lost', 'etcd');
    if (e.quorum === 'at_risk')
      return [
        {
          code: 'etcd.at_risk',
          level: 'DEGRADED',
          subject: null,
          text: 'etcd quorum at risk',
          section: 'etcd',
          hint: 'F7',
          holdMs: MINUTE_MS,
        },
      ];
    if (e.quorum === 'ok' || e.has_leader === true) return [];
  }
  // One member elects itself, so that it has none for long means that its store does not work.
  if (e?.has_leader === false)
    return [
      {
        code: 'etcd.quorum_lost',
        level: 'CRITICAL',
        subject: null,
        text: 'etcd has no leader',
        section: 'etcd',
        hint: 'F7',
        holdMs: READY_MS,
      },
    ];
  const ready = n?.list.filter((x) => x.ready === 'true').length ?? 0;
  if (n?.complete && count > 1 && ready * 2 <= count) return lost(`quorum lost (${ready} of ${count} nodes ready)`, 'nodes');
  return [];
}

function etcd({ view }: RuleInput): Candidate[] {
  const e = view.etcd?.data;
  if (!e) return [];
  const plain = { subject: null, section: 'etcd', hint: 'F7' } as const;
  const base = { ...plain, since: e.restore.since ?? undefined } as const;
  const out: Candidate[] = [];
  if (e.restore.state === 'restoring') out.push({ ...base, code: 'etcd.restoring', level: 'CRITICAL', text: 'etcd restore in progress' });
  if (e.restore.state === 'failed')
    out.push({
      ...base,
      code: 'etcd.restore_failed',
      level: 'DEGRADED',
      text: `etcd restore failed${e.restore.reason ? `: ${e.restore.reason}` : ''}`,
    });
  // Its alarms, NOSPACE and CORRUPT, both end all writes.
  for (const a of e.alarms ?? []) out.push({ ...plain, code: 'etcd.alarm', level: 'CRITICAL', subject: a, text: `etcd alarm ${a}` });
  if (e.failed_proposals_15m !== null && e.failed_proposals_15m > 0)
    out.push({
      ...plain,
      code: 'etcd.write_failures',
      level: 'DEGRADED',
      text: `etcd write failures (${e.failed_proposals_15m} in 15 min)`,
    });
  if (e.leader_changes_1h !== null && e.leader_changes_1h >= CHANGES_AN_HOUR)
    out.push({
      ...plain,
      code: 'etcd.unstable',
      level: 'DEGRADED',
      text: `etcd changed its leader ${e.leader_changes_1h} times in an hour`,
    });
  const share = e.db_size_bytes === null || e.quota_bytes <= 0 ? 0 : e.db_size_bytes / e.quota_bytes;
  if (share >= SPACE_SHARE)
    out.push({
      ...plain,
      code: 'etcd.space',
      level: share >= NO_SPACE_SHARE ? 'CRITICAL' : 'DEGRADED',
      text: `etcd has used ${Math.floor(100 * share)}% of its quota`,
    });
  return out;
}

function pods({ view }: RuleInput): Candidate[] {
  return (view.pods?.data?.list ?? []).flatMap((p): Candidate[] => {
    const base = { subject: `${p.ns}/${p.name}`, section: 'pods', hint: 'F3', since: p.last_restart_at ?? undefined } as const;
    const state = p.state_reason ?? p.state;
    if (p.severity === 'critical')
      return p.severity_code === 'flapping'
        ? [{ ...base, code: 'pod.flapping', level: 'CRITICAL', text: `${p.short} flapping` }]
        : [{ ...base, code: 'pod.state', level: 'CRITICAL', text: `${p.short} ${p.state}`, clearMs: FLAP_MS }];
    if (p.severity !== 'warning') return [];
    const code = p.severity_code === 'unschedulable' ? 'pod.unschedulable' : 'pod.warning';
    return [{ ...base, code, level: 'DEGRADED', text: `${p.short} ${state}` }];
  });
}

function nodes({ view }: RuleInput): Candidate[] {
  const n = view.nodes?.data;
  // A node that is lost is what the others are for; without any nothing is scheduled and nobody evicted.
  const isNoneReady = n?.complete === true && n.list.every((x) => x.ready !== 'true');
  const missing = n?.complete ? (n.expected_count ?? 0) - n.list.length : 0;
  const gone = { code: 'node.missing', level: 'DEGRADED', subject: null, section: 'nodes', hint: 'F7', holdMs: MINUTE_MS } as const;
  const absent: Candidate[] = missing > 0 ? [{ ...gone, text: `${missing} of ${n?.expected_count} nodes missing` }] : [];
  const found = (n?.list ?? []).flatMap((node): Candidate[] => {
    const base = { subject: node.name, section: 'nodes', hint: 'F7', since: node.since ?? undefined } as const;
    if (node.ready !== 'true')
      return [
        {
          ...base,
          code: 'node.not_ready',
          level: isNoneReady ? 'CRITICAL' : 'DEGRADED',
          text: `node ${node.name} not ready`,
          clearMs: FLAP_MS,
        },
      ];
    const out: Candidate[] = [];
    if (node.conditions.length > 0)
      out.push({ ...base, code: 'node.pressure', level: 'DEGRADED', text: `node ${node.name} ${node.conditions.join(', ')}` });
    if (node.cordoned)
      out.push({
        ...base,
        code: 'node.cordoned',
        level: 'DEGRADED',
        text: `node ${node.name} cordoned - takes no new pods`,
        since: undefined,
      });
    return out;
  });
  return [...absent, ...found];
}

const PAIRING_TEXT: Readonly<Record<string, readonly [Candidate['level'], string, string]>> = {
  revoked: ['CRITICAL', 'pairing.revoked', 'approval revoked - pair again'],
  pin_mismatch: ['DEGRADED', 'pairing.failed', 'control plane certificate changed'],
  code_rejected: ['DEGRADED', 'pairing.failed', 'pairing code rejected'],
  no_code: ['DEGRADED', 'pairing.failed', 'not paired - no pairing code left'],
  no_url: ['DEGRADED', 'pairing.waiting', 'not paired - no control plane set'],
  // A box on its way into a fleet is no fault, and nobody can say yet that it is well.
  unreachable: ['UNKNOWN', 'pairing.waiting', 'not paired yet: control plane unreachable'],
  registering: ['UNKNOWN', 'pairing.waiting', 'not paired yet'],
  awaiting: ['UNKNOWN', 'pairing.waiting', 'registered, waiting for approval'],
  link_down: ['DEGRADED', 'control_plane.unreachable', 'no contact with the control plane'],
};

function controlPlane({ view }: RuleInput): Candidate[] {
  const pairing = view.pairing?.data;
  const cp = view.control_plane?.data;
  const out: Candidate[] = [];
  const isDown = cp?.tcp_ok === false;
  const pairingState = pairing?.state === 'registering' && isDown ? 'unreachable' : pairing?.state;
  const state = pairing?.applicable && pairingState ? PAIRING_TEXT[pairingState] : undefined;
  // Pairing again is in the menu; where there is only to wait, the attempts are on the page of F7.
  if (state)
    out.push({
      level: state[0],
      code: state[1],
      subject: null,
      text: state[2],
      section: 'pairing',
      hint: state[0] === 'UNKNOWN' ? 'F7' : 'F10',
    });
  if (isDown && pairingState !== 'unreachable' && pairingState !== 'link_down')
    out.push({
      code: 'control_plane.unreachable',
      level: 'DEGRADED',
      subject: null,
      text: 'control plane unreachable',
      section: 'control_plane',
      hint: 'F4',
      clearMs: FLAP_MS,
    });
  return out;
}

function clusterOps({ view }: RuleInput): Candidate[] {
  const j = view.cluster_ops?.data?.join;
  if (j?.state !== 'failed') return [];
  const text = `cluster join failed${j.reason ? `: ${j.reason}` : ''}`;
  return [{ code: 'cluster.join_failed', level: 'DEGRADED', subject: null, text, section: 'cluster_ops', hint: 'F7' }];
}

export const CLUSTER_RULES: readonly Rule[] = [k3s, quorum, etcd, pods, nodes, controlPlane, clusterOps];
