/** When may a configuration that failed be tried again? Pure. See docs/decisions/0012-pull-and-apply.md. */
import type { ApplyPhase } from '#model/pull.ts';
import type { FailedConfig } from './records.ts';

const LADDER_MS = [60_000, 300_000, 900_000, 3_600_000] as const;
/** One try and one more after a crash; a third would be a loop. */
export const MAX_TRIES = 2;
const MAX_MESSAGE = 2000;

const stepMs = (failures: number): number => LADDER_MS[Math.min(LADDER_MS.length, Math.max(1, failures)) - 1] ?? LADDER_MS[3];

export interface Versions {
  readonly agent: string;
  /** Null when the daemon does not say. */
  readonly daemon: string | null;
}

/** Cut to what the panel takes, on one line, without control characters and without the given secrets. */
export function reportable(message: string, secrets: readonly string[]): string {
  const open = secrets.filter((s) => s.length >= 4).reduce((text, secret) => text.replaceAll(secret, '***'), message);
  return open
    .replace(/-----BEGIN[\s\S]*?(-----END[^-]*-----|$)/g, '***')
    .replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g, ' ')
    .trim()
    .slice(0, MAX_MESSAGE);
}

export interface Verdict {
  readonly sha256: string;
  readonly version: number;
  readonly phase: ApplyPhase;
  readonly outcome: FailedConfig['outcome'];
  /** Already `reportable`. */
  readonly message: string;
  /** A crash loop that took only the agent down: that passes, so it is tried again as any other failure is. */
  readonly isAgentsOwn?: boolean;
}

/** The record of a verdict. `before` counts on when it speaks of the same content. What brought the box down is not tried again. */
export function failedWith(
  { isAgentsOwn = false, ...verdict }: Verdict,
  before: FailedConfig | null,
  versions: Versions,
  wallMs: number,
): FailedConfig {
  const failures = (before?.sha256 === verdict.sha256 ? before.failures : 0) + 1;
  return {
    ...verdict,
    failures,
    retry_at: verdict.phase === 'crash_loop' && !isAgentsOwn ? null : new Date(wallMs + stepMs(failures)).toISOString(),
    agent_version: versions.agent,
    daemon_version: versions.daemon,
  };
}

/**
 * Milliseconds until the next try, 0 when due, null for never. Another agent or daemon may take it, so it is due at once.
 * A time more than one step ahead was written by a clock that has been set since.
 */
export function dueInMs(failed: FailedConfig, versions: Versions, wallMs: number): number | null {
  const isOtherDaemon = versions.daemon !== null && failed.daemon_version !== null && versions.daemon !== failed.daemon_version;
  if (failed.agent_version !== versions.agent || isOtherDaemon) return 0;
  if (failed.retry_at === null) return null;
  const waitMs = Date.parse(failed.retry_at) - wallMs;
  return Number.isNaN(waitMs) || waitMs > stepMs(failed.failures) ? 0 : Math.max(0, waitMs);
}
