/**
 * Before the daemon starts, without network and without panel: what should `current` point at? The decision is pure.
 * See docs/decisions/0012-pull-and-apply.md.
 */
import type { DaemonState, Kind } from '../kinds/kind.ts';
import { changeOf } from './health.ts';
import { failedWith, MAX_TRIES, type Versions } from './quarantine.ts';
import { type Attempt, type FailedConfig, markOf } from './records.ts';
import type { ConfigStore } from './store.ts';

/** The boot that is under way, and its daemon as it is now. */
export interface Present {
  readonly bootId: string;
  readonly daemon: DaemonState;
}

export interface RecoveryFacts {
  /** Null before the daemon was started: then nobody has lived on. */
  readonly present: Present | null;
  readonly attempt: Attempt | null;
  readonly appliedSha256: string | null;
  readonly failed: FailedConfig | null;
  readonly current: string | null;
  /** Where `current` belongs when nothing is being tried. */
  readonly home: string;
}

export interface RecoveryPlan {
  /** It was tried too often without a verdict. Written first. */
  readonly crashLoop: Attempt | null;
  /** The mark as it is to be from now on, null when it stays as it is. */
  readonly mark: Attempt | null;
  /** Null: it is right already. */
  readonly pointAt: string | null;
  readonly dropsAttempt: boolean;
}

/**
 * Did the daemon that the attempt found, or started, live through it? Then it was the agent that ended, for whatever reason of
 * its own: nothing speaks against the configuration.
 */
export function hasLivedOn(attempt: Attempt, present: Present | null): boolean {
  if (present === null || attempt.boot_id !== present.bootId || attempt.daemon === null) return false;
  const { is_active, main_pid, restarts } = attempt.daemon;
  const { daemon } = present;
  if (is_active) return changeOf({ isActive: true, mainPid: main_pid, restarts }, daemon) === null;
  // Started by the attempt: whether it had to be started twice is for the service manager to say.
  return daemon.isActive && daemon.restarts !== null && daemon.restarts <= (restarts ?? 0);
}

const STAYS = { crashLoop: null, mark: null, dropsAttempt: false } as const;

export function planRecovery({ present, attempt, appliedSha256, failed, current, home }: RecoveryFacts): RecoveryPlan {
  const pointAt = current === home ? null : home;
  if (attempt === null) return { ...STAYS, pointAt };
  const isJudged = failed?.sha256 === attempt.sha256 && failed.failures > attempt.failures;
  if (attempt.sha256 === appliedSha256 || isJudged) return { ...STAYS, pointAt, dropsAttempt: true };
  const told = hasLivedOn(attempt, present) ? { ...attempt, agent_deaths: (attempt.agent_deaths ?? 0) + 1, boot_id: null } : null;
  if (attempt.n >= MAX_TRIES) return { crashLoop: told ?? attempt, mark: null, pointAt, dropsAttempt: true };
  return { ...STAYS, mark: told, pointAt };
}

/** Why a configuration is not tried on now, and whether that passes. */
function loopVerdict({ agent_deaths }: Attempt): { readonly message: string; readonly isAgentsOwn: boolean } {
  const isAgentsOwn = (agent_deaths ?? 0) > 0;
  const who = (agent_deaths ?? 0) >= MAX_TRIES ? 'the agent ended' : isAgentsOwn ? 'the agent or the box went down' : 'the box went down';
  const rest = (agent_deaths ?? 0) >= MAX_TRIES ? '; the service itself lived on' : '';
  return { message: `${who} ${MAX_TRIES} times while this configuration was tried${rest}`, isAgentsOwn };
}

/** Renders the last good one again when its folder is gone: it needs nothing but its own file. */
async function restoreGeneration(store: ConfigStore, kind: Kind): Promise<void> {
  const { applied } = store;
  if (applied === null || (await store.hasGeneration(applied.sha256))) return;
  const preparation = kind.prepare(applied.envelope.config);
  if (preparation.ok) await store.stage(applied.sha256, preparation.prepared.files(markOf(applied.sha256)));
}

export interface Recovery {
  /** One sentence each, for the log; empty when all was right. */
  readonly done: readonly string[];
  /** A daemon that runs already has to read `current` again. */
  readonly hasMoved: boolean;
}

/**
 * @param present null before the daemon runs
 * @throws when the disk does not take the link
 */
export async function recover(
  store: ConfigStore,
  kind: Kind,
  versions: Versions,
  wallMs: number,
  present: Present | null = null,
): Promise<Recovery> {
  const done: string[] = [];
  await restoreGeneration(store, kind).catch((error: unknown) =>
    done.push(`the last good configuration could not be rendered again: ${error}`),
  );
  const { attempt, applied, quarantine } = store;
  const facts = { present, attempt, appliedSha256: applied?.sha256 ?? null, failed: quarantine.failed };
  const { target: home } = await store.home();
  const plan = planRecovery({ ...facts, current: await store.currentTarget(), home });
  if (plan.crashLoop !== null) {
    const { message, isAgentsOwn } = loopVerdict(plan.crashLoop);
    const { sha256, version } = plan.crashLoop;
    const outcome = home === store.places.emptyDir ? 'no_previous' : 'reverted';
    const verdict = { sha256, version, phase: 'crash_loop', outcome, message, isAgentsOwn } as const;
    await store.putQuarantine({ failed: failedWith(verdict, quarantine.failed, versions, wallMs) });
    done.push(`version ${version} is not tried again${isAgentsOwn ? ' at once' : ''}: ${message}`);
  }
  if (plan.mark !== null) await store.putAttempt(plan.mark);
  if (plan.pointAt !== null) {
    await store.point(plan.pointAt);
    done.push(`current now points at ${plan.pointAt}`);
  }
  const { failed } = store.quarantine;
  // The box died on the way back; now it is back.
  if (failed?.outcome === 'revert_failed') {
    await store.putQuarantine({ failed: { ...failed, outcome: home === store.places.emptyDir ? 'no_previous' : 'reverted' } });
  }
  if (plan.dropsAttempt) await store.putAttempt(null);
  return { done, hasMoved: plan.pointAt !== null };
}
