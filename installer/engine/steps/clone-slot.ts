import { describeEnd, succeeded } from '#system/run.ts';
import { StepFailure, type StepRunner } from '../context.ts';
import { filesystemNode } from '../devices.ts';

const TIMEOUT_MS = 3_600_000;

/** `Copying 1234 / 5678 blocks (21%)`, as e2image reports itself. */
export function cloneFraction(line: string): number | null {
  const found = /(\d+) ?\/ ?(\d+) blocks/.exec(line);
  const total = Number(found?.[2]);
  return found && total > 0 ? Math.min(1, Number(found[1]) / total) : null;
}

/**
 * Slot B as a copy of slot A's used blocks, with its own label and UUID. One pass over the disk, whatever the number of files.
 * Slot A is read-only meanwhile, so that its blocks are a whole file system; what is mounted below it stays writable.
 */
export const cloneSlot: StepRunner<'clone-slot'> = async (_action, context) => {
  const { plan, root } = context;
  const from = await filesystemNode(plan, 'root_a');
  const to = await filesystemNode(plan, 'root_b');
  await context.run(['sync', '--file-system', root]);
  await context.run(['mount', '-o', 'remount,ro', root]);
  try {
    const onLine = (line: string) => {
      const fraction = cloneFraction(line);
      if (fraction === null) context.log.write(`  ${line}`);
      else context.progress({ fraction: fraction * 0.8 });
    };
    const copied = await context.tryRun(['e2image', '-r', '-a', '-p', from, to], { timeoutMs: TIMEOUT_MS, onLine });
    if (!succeeded(copied)) throw new StepFailure(`copying slot A to slot B failed (${describeEnd(copied)})`, copied);
  } finally {
    await context.run(['mount', '-o', 'remount,rw', root]);
  }
  context.progress({ fraction: 0.85, detail: 'Checking the copy' });
  const checked = await context.tryRun(['e2fsck', '-f', '-y', to], { timeoutMs: TIMEOUT_MS });
  // 1: something small was put right.
  if (!succeeded(checked) && !(checked.kind === 'exited' && checked.code === 1))
    throw new StepFailure(`slot B does not hold a sound file system (${describeEnd(checked)}); the disk may be failing`, checked);
  await context.run(['tune2fs', '-L', 'root_b', '-U', plan.filesystemUuids.root_b, to]);
  await context.run(['blockdev', '--flushbufs', to]);
};
