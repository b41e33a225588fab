/** Status sections that come from k3s and what runs on it (console inventory 7.4). */
import { bool, int, list, num, obj, oneOf, opt, type Static, text, time } from './shape.ts';

export const K3S = obj({
  installed: bool,
  unit_state: text,
  unit_since: opt(time),
  unit_result: opt(text),
  version: opt(text),
  readyz: oneOf('ok', 'failing', 'timeout', 'unknown'),
  readyz_failed_checks: opt(list(text)),
  role: opt(oneOf('server', 'agent')),
  kubeconfig_present: bool,
  image_import: opt(obj({ done: int, total: opt(int) })),
});

const NODE = obj({
  name: text,
  local: bool,
  ready: oneOf('true', 'false', 'unknown'),
  since: opt(time),
  roles: list(text),
  internal_ips: list(text),
  version: opt(text),
  cordoned: bool,
  conditions: list(text),
  pods_count: opt(int),
  capacity_cpu_cores: opt(num),
  capacity_mem_bytes: opt(num),
  allocatable_cpu_cores: opt(num),
  allocatable_mem_bytes: opt(num),
  usage_cpu_cores: opt(num),
  usage_mem_bytes: opt(num),
  psi_breach: opt(list(text)),
  created_at: opt(time),
});

export const NODES = obj({
  list: list(NODE),
  /** false: the list could not be read in full, so its length says nothing about the cluster. */
  complete: bool,
  expected_count: opt(int),
});

export const ETCD = obj({
  backend: oneOf('etcd', 'sqlite'),
  has_leader: opt(bool),
  is_leader: opt(bool),
  members_total: opt(int),
  members_healthy: opt(int),
  quorum: oneOf('ok', 'at_risk', 'lost', 'not_applicable', 'unknown'),
  db_size_bytes: opt(num),
  db_in_use_bytes: opt(num),
  quota_bytes: num,
  failed_proposals_15m: opt(num),
  leader_changes_1h: opt(num),
  last_snapshot_at: opt(time),
  snapshots_count: opt(int),
  alarms: opt(list(text)),
  restore: obj({ state: oneOf('restoring', 'done', 'failed', 'none'), reason: opt(text), since: opt(time) }),
});

const POD = obj({
  ns: text,
  name: text,
  short: text,
  kind: text,
  node: opt(text),
  ready: int,
  total: int,
  restarts: int,
  restarts_1h: opt(int),
  last_restart_at: opt(time),
  state: text,
  state_reason: opt(text),
  last_exit: opt(obj({ reason: opt(text), code: opt(int), at: opt(time) })),
  ip: opt(text),
  host_network: bool,
  ports: list(text),
  created_at: opt(time),
  role_tag: opt(oneOf('primary', 'replica')),
  severity: oneOf('ok', 'pending', 'warning', 'critical'),
  /** Why: `state`, `flapping`, `unschedulable`, `not_ready`. */
  severity_code: opt(text),
  init: bool,
});

export const PODS = obj({
  list: list(POD),
  counts: obj({ total: int, ready: int, pending: int, failed: int, succeeded: int }),
  complete: bool,
  truncated_count: int,
});

export const USAGE = obj({
  pods: list(obj({ ns: text, name: text, node: opt(text), cpu_cores: opt(num), mem_bytes: opt(num) })),
  node_cpu_pct: opt(num),
  node_mem_pct: opt(num),
  node_fs_pct: opt(num),
  source: opt(oneOf('kubelet_direct', 'kubelet_proxy', 'metrics')),
  max_cpu_cores: opt(num),
  max_mem_bytes: opt(num),
});

export const POSTGRES = obj({
  present: bool,
  role: opt(oneOf('primary', 'replica')),
  primary_pod: opt(text),
  replicas_streaming: opt(int),
  replica_lag_s: opt(num),
  backends_active: opt(int),
  backends_idle: opt(int),
  backends_waiting: opt(int),
  max_connections: opt(int),
  size_bytes: opt(num),
  wal_bytes: opt(num),
});

export const API = obj({
  present: bool,
  requests_per_s: opt(num),
  active: opt(num),
  total: opt(num),
  metrics_status: oneOf('ok', 'unauthorized', 'unreachable'),
  ready: oneOf('ok', 'degraded', 'unreachable', 'unknown'),
  ready_http_status: opt(int),
});

export const PLATFORM = obj({
  checks: list(obj({ name: text, state: oneOf('ok', 'failing', 'unknown'), detail: opt(text) })),
});

export const LOADBALANCER = obj({
  metallb_present: bool,
  speakers_ready: opt(int),
  speakers_total: opt(int),
  vip_assigned: bool,
  vip_reachable: opt(bool),
});

export const EVENTS = obj({
  recent: list(obj({ at: opt(time), type: text, reason: text, object: text, ns: opt(text), count: opt(int), text })),
  complete: bool,
});

export type Pod = Static<typeof POD>;
export type ClusterNode = Static<typeof NODE>;
export type PodsData = Static<typeof PODS>;
