/**
 * Before the daemon starts, without network and without panel: what should `current` point at? The decision is pure.
 * Source: the pull-model study, A5.4.
 */
import type { Kind } from '../kinds/kind.ts';
import { failedWith, MAX_TRIES, type Versions } from './quarantine.ts';
import { type Attempt, type FailedConfig, markOf } from './records.ts';
import type { ConfigStore } from './store.ts';

export interface RecoveryFacts {
  readonly attempt: Attempt | null;
  readonly appliedSha256: string | null;
  readonly failed: FailedConfig | null;
  readonly current: string | null;
  /** Where `current` belongs when nothing is being tried. */
  readonly home: string;
}

export interface RecoveryPlan {
  /** The box went down too often with this one. Written first. */
  readonly crashLoop: Attempt | null;
  /** Null: it is right already. */
  readonly pointAt: string | null;
  readonly dropsAttempt: boolean;
}

export function planRecovery({ attempt, appliedSha256, failed, current, home }: RecoveryFacts): RecoveryPlan {
  const pointAt = current === home ? null : home;
  if (attempt === null) return { crashLoop: null, pointAt, dropsAttempt: false };
  if (attempt.sha256 === appliedSha256) return { crashLoop: null, pointAt, dropsAttempt: true };
  const isJudged = failed?.sha256 === attempt.sha256 && failed.failures > attempt.failures;
  if (isJudged) return { crashLoop: null, pointAt, dropsAttempt: true };
  const isLoop = attempt.n >= MAX_TRIES;
  return { crashLoop: isLoop ? attempt : null, pointAt, dropsAttempt: isLoop };
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

/** @throws when the disk does not take the link. */
export async function recover(store: ConfigStore, kind: Kind, versions: Versions, wallMs: number): Promise<Recovery> {
  const done: string[] = [];
  await restoreGeneration(store, kind).catch((error: unknown) =>
    done.push(`the last good configuration could not be rendered again: ${error}`),
  );
  const { attempt, applied, quarantine } = store;
  const facts = { attempt, appliedSha256: applied?.sha256 ?? null, failed: quarantine.failed };
  const { target: home } = await store.home();
  const plan = planRecovery({ ...facts, current: await store.currentTarget(), home });
  if (plan.crashLoop !== null) {
    const message = `the box went down ${MAX_TRIES} times while this configuration was tried`;
    const { sha256, version } = plan.crashLoop;
    const outcome = home === store.places.emptyDir ? 'no_previous' : 'reverted';
    const verdict = { sha256, version, phase: 'crash_loop', outcome, message } as const;
    await store.putQuarantine({ failed: failedWith(verdict, quarantine.failed, versions, wallMs) });
    done.push(`version ${version} is not tried again: ${message}`);
  }
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
