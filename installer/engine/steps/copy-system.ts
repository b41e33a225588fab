import path from 'node:path';
import { listNames, spaceOf } from '#system/files.ts';
import { describeEnd, succeeded } from '#system/run.ts';
import { withEarlyWriteback } from '#system/writeback.ts';
import { type StepContext, StepFailure, type StepRunner } from '../context.ts';
import { flushTarget, isMounted } from '../mounts.ts';

const POLL_MS = 500;
const TIMEOUT_MS = 3_600_000;
/** What is left of the bar is the flush of what the disk has not written yet. */
const UNPACK_SHARE = 0.9;

/** Bytes that the files of an image take on ext4: sizes rounded up to whole blocks. null when the listing cannot be read. */
async function unpackedBytes(context: StepContext): Promise<number | null> {
  let bytes = 0;
  const result = await context.tryRun(['unsquashfs', '-lln', context.options.sourceSquashfs], {
    maxBytes: 4096,
    onLine: (line) => {
      const [mode, , size] = line.split(/\s+/);
      if (mode?.startsWith('-')) bytes += Math.ceil(Number(size) / 4096) * 4096;
      else if (mode?.startsWith('d')) bytes += 4096;
    },
  });
  return succeeded(result) && Number.isFinite(bytes) && bytes > 0 ? bytes : null;
}

async function usedBytes(root: string): Promise<number> {
  const data = path.join(root, 'var');
  const slot = (await spaceOf(root)).usedBytes;
  return (await isMounted(data)) ? slot + (await spaceOf(data)).usedBytes : slot;
}

/** Calls `look` twice a second while `work` runs. */
async function whileRunning<T>(work: Promise<T>, look: () => Promise<void>): Promise<T> {
  const state = { isRunning: true };
  const watching = (async () => {
    while (state.isRunning) {
      await look().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  })();
  try {
    return await work;
  } finally {
    state.isRunning = false;
    await watching;
  }
}

/**
 * Unpacks the image of the medium onto slot A and /var: the system as it was built, without a trace of the running session.
 * Progress comes from what the file systems hold, so it moves evenly and its rate is the disk's.
 */
export const copySystem: StepRunner<'copy-system'> = async (_action, context) => {
  const { root, options } = context;
  const totalBytes = await unpackedBytes(context);
  const { availableBytes } = await spaceOf(root);
  if (totalBytes !== null && totalBytes > availableBytes)
    throw new StepFailure(
      `the system needs ${Math.ceil(totalBytes / 1024 ** 2)} MiB, and slot A has ${Math.floor(availableBytes / 1024 ** 2)} MiB`,
    );
  const beforeBytes = await usedBytes(root);
  const startedMs = performance.now();
  const look = async () => {
    const doneBytes = (await usedBytes(root)) - beforeBytes;
    const seconds = (performance.now() - startedMs) / 1000;
    if (totalBytes === null || doneBytes <= 0 || seconds < 1) return;
    const fraction = Math.min(1, doneBytes / totalBytes);
    context.progress({ fraction: fraction * UNPACK_SHARE, bytesPerSecond: doneBytes / seconds });
  };
  const argv = ['unsquashfs', '-f', '-n', '-q', '-d', root, options.sourceSquashfs];
  const unpacking = () => whileRunning(context.tryRun(argv, { timeoutMs: TIMEOUT_MS }), look);
  const result = await withEarlyWriteback(unpacking);
  if (!succeeded(result))
    throw new StepFailure(`copying the system failed (${describeEnd(result)}); the medium or the disk may be damaged`, result);
  context.progress({ fraction: UNPACK_SHARE, detail: 'Writing to the disk' });
  await flushTarget(context);
  if ((await listNames(path.join(root, 'boot'))).length === 0)
    throw new StepFailure('the copied system has no kernel: the medium is not complete');
};
