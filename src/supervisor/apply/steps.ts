/**
 * One configuration from "stored" to "applied" or "failed". The order is the point: check before the swap, the mark before the swap,
 * the verdict before the way back, "applied" only after the daemon was seen well. See docs/decisions/0012-pull-and-apply.md.
 */
import type { ApplyPhase, StoredConfig } from '#model/pull.ts';
import { messageOf } from '#system/complain.ts';
import { bad, type Daemon, type DaemonState, type Kind, type ListenPlace, type Outcome, type Prepared } from '../kinds/kind.ts';
import { awaitHealth, type HealthRule, type Pause, watchHealth } from './health.ts';
import { failedWith, MAX_TRIES, reportable, type Versions } from './quarantine.ts';
import { type Attempt, markOf } from './records.ts';
import type { ConfigStore } from './store.ts';

export interface ApplyContext {
  readonly store: ConfigStore;
  readonly kind: Kind;
  readonly daemon: Daemon;
  readonly pause: Pause;
  readonly wallMs: () => number;
  readonly agentVersion: string;
  readonly bootId: string;
  readonly health: HealthRule;
}

export type ApplyEnd = 'applied' | 'failed' | 'superseded';

const versionsOf = async ({ agentVersion, daemon }: ApplyContext): Promise<Versions> => ({
  agent: agentVersion,
  daemon: await daemon.version(),
});

/** What an operation throws (a full disk) is its outcome. */
async function attempted(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    return bad(messageOf(error));
  }
}

interface Run {
  readonly context: ApplyContext;
  readonly target: StoredConfig;
  readonly secrets: readonly string[];
}

type FailureOutcome = 'reverted' | 'revert_failed' | 'no_previous' | 'not_started';

/** Writes the verdict. When the disk does not take it, it still counts for this process. */
async function judge({ context, target, secrets }: Run, phase: ApplyPhase, outcome: FailureOutcome, message: string): Promise<void> {
  const { store } = context;
  const { sha256, envelope } = target;
  const verdict = { sha256, version: envelope.version, phase, outcome, message: reportable(message, secrets) };
  const failed = failedWith(verdict, store.quarantine.failed, await versionsOf(context), context.wallMs());
  await attempted(() => store.putQuarantine({ failed }).then(() => ({ ok: true })));
}

async function refuse(run: Run, phase: ApplyPhase, message: string): Promise<ApplyEnd> {
  await judge(run, phase, 'not_started', message);
  return 'failed';
}

/** Back to the last good one: link, reload, and a look whether it is well. */
async function goHome(context: ApplyContext): Promise<Outcome> {
  const { store, daemon, kind } = context;
  const { target, mark } = await store.home();
  await store.point(target);
  const reloaded = await daemon.reload();
  if (!reloaded.ok) return reloaded;
  const { applied } = store;
  const preparation = applied === null || mark !== markOf(applied.sha256) ? null : kind.prepare(applied.envelope.config);
  const expected = preparation?.ok ? preparation.prepared.expected : [];
  return awaitHealth(daemon, mark, expected, context.health, context.pause);
}

async function rollBack(run: Run, phase: ApplyPhase, message: string): Promise<ApplyEnd> {
  const { context } = run;
  const { store } = context;
  const hadPrevious = (await store.home()).target !== store.places.emptyDir;
  // First, so that a box that dies in the middle knows at boot what to do.
  await judge(run, phase, 'revert_failed', message);
  const back = await attempted(() => goHome(context));
  if (back.ok) await attempted(() => store.putAttempt(null).then(() => back));
  const { failed } = store.quarantine;
  if (failed === null) return 'failed';
  const outcome = back.ok ? (hadPrevious ? 'reverted' : 'no_previous') : 'revert_failed';
  const more = back.ok ? '' : `; and the way back failed: ${reportable(back.message, run.secrets)}`;
  const told = { ...failed, outcome, message: `${failed.message}${more}`.slice(0, 2000) } as const;
  await attempted(() => store.putQuarantine({ failed: told }).then(() => back));
  return 'failed';
}

async function keep({ context, target }: Run, previous: StoredConfig | null): Promise<ApplyEnd> {
  const { store } = context;
  await store.putApplied(target, new Date(context.wallMs()).toISOString());
  await store.putAttempt(null);
  await store.putQuarantine({ failed: null });
  await store.prune([target.sha256, ...(previous === null ? [] : [previous.sha256])]);
  return 'applied';
}

/** Steps 6 to 8; the daemon is touched from here on, and nothing calls it off. */
async function swapAndWatch(run: Run, prepared: Prepared, before: DaemonState): Promise<ApplyEnd> {
  const { context, target } = run;
  const { store, daemon } = context;
  const swapped = await attempted(async () => {
    await store.point(store.targetOf(target.sha256));
    return daemon.reload();
  });
  if (!swapped.ok) return rollBack(run, 'reload', swapped.message);
  const watched = { daemon, mark: markOf(target.sha256), expected: prepared.expected, before: before.isActive ? before : null };
  const health = await attempted(() => watchHealth(watched, context.health, context.pause));
  if (!health.ok) return rollBack(run, 'health', health.message);
  const previous = store.applied;
  try {
    return await keep(run, previous);
  } catch (error) {
    // It runs well and cannot be kept, so that the next boot would not start it: that is no success.
    return store.applied === target ? 'applied' : rollBack(run, 'health', `it runs well and could not be kept: ${messageOf(error)}`);
  }
}

/** Ports that the running configuration does not hold yet; one that it holds on another address is the daemon's own affair. */
async function newPlaces({ store, kind }: ApplyContext, prepared: Prepared): Promise<readonly ListenPlace[]> {
  // Something runs whose record is lost: which ports are the daemon's own cannot be told. The reload will.
  if (store.applied === null && (await store.home()).target !== store.places.emptyDir) return [];
  const running = store.applied === null ? null : kind.prepare(store.applied.envelope.config);
  const held = new Set(running?.ok ? running.prepared.listens.map((l) => l.port) : []);
  return prepared.listens.filter((l) => !held.has(l.port));
}

/**
 * Applies one stored configuration. `isSuperseded` is asked once, before anything that runs is touched.
 * Never throws for what the configuration, the daemon or the disk does.
 */
export async function applyConfig(context: ApplyContext, target: StoredConfig, isSuperseded: () => boolean): Promise<ApplyEnd> {
  const { store, daemon, kind } = context;
  const preparation = kind.prepare(target.envelope.config);
  if (!preparation.ok) return refuse({ context, target, secrets: [] }, 'schema', preparation.message);
  const { prepared } = preparation;
  const run: Run = { context, target, secrets: prepared.secrets };
  let folder = '';
  const staged = await attempted(async () => {
    folder = await store.stage(target.sha256, prepared.files(markOf(target.sha256)));
    return { ok: true };
  });
  if (!staged.ok) return refuse(run, 'render', staged.message);
  const checked = await attempted(async () => daemon.check(folder, await newPlaces(context, prepared)));
  if (!checked.ok) return refuse(run, 'validate', checked.message);
  if (isSuperseded()) return 'superseded';
  const { attempt, quarantine } = store;
  const n = (attempt?.sha256 === target.sha256 ? attempt.n : 0) + 1;
  if (n > MAX_TRIES) {
    const end = await refuse(run, 'crash_loop', `the box went down ${MAX_TRIES} times while this configuration was tried`);
    await attempted(() => store.putAttempt(null).then(() => staged));
    return end;
  }
  const before = await daemon.state();
  const mark: Attempt = {
    sha256: target.sha256,
    version: target.envelope.version,
    n,
    agent_deaths: n > 1 ? (attempt?.agent_deaths ?? 0) : 0,
    boot_id: context.bootId,
    daemon: { is_active: before.isActive, main_pid: before.mainPid, restarts: before.restarts },
    failures: quarantine.failed?.sha256 === target.sha256 ? quarantine.failed.failures : 0,
  };
  const marked = await attempted(() => store.putAttempt(mark).then(() => ({ ok: true })));
  if (!marked.ok) return refuse(run, 'render', marked.message);
  return swapAndWatch(run, prepared, before);
}
