import { messageOf } from '#system/complain.ts';
import { copyRanges } from '#system/copy-ranges.ts';
import { describeEnd, succeeded } from '#system/run.ts';
import { withEarlyWriteback } from '#system/writeback.ts';
import { StepFailure, type StepRunner } from '../context.ts';
import { filesystemNode } from '../devices.ts';
import { usedRanges } from '../ext4-usage.ts';

const TIMEOUT_MS = 3_600_000;
const COPY_SHARE = 0.85;

/**
 * Slot B as a copy of slot A's used blocks, with its own label and UUID. One pass over the disk, whatever the number of files.
 * Slot A is read-only meanwhile, so that its blocks are a whole file system; what is mounted below it stays writable.
 */
export const cloneSlot: StepRunner<'clone-slot'> = async (_action, context) => {
  const { plan, root } = context;
  const from = await filesystemNode(plan, 'root_a');
  const to = await filesystemNode(plan, 'root_b');
  await context.run(['mount', '-o', 'remount,ro', root], { timeoutMs: TIMEOUT_MS });
  try {
    // The device's own cache may hold what was there before the files were written.
    await context.run(['blockdev', '--flushbufs', from]);
    const ranges = usedRanges(await context.run(['dumpe2fs', from], { maxBytes: 64 * 1024 ** 2, onLine: () => undefined }));
    const totalBytes = ranges.reduce((sum, r) => sum + r.lengthBytes, 0);
    context.log.write(`${totalBytes} bytes in ${ranges.length} ranges from ${from} to ${to}`);
    const startedMs = performance.now();
    const onBytes = (doneBytes: number) =>
      context.progress({
        fraction: (doneBytes / totalBytes) * COPY_SHARE,
        bytesPerSecond: (doneBytes * 1000) / Math.max(1, performance.now() - startedMs),
      });
    const copying = withEarlyWriteback(() => copyRanges(from, to, ranges, { onBytes, signal: context.signal }));
    await copying.catch((error: unknown) => {
      throw new StepFailure(`slot A cannot be copied to slot B (${messageOf(error)}); the disk may be failing`);
    });
  } finally {
    await context.run(['mount', '-o', 'remount,rw', root]);
  }
  context.progress({ fraction: COPY_SHARE, detail: 'Checking the copy' });
  const checked = await context.tryRun(['e2fsck', '-f', '-y', to], { timeoutMs: TIMEOUT_MS });
  // 1: something small was put right.
  if (!succeeded(checked) && !(checked.kind === 'exited' && checked.code === 1))
    throw new StepFailure(`slot B does not hold a sound file system (${describeEnd(checked)}); the disk may be failing`, checked);
  await context.run(['tune2fs', '-L', 'root_b', '-U', plan.filesystemUuids.root_b, to]);
  await context.run(['blockdev', '--flushbufs', to]);
};
