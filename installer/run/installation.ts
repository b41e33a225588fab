/** One real installation on this machine, without a wizard: from prepared answers to the machine's restart, or to a halt. */
import { randomUUID } from 'node:crypto';
import { runPlan } from '#installer/engine/run-plan.ts';
import { probeMachine } from '#machine/probe.ts';
import type { Answers, InstallSecrets } from '#model/answers.ts';
import type { Finding } from '#model/finding.ts';
import type { Machine } from '#model/machine.ts';
import type { EngineEvent, EngineResult, Plan, SecretName } from '#model/plan.ts';
import { judge } from '#rules/judge.ts';
import { settleSecrets } from '#rules/settle.ts';
import type { ConsoleLines } from '#system/console-lines.ts';
import { run } from '#system/run.ts';
import { wordsForTarget } from './kernel.ts';
import { endMedium, isMedium, LOG_DIR, recordFailure } from './medium.ts';
import { findingLines, preparePlan } from './prepare.ts';
import { logVolumes, saveLogs } from './save-logs.ts';
import { decideUnfinished, haltLines, lineReporter } from './unattended.ts';
import { findUnfinished } from './unfinished.ts';

export interface Surroundings {
  readonly sourceSquashfs: string;
  readonly cmdline: string;
  /** The medium is of a locked image, so the system it lays down is one. */
  readonly isLocked: boolean;
}

export interface Job {
  readonly plan: Plan;
  /** What the plan was made from. */
  readonly answers: Answers;
  readonly secrets: InstallSecrets;
  /** The plan was begun before: its journal lies in `LOG_DIR`, and these are the secrets that what is left asks for. */
  readonly resume?: { readonly needs: readonly SecretName[] };
}

/** Faults that stop a run at its door. A run that goes on needs no secret that only its finished steps have used. */
export function doorFindings({ answers, resume }: Job, machine: Machine): readonly Finding[] {
  const findings = judge(answers, machine, 'install');
  if (!resume) return findings;
  const isPasswordNeeded = resume.needs.some((name) => name !== 'pairing_code');
  const unused = [...(isPasswordNeeded ? [] : ['admin_password']), ...(resume.needs.includes('pairing_code') ? [] : ['pairing_code'])];
  return findings.filter((finding) => !(finding.rule === 'answer.missing' && unused.includes(finding.path)));
}

/** The engine on this machine, with the same rules at its door. */
export const runHere = (job: Job, around: Surroundings, onEvent: (event: EngineEvent) => void): Promise<EngineResult> =>
  runPlan(job.plan, {
    secrets: job.secrets,
    sourceSquashfs: around.sourceSquashfs,
    logDir: LOG_DIR,
    reprobe: () => probeMachine(),
    judgeAgain: (machine) => doorFindings(job, machine),
    onEvent,
    ...(job.resume ? { resume: true } : {}),
  });

/** What a halt may write to: the machine as it was probed, and the disks that a plan was about to use. */
export interface HaltPlace {
  readonly machine: Machine;
  readonly planDisks: readonly string[];
}

/**
 * Says why on every console, in a file, and with exit code 1. Where a CIDATA volume takes files, the reason
 * and the logs are left there too; a console never waits for that.
 */
export async function halt(consoles: ConsoleLines, reasons: readonly string[], source: string | null, place?: HaltPlace): Promise<number> {
  const lines = haltLines(reasons, source);
  await recordFailure(lines);
  await consoles.lines(lines);
  if (place && logVolumes(place.machine, place.planDisks, 'cidata').length > 0) {
    const options = { logDir: LOG_DIR, planDisks: place.planDisks, volumes: 'cidata', runner: run, now: new Date() } as const;
    await consoles.lines([await saveLogs(place.machine, options)]);
  }
  return 1;
}

/** Resolves to the exit code. Never waits for a key. */
export async function installUnattended(
  answers: Answers,
  machine: Machine,
  around: Surroundings,
  consoles: ConsoleLines,
  source: string,
): Promise<number> {
  const prepared = preparePlan(answers, machine, {
    uuids: randomUUID,
    extraKernelWords: wordsForTarget(around.cmdline),
    isLocked: around.isLocked,
  });
  if (prepared.kind === 'refused') return halt(consoles, findingLines(prepared.findings), source, { machine, planDisks: [] });
  const begun = await findUnfinished(machine, { sourceSquashfs: around.sourceSquashfs, extraKernelWords: wordsForTarget(around.cmdline) });
  const found = decideUnfinished(begun, prepared.plan);
  if (found.kind === 'halt') return halt(consoles, found.reasons, source, { machine, planDisks: [] });
  const plan = found.kind === 'continue' ? found.unfinished.plan : prepared.plan;
  if (found.kind === 'continue') await found.unfinished.resumeIn(LOG_DIR);
  await consoles.lines([
    `Unattended installation; answers: ${source}`,
    ...findingLines(prepared.findings),
    ...found.lines,
    `${plan.settings.hostname} (${plan.settings.role}) onto ${plan.disks.map(({ disk }) => disk.byId ?? disk.path).join(' and ')}`,
  ]);
  const report = lineReporter();
  // Lines go out in order, and a slow console never holds up the work.
  let sending = Promise.resolve();
  const job: Job = {
    plan,
    answers,
    secrets: settleSecrets(answers),
    ...(found.kind === 'continue' ? { resume: { needs: found.unfinished.view.needs } } : {}),
  };
  const result = await runHere(job, around, (event) => {
    const lines = report(event);
    if (lines.length > 0) sending = sending.then(() => consoles.lines(lines));
  });
  await sending;
  if (result.failure) {
    const planDisks = plan.disks.map(({ disk }) => disk.kname);
    return halt(consoles, [result.failure.message, `log: ${LOG_DIR}/install.log`], source, { machine, planDisks });
  }
  if (isMedium(around.cmdline)) {
    const after = plan.settings.afterInstall;
    await consoles.lines([after === 'reboot' ? 'Restarting into the installed system.' : 'Powering off.']);
    await endMedium(after, run);
  }
  return result.ok ? 0 : 1;
}
