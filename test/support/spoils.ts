/** What may be wrong with a box, as sections for `healthyView` and `stateOf`. */
import type { SectionData } from '#model/status.ts';
import type { View } from '#status/freshness.ts';
import { judgeArray, judgeMultipath } from '#status/local/storage.ts';
import { EMPTY_MEMORY, judgeStatus, type VerdictMemory } from '#status/verdict.ts';
import type { Spoil } from './status-fixtures.ts';

export const NOW = '2026-11-30T15:55:53Z';

/** The verdict at NOW, with what was remembered before it. */
export const judge = (view: View, memory: VerdictMemory = EMPTY_MEMORY, nowMs = 0) => judgeStatus({ view, now: NOW, nowMs, memory });

/** A mirror of two, in order. */
export const md = (over: Partial<Parameters<typeof judgeArray>[0]> = {}) =>
  judgeArray({
    name: 'md0',
    friendly: null,
    level: 'raid1',
    arrayState: 'clean',
    raidDisks: 2,
    members: inSync(2),
    syncAction: 'idle',
    syncCompleted: 'none',
    sizeBytes: null,
    syncSpeed: null,
    ...over,
  });

/** That many members, all in order. */
export const inSync = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ device: `sd${'abcdefgh'[i]}4`, state: 'in_sync', slot: String(i) }));

export const arrays = (...list: ReturnType<typeof md>[]): Spoil => ({
  storage: { md_supported: true, arrays: list, multipath: [], second_esp: null },
});

export const maps = (paths: Parameters<typeof judgeMultipath>[3]): Spoil => ({
  storage: { md_supported: false, arrays: [], multipath: [judgeMultipath('mpatha', 'dm-0', 'mpath-3600', paths)], second_esp: null },
});

/** What the firewall check said of port 443, `ageS` seconds ago. */
export const webui = (status: string, ageS: number, indeterminate = 0): Spoil => ({
  firewall: {
    webui: {
      status: status as 'blocked',
      detail: 'chain input drops',
      ports: { '443': 'blocked' },
      checked_at: null,
      age_s: ageS,
      ttl_s: 900,
      consecutive_indeterminate: indeterminate,
    },
    apply: { status: 'ok', reason: null, hash: null, at: null },
    drift: null,
    ssh_scoped: null,
    web_scoped: null,
    lockout_risk: 'none',
  },
});

export const mtu = (over: Partial<NonNullable<SectionData['network']['mtu']>>): Spoil => ({
  network: {
    mtu: { interface: 'eth0', applied: null, requested: null, status: 'default', reason: null, boot_id_matches: true, ...over },
  },
});

export const plane = (state: 'failing' | 'retrying' | 'applied'): Spoil => ({
  host_config: {
    planes: [{ name: 'ntp', state, attempts: 3, desired_hash: null, applied_hash: null, last_error: null, since: null }],
    patches: [],
    last_reconcile_ok: true,
  },
});

export const API_DOWN: Spoil = {
  api: {
    present: true,
    requests_per_s: null,
    active: null,
    total: null,
    metrics_status: 'unreachable',
    ready: 'unreachable',
    ready_http_status: null,
  },
};

export const PAIRED: SectionData['pairing'] = {
  applicable: true,
  state: 'paired',
  code_present: false,
  attempts: 0,
  last_attempt_at: null,
  retry_at: null,
  last_error: null,
  approved_at: null,
  revocation: null,
  pinned: true,
  pin_mismatch: false,
  cert_not_after: null,
};

/** A control plane that answers. */
export const CONTROL_PLANE: SectionData['control_plane'] = {
  url: 'https://cp',
  resolved_addrs: ['192.0.2.1'],
  tcp_ok: true,
  tls_ok: true,
  http_ok: true,
  rtt_ms: 3,
  last_heartbeat_at: null,
  last_heartbeat_status: 200,
  consecutive_failures: 0,
  interval_s: 30,
  in_cluster: false,
};

/** No upgrade runs, and none has failed. */
export const NO_UPGRADE: SectionData['upgrade'] = {
  state: 'idle',
  target_slot: null,
  target_version: null,
  step_index: null,
  step_count: null,
  pct: null,
  bytes_done: null,
  bytes_total: null,
  detail: null,
  started_at: null,
  updated_at: null,
  error: null,
  recent_failures_1h: 0,
  log_ref: null,
};
