/** How long written data waits in memory before the disk is set to work on it. */
import { readTextIfExists, writeInPlace } from './files.ts';

const MIB = 1024 * 1024;
/** The disk starts at this much, so that it works while the next bytes are made. */
const START_BYTES = 16 * MIB;
/** Whoever writes waits at this much, so that what a progress bar counts is not more than this ahead of the disk. */
const WAIT_BYTES = 256 * MIB;

/** Each pair is one setting: the kernel sets one of it to 0 when the other is written. */
const SETTINGS = [
  { bytes: 'dirty_background_bytes', ratio: 'dirty_background_ratio', value: START_BYTES },
  { bytes: 'dirty_bytes', ratio: 'dirty_ratio', value: WAIT_BYTES },
] as const;

/**
 * Runs `work` while the kernel writes early: by default a tenth of the memory gathers first, and then all of it is waited for at
 * the end. The machine's own settings come back afterwards. Where they cannot be changed, `work` runs as it is.
 */
export async function withEarlyWriteback<T>(work: () => Promise<T>, dir = '/proc/sys/vm'): Promise<T> {
  const undo: (() => Promise<void>)[] = [];
  try {
    for (const { bytes, ratio, value } of SETTINGS) {
      const before = await readTextIfExists(`${dir}/${bytes}`).catch(() => null);
      const share = await readTextIfExists(`${dir}/${ratio}`).catch(() => null);
      if (before === null || share === null) continue;
      const isSet = await writeInPlace(`${dir}/${bytes}`, `${value}\n`).then(
        () => true,
        () => false,
      );
      if (isSet)
        undo.push(() => (before.trim() === '0' ? writeInPlace(`${dir}/${ratio}`, share) : writeInPlace(`${dir}/${bytes}`, before)));
    }
    return await work();
  } finally {
    for (const step of undo) await step().catch(() => undefined);
  }
}
