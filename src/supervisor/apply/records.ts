/** The small files beside the configurations: what is being tried, what failed. See docs/decisions/0012-pull-and-apply.md. */
import { bool, int, obj, oneOf, opt, type Static, text } from '#model/shape.ts';

const PHASES = ['schema', 'version', 'render', 'validate', 'reload', 'health', 'crash_loop'] as const;

/** Exists only between "about to swap" and the verdict. */
export const ATTEMPT = obj({
  sha256: text,
  version: int,
  /** How often this one has been tried without a verdict. */
  n: int,
  /** How many of those tries ended with the agent alone, while the daemon lived on; null in the record of an older agent: none. */
  agent_deaths: opt(int),
  /** Boot of this try, and the daemon just before it: who finds the mark can tell who died. */
  boot_id: opt(text),
  daemon: opt(obj({ is_active: bool, main_pid: opt(int), restarts: opt(int) })),
  /** Verdicts against it when this try began: one more since then is the verdict of this try. */
  failures: int,
});
export type Attempt = Static<typeof ATTEMPT>;

/** A stored configuration that was tried and did not pass. */
const FAILED = obj({
  sha256: text,
  version: int,
  phase: oneOf(...PHASES),
  outcome: oneOf('reverted', 'revert_failed', 'no_previous', 'not_started'),
  message: text,
  failures: int,
  /** Null: not again by itself. */
  retry_at: opt(text),
  agent_version: text,
  daemon_version: opt(text),
});
export type FailedConfig = Static<typeof FAILED>;

/** A body that was never stored. Its tag is sent from then on, so that the panel answers 304 instead of sending it again. */
const REFUSED = obj({
  etag: opt(text),
  sha256: text,
  version: opt(int),
  phase: oneOf(...PHASES),
  message: text,
  agent_version: text,
  device_id: text,
});
export type RefusedBody = Static<typeof REFUSED>;

export const QUARANTINE = obj({ failed: opt(FAILED), refused: opt(REFUSED) });
export type Quarantine = Static<typeof QUARANTINE>;

export const NO_QUARANTINE: Quarantine = { failed: null, refused: null };

/** How a configuration's folder is called, and what its files call themselves. */
export const markOf = (sha256: string): string => sha256.slice(0, 8);
