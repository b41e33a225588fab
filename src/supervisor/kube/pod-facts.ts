/** One pod as the console shows it: state in one word, and how bad it is. Pure. */
import type { Pod } from '#model/status-cluster.ts';
import { HOUR_MS } from './restart-history.ts';
import type { KubeMeta } from './watched.ts';

interface ContainerState {
  readonly waiting?: { readonly reason?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly reason?: string;
    readonly exitCode?: number;
    readonly startedAt?: string;
    readonly finishedAt?: string;
  };
}

interface ContainerStatus {
  readonly name?: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface KubePod {
  readonly metadata?: KubeMeta;
  readonly spec?: {
    readonly nodeName?: string;
    readonly hostNetwork?: boolean;
    readonly containers?: readonly {
      readonly ports?: readonly { readonly containerPort?: number; readonly hostPort?: number; readonly protocol?: string }[];
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly podIP?: string;
    readonly conditions?: readonly {
      readonly type?: string;
      readonly status?: string;
      readonly reason?: string;
      readonly message?: string;
      readonly lastTransitionTime?: string;
    }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

/** Waiting reasons that do not go away by waiting. */
const BAD_REASONS = new Set([
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'ErrImagePull',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerError',
  'CreateContainerConfigError',
  'RunContainerError',
]);
const KINDS: Readonly<Record<string, string>> = {
  ReplicaSet: 'Deploy',
  DaemonSet: 'Daemon',
  StatefulSet: 'Stateful',
  Job: 'Job',
  Cluster: 'CNPG',
};
const PREFIXES = /^spatium-(?:control-spatiumddi|bootstrap)-/;

/** A restart this recent, after at least this many, is flapping. */
const FLAP_RESTARTS = 3;
const FLAP_MS = 300_000;
const FLAP_RESTARTS_1H = 10;
/** Longer than any normal start. */
const PENDING_MS = 300_000;
/** A pod still there this long after it should be gone is stuck. */
const STUCK_MS = 600_000;

export interface PodHistory {
  /** Restarts seen within the last hour; null before anything can be said. */
  readonly restarts1h: number | null;
  /** For how long the pod has been watched, milliseconds. */
  readonly watchedMs?: number;
}

const sum = (list: readonly ContainerStatus[]): number => list.reduce((n, c) => n + (c.restartCount ?? 0), 0);

function waitingOf(list: readonly ContainerStatus[]): string | null {
  const reasons = list.map((c) => c.state?.waiting?.reason ?? null).filter((r): r is string => r !== null);
  return reasons.find((r) => BAD_REASONS.has(r)) ?? reasons[0] ?? null;
}

interface State {
  readonly state: string;
  readonly reason: string | null;
  readonly init: boolean;
  readonly bad: boolean;
}

function stateOf(p: KubePod): State {
  const s = p.status ?? {};
  if (p.metadata?.deletionTimestamp) return { state: 'Terminating', reason: null, init: false, bad: false };
  const initWaiting = waitingOf(s.initContainerStatuses ?? []);
  const initFailed = (s.initContainerStatuses ?? []).find((c) => (c.state?.terminated?.exitCode ?? 0) !== 0)?.state?.terminated;
  const initWord = initWaiting !== 'PodInitializing' ? (initWaiting ?? initFailed?.reason ?? (initFailed ? 'Error' : null)) : null;
  if (initWord !== null) return { state: `Init:${initWord}`, reason: null, init: true, bad: BAD_REASONS.has(initWord) };
  const waiting = waitingOf(s.containerStatuses ?? []);
  if (waiting !== null) return { state: waiting, reason: null, init: false, bad: BAD_REASONS.has(waiting) };
  const scheduled = s.conditions?.find((c) => c.type === 'PodScheduled' && c.status === 'False');
  if (scheduled)
    return { state: 'Pending', reason: `${scheduled.reason ?? 'Unschedulable'}: ${scheduled.message ?? '?'}`, init: false, bad: false };
  const phase = s.phase ?? 'Unknown';
  // Evicted pods are history that the kubelet leaves lying about, not a fault of now.
  return { state: s.reason ?? phase, reason: null, init: false, bad: phase === 'Failed' && s.reason !== 'Evicted' };
}

const latest = (times: readonly (string | undefined)[]): string | null =>
  times
    .filter((t): t is string => typeof t === 'string')
    .sort()
    .at(-1) ?? null;

function lastExit(statuses: readonly ContainerStatus[]): Pod['last_exit'] {
  const ends = statuses.map((c) => c.lastState?.terminated ?? c.state?.terminated).filter((t) => t !== undefined);
  const last = ends.sort((a, b) => (a.finishedAt ?? '').localeCompare(b.finishedAt ?? '')).at(-1);
  return last ? { reason: last.reason ?? null, code: last.exitCode ?? null, at: last.finishedAt ?? null } : null;
}

interface Judged {
  readonly severity: Pod['severity'];
  readonly severity_code: string | null;
}

const verdict = (severity: Pod['severity'], code: string | null): Judged => ({ severity, severity_code: code });

/**
 * Restarts that can be of the last hour. The counter of the API is of a lifetime: it says so only while nobody has watched for
 * an hour, and not when a run that lasted longer lies between.
 */
function recentRestarts(pod: KubePod, lifetime: number, history: PodHistory): number {
  if (history.restarts1h !== null && (history.watchedMs ?? 0) >= HOUR_MS) return history.restarts1h;
  const ranLong = (pod.status?.containerStatuses ?? []).some((c) => {
    const run = c.lastState?.terminated;
    return Date.parse(run?.finishedAt ?? '') - Date.parse(run?.startedAt ?? '') >= HOUR_MS;
  });
  return ranLong ? Math.max(1, history.restarts1h ?? 0) : lifetime;
}

interface JudgeInput {
  readonly pod: KubePod;
  readonly state: State;
  readonly counts: Pick<Pod, 'restarts' | 'ready' | 'total' | 'last_restart_at'>;
  readonly nowMs: number;
  readonly history: PodHistory;
}

function judge({ pod, state, counts, nowMs, history }: JudgeInput): Judged {
  const deleted = pod.metadata?.deletionTimestamp;
  // The time stamp already lies in the future by the grace period.
  if (deleted) return nowMs - Date.parse(deleted) >= STUCK_MS ? verdict('warning', 'stuck') : verdict('ok', null);
  if (state.bad) return verdict('critical', 'state');
  const restartMs = counts.last_restart_at === null ? null : nowMs - Date.parse(counts.last_restart_at);
  const restarts = recentRestarts(pod, counts.restarts, history);
  if (restarts >= FLAP_RESTARTS && restartMs !== null && restartMs < FLAP_MS) return verdict('critical', 'flapping');
  if ((history.restarts1h ?? 0) >= FLAP_RESTARTS_1H) return verdict('critical', 'flapping');
  const phase = pod.status?.phase ?? '';
  const long = nowMs - notReadySince(pod) >= PENDING_MS;
  if (phase === 'Pending') {
    if (!long) return verdict('pending', null);
    return verdict('warning', state.reason === null ? 'pending' : 'unschedulable');
  }
  if (phase === 'Running' && counts.ready < counts.total) return long ? verdict('warning', 'not_ready') : verdict('pending', null);
  return verdict('ok', null);
}

function portsOf(p: KubePod): string[] {
  const ports = (p.spec?.containers ?? []).flatMap((c) => c.ports ?? []);
  return ports.filter((x) => x.hostPort).map((x) => `${x.hostPort}/${(x.protocol ?? 'TCP').toLowerCase()}`);
}

/** Since when the pod has not been ready; else since it was made. */
function notReadySince(p: KubePod): number {
  const ready = p.status?.conditions?.find((c) => c.type === 'Ready' && c.status !== 'True');
  return Date.parse(ready?.lastTransitionTime ?? p.metadata?.creationTimestamp ?? '') || 0;
}

/** Restarts of all containers since the pod was made. */
export const restartsOf = (p: KubePod): number => sum([...(p.status?.containerStatuses ?? []), ...(p.status?.initContainerStatuses ?? [])]);

/** `nowMs` is the wall clock, for ages of what the API dates. */
export function podFacts(p: KubePod, nowMs: number, history: PodHistory): Pod {
  const statuses = p.status?.containerStatuses ?? [];
  const all = [...statuses, ...(p.status?.initContainerStatuses ?? [])];
  const restarted = statuses.filter((c) => (c.restartCount ?? 0) > 0);
  const state = stateOf(p);
  const counts = {
    ready: statuses.filter((c) => c.ready).length,
    total: p.spec?.containers?.length ?? statuses.length,
    restarts: restartsOf(p),
    last_restart_at: latest(restarted.map((c) => c.state?.running?.startedAt ?? c.lastState?.terminated?.finishedAt)),
  };
  const owner = p.metadata?.ownerReferences?.[0]?.kind;
  const name = p.metadata?.name ?? '?';
  const cnpg = p.metadata?.labels?.['cnpg.io/instanceRole'];
  return {
    ns: p.metadata?.namespace ?? 'default',
    name,
    short: name.replace(PREFIXES, ''),
    kind: owner === undefined ? 'Static' : (KINDS[owner] ?? owner),
    node: p.spec?.nodeName ?? null,
    ...counts,
    restarts_1h: history.restarts1h,
    state: state.state,
    state_reason: state.reason,
    last_exit: lastExit(all),
    ip: p.status?.podIP ?? null,
    host_network: p.spec?.hostNetwork ?? false,
    ports: portsOf(p),
    created_at: p.metadata?.creationTimestamp ?? null,
    role_tag: cnpg === 'primary' || cnpg === 'replica' ? cnpg : null,
    init: state.init,
    ...judge({ pod: p, state, counts, nowMs, history }),
  };
}
