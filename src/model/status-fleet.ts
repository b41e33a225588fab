/** Status sections about how this box is managed: updates, configuration planes, pairing (console inventory 7.4). */
import { bool, int, list, map, num, obj, oneOf, opt, text, time } from './shape.ts';

const severity = oneOf('ok', 'warning', 'critical', 'unknown');
const slotName = oneOf('slot_a', 'slot_b');

export const UPGRADE = obj({
  state: oneOf(
    'idle',
    'queued',
    'downloading',
    'verifying',
    'writing',
    'bootloader',
    'arming',
    'syncing',
    'reboot_pending',
    'done',
    'failed',
  ),
  target_slot: opt(slotName),
  target_version: opt(text),
  step_index: opt(int),
  step_count: opt(int),
  pct: opt(num),
  bytes_done: opt(int),
  bytes_total: opt(int),
  detail: opt(text),
  started_at: opt(time),
  updated_at: opt(time),
  error: opt(text),
  recent_failures_1h: int,
  log_ref: opt(text),
});

export const FIREWALL = obj({
  webui: obj({
    status: oneOf('open', 'scoped', 'blocked', 'indeterminate', 'never'),
    detail: opt(text),
    ports: map(text),
    checked_at: opt(time),
    /** Age of the check in seconds by the clock of this boot; null when never checked. */
    age_s: opt(num),
    ttl_s: num,
    consecutive_indeterminate: int,
  }),
  apply: obj({ status: oneOf('ok', 'pending', 'refused', 'failed', 'unknown'), reason: opt(text), hash: opt(text), at: opt(time) }),
  drift: opt(bool),
  ssh_scoped: opt(bool),
  web_scoped: opt(bool),
  lockout_risk: oneOf('none', 'console_only', 'unknown'),
});

export const HOST_CONFIG = obj({
  planes: list(
    obj({
      name: text,
      state: oneOf('idle', 'applied', 'pending', 'retrying', 'failing'),
      attempts: int,
      desired_hash: opt(text),
      applied_hash: opt(text),
      last_error: opt(text),
      since: opt(time),
    }),
  ),
  patches: list(obj({ id: text, ok: bool, detail: opt(text) })),
  last_reconcile_ok: opt(bool),
});

/** A certificate that cannot be read has no end, and severity `unknown`. */
export const CERTS = list(obj({ name: text, not_after: opt(time), days_left: opt(num), severity }));

export const CLUSTER_OPS = obj({
  join: obj({ state: oneOf('none', 'joining', 'ready', 'leaving', 'left', 'failed'), reason: opt(text), since: opt(time) }),
  migration: opt(obj({ state: text, detail: opt(text) })),
});

export const PAIRING = obj({
  applicable: bool,
  state: oneOf(
    'n/a',
    'no_url',
    'unreachable',
    'registering',
    'code_rejected',
    'no_code',
    'awaiting',
    'paired',
    'pin_mismatch',
    'revoked',
    'link_down',
  ),
  code_present: bool,
  /** null: another agent pairs this box, and its files do not tell. */
  attempts: opt(int),
  last_attempt_at: opt(time),
  retry_at: opt(time),
  last_error: opt(obj({ code: text, http_status: opt(int), msg: opt(text) })),
  approved_at: opt(time),
  revocation: opt(obj({ strikes: int, header: opt(text), at: opt(time) })),
  pinned: opt(bool),
  pin_mismatch: opt(bool),
  cert_not_after: opt(time),
});

export const CONTROL_PLANE = obj({
  url: opt(text),
  resolved_addrs: opt(list(text)),
  tcp_ok: opt(bool),
  tls_ok: opt(bool),
  http_ok: opt(bool),
  rtt_ms: opt(num),
  last_heartbeat_at: opt(time),
  last_heartbeat_status: opt(int),
  consecutive_failures: int,
  interval_s: num,
  in_cluster: bool,
});

/** The pull model: who this box is to its panel, and what it was told, runs and could not run. */
export const PULL = obj({
  kind: text,
  panel: text,
  identity: oneOf(
    'no_dmi',
    'denied',
    'no_token',
    'placeholder',
    'not_a_token',
    'damaged_token',
    'enrolling',
    'awaiting_approval',
    'token_refused',
    'used_elsewhere',
    'token_expired',
    'active',
    'cloned',
    'revoked',
    'retired',
  ),
  /** A stable code such as `ENR-409` beside the sentence; null when all is well. */
  code: opt(text),
  message: opt(text),
  device_id: opt(text),
  /** The panel's key as it is pinned, base64url SHA-256. */
  pin: opt(text),
  last_contact_at: opt(time),
  last_status: opt(int),
  consecutive_failures: int,
  next_poll_at: opt(time),
  fetched_version: opt(int),
  applied_version: opt(int),
  applied_at: opt(time),
  state: oneOf('unassigned', 'idle', 'applying', 'applied', 'failed'),
  failed: opt(obj({ version: opt(int), phase: text, outcome: text, message: text, attempts: int, retry_at: opt(time) })),
  update: opt(obj({ running: text, target: opt(text), phase: opt(text), bad: list(text), checked_at: opt(time) })),
});
