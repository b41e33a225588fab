/** The last steps: keep the logs on the new system, then let go of the disk. */
import path from 'node:path';
import { printPlan } from '#installer/plan/print-plan.ts';
import { PATHS } from '#model/limits.ts';
import { chmod, copyFile, ensureDir, exists, remove, writeAtomic } from '#system/files.ts';
import { type StepContext, StepFailure, type StepRunner } from '../context.ts';
import { isMounted, unmountBelow } from '../mounts.ts';
import { INCOMPLETE } from './keep-data.ts';

/** Saves what tells how the installation went. World readable, as the support bundle reads it unprivileged; no secret is in it. */
export async function saveLogs(context: StepContext): Promise<void> {
  const { root, plan, options } = context;
  if (!(await isMounted(path.join(root, 'var')))) return;
  const dir = path.join(root, PATHS.installLogs);
  await ensureDir(path.dirname(dir));
  await ensureDir(dir);
  await chmod(dir, 0o755);
  await writeAtomic(path.join(dir, 'plan.txt'), printPlan(plan));
  await writeAtomic(path.join(dir, 'plan.json'), `${JSON.stringify(plan, null, 2)}\n`);
  const failed = context.checks.filter((c) => !c.ok);
  if (failed.length > 0) await writeAtomic(path.join(dir, 'verify.failed'), failed.map((c) => `${c.name}: ${c.detail}\n`).join(''));
  else await remove(path.join(dir, 'verify.failed'));
  const sources = [context.log.path, path.join(options.logDir, 'journal.jsonl'), ...(options.extraLogs ?? [])];
  for (const source of sources) {
    if (!(await exists(source))) continue;
    const kept = path.join(dir, path.basename(source));
    await copyFile(source, kept);
    await chmod(kept, 0o644);
  }
}

/** Keeps the logs, and marks this /etc as whole: from now on it is one that a later reinstallation keeps. */
export const saveLogsStep: StepRunner<'save-logs'> = async (_action, context) => {
  await saveLogs(context);
  await remove(path.join(context.root, INCOMPLETE));
};

/** Lets go of the target. What stays mounted fails the step, though all is written by then. */
export const unmountStep: StepRunner<'unmount'> = async (_action, context) => {
  const left = await unmountBelow(context, context.root);
  await context.run(['sync']);
  if (left.length > 0)
    throw new StepFailure(`still mounted: ${left.join(', ')}; everything is written, restart the machine to let go of them`);
};
