/** Runs a plan: step by step, journalled, with progress; stops at the first step that fails and says in what state the disk is. */
import crypto from 'node:crypto';
import path from 'node:path';
import { planHash } from '#installer/plan/print-plan.ts';
import { PATHS } from '#model/limits.ts';
import type { EngineEvent, EngineResult, Plan, Step, VerifyCheck } from '#model/plan.ts';
import { messageOf } from '#system/complain.ts';
import { ensureDir, realPath } from '#system/files.ts';
import { acquireLock, type Lock } from '#system/lock.ts';
import { Log } from '#system/log.ts';
import { CommandError, describeEnd, type RunResult, run } from '#system/run.ts';
import { type EngineOptions, loggedRunners, type StepContext, StepFailure } from './context.ts';
import { imageName } from './interrupted.ts';
import { Journal } from './journal.ts';
import { endLeftovers } from './leftovers.ts';
import { flushTarget, isMounted, unmountAll } from './mounts.ts';
import { Pace } from './pace.ts';
import { saveLogs } from './steps/finish.ts';
import { ALWAYS_RUN, runStep, WHEN_SKIPPED, WRITES_NOTHING } from './steps/table.ts';

const OUTPUT_LINES = 20;
const sha256 = (text: string): string => crypto.createHash('sha256').update(text).digest('hex');

interface Session {
  readonly plan: Plan;
  readonly options: EngineOptions;
  readonly context: StepContext;
  readonly journal: Journal;
  readonly pace: Pace;
  readonly emit: (event: EngineEvent) => void;
}

function commandOf(result: RunResult | null): string | null {
  return result === null ? null : `${result.argv.join(' ')} (${describeEnd(result)})`;
}

/** The failure as an operator and a log need it. Texts pass through the log's cleaning, so no secret gets out this way. */
function failureOf(step: Step, error: unknown, { context }: Session): Extract<EngineEvent, { type: 'failed' }> {
  const result = error instanceof StepFailure || error instanceof CommandError ? error.result : null;
  const cause = messageOf(error);
  const told = error instanceof StepFailure ? cause : `${step.title}: ${cause}`;
  const message = context.signal.aborted ? `stopped on request during: ${step.title}` : told;
  const clean = (text: string) => context.log.clean(text);
  const command = commandOf(result);
  return {
    type: 'failed',
    id: step.id,
    message: clean(message),
    command: command === null ? null : clean(command),
    output: (result?.tail ?? []).slice(-OUTPUT_LINES).map(clean),
    nothingWritten: context.nothingWritten(),
  };
}

function openSession(plan: Plan, options: EngineOptions, log: Log, root: string): Session {
  const now = options.now ?? (() => new Date());
  const signal = options.signal ?? new AbortController().signal;
  const emit = (event: EngineEvent) => options.onEvent(event);
  const pace = new Pace(plan.steps, emit);
  const written = { isAny: false };
  const warnings: string[] = [];
  const checks: VerifyCheck[] = [];
  const context: StepContext = {
    plan,
    options,
    root,
    log,
    signal,
    checks,
    warnings,
    ...loggedRunners(options.runner ?? run, log, root, signal),
    progress: (progress) => pace.within(progress),
    willWrite: () => {
      if (!written.isAny) log.write('first write to a disk');
      written.isAny = true;
    },
    nothingWritten: () => !written.isAny,
    warn: (text) => {
      warnings.push(log.clean(text));
      log.write(`warning: ${text}`);
      emit({ type: 'log', text: log.clean(`warning: ${text}`) });
    },
  };
  for (const secret of Object.values(options.secrets)) if (secret !== null) log.hide(secret);
  return { plan, options, context, journal: new Journal(options.logDir, planHash(plan, sha256), now), pace, emit };
}

/** STATE is mounted, and the journal is not kept there yet. */
const hasState = (context: StepContext, journal: Journal): Promise<boolean> | boolean =>
  !journal.isKept && isMounted(path.join(context.root, PATHS.state));

async function doStep(step: Step, session: Session): Promise<void> {
  const { context, journal, options, pace, emit } = session;
  if (context.signal.aborted) throw new StepFailure('stopped on request');
  emit({ type: 'step', id: step.id, title: step.title, state: 'started' });
  context.log.write(`== ${step.id}: ${step.title}`);
  await journal.write(step.id, 'started');
  if (step.action.kind === 'unmount') journal.letGo();
  await runStep(step.action, context);
  if (!ALWAYS_RUN.includes(step.action.kind)) await flushTarget(context);
  if (step.action.kind !== 'unmount' && (await hasState(context, journal)))
    await journal.keepOn(path.join(context.root, PATHS.state, 'install'), session.plan, await imageName(options.sourceSquashfs));
  await journal.write(step.id, 'done');
  pace.done(step);
  emit({ type: 'step', id: step.id, title: step.title, state: 'done' });
}

async function skipStep(step: Step, { context, pace, emit }: Session): Promise<void> {
  await WHEN_SKIPPED[step.action.kind]?.(context);
  pace.done(step);
  emit({ type: 'step', id: step.id, title: step.title, state: 'skipped' });
}

/** After a failure: the logs to the new system if it is mounted, then let go of the disk, so that a retry starts clean. */
async function cleanUp({ context: failed, options, journal }: Session): Promise<void> {
  // The commands here must run even when the failure was a request to stop.
  const context = { ...failed, ...loggedRunners(options.runner ?? run, failed.log, failed.root, new AbortController().signal) };
  try {
    await saveLogs(context);
  } catch (error) {
    context.log.write(`the logs could not be saved on the target: ${String(error)}`);
  }
  journal.letGo();
  await unmountAll(context).catch((error: unknown) => context.log.write(`unmounting: ${String(error)}`));
}

async function runSteps(session: Session): Promise<EngineResult> {
  const { plan, options, context, journal, emit } = session;
  const skipped = options.resume ? await journal.read() : new Set<string>();
  const result = (failure: EngineResult['failure']): EngineResult => ({
    ok: failure === null && context.checks.every((c) => c.ok),
    failure,
    checks: context.checks,
    warnings: context.warnings,
    nothingWritten: context.nothingWritten(),
  });
  const begun = options.resume ? await journal.begun() : new Set<string>();
  if (plan.steps.some((s) => begun.has(s.id) && !WRITES_NOTHING.includes(s.action.kind))) context.willWrite();
  for (const step of plan.steps) {
    try {
      if (skipped.has(step.id) && !ALWAYS_RUN.includes(step.action.kind)) await skipStep(step, session);
      else await doStep(step, session);
    } catch (error) {
      const failure = failureOf(step, error, session);
      context.log.write(`failed: ${failure.message}${failure.command === null ? '' : `\ncommand: ${failure.command}`}`);
      await journal.write(step.id, 'failed').catch(() => undefined);
      await cleanUp(session);
      emit(failure);
      return result(failure);
    }
  }
  emit({ type: 'finished', checks: context.checks, warnings: context.warnings });
  return result(null);
}

/**
 * Runs a plan to its end or its first failure; never throws for what a step does.
 * `ok` is true only when every step was done and every check of the result passed.
 * Throws when another installation holds the lock in `logDir`, or what is mounted on the target cannot be unmounted.
 */
export async function runPlan(plan: Plan, options: EngineOptions): Promise<EngineResult> {
  await ensureDir(options.logDir);
  const lock: Lock = await acquireLock(path.join(options.logDir, 'install.lock'));
  const log = new Log({
    path: path.join(options.logDir, 'install.log'),
    truncate: !options.resume,
    ...(options.now ? { now: options.now } : {}),
  });
  try {
    // The mount table knows a place by its real name only.
    const named = path.resolve(options.targetRoot ?? '/mnt/target');
    await ensureDir(named);
    const session = openSession(plan, options, log, (await realPath(named)) ?? named);
    await endLeftovers(session.context.root);
    const left = await unmountAll(session.context);
    // What stays would be taken for the target, and filled.
    if (left.length > 0) throw new Error(`${left.join(', ')} is mounted and in use; unmount it, then start again (nothing was written)`);
    return await runSteps(session);
  } finally {
    log.close();
    await lock.release();
  }
}
