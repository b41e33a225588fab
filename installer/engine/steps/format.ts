import { SLOT_EXT4 } from '#model/limits.ts';
import type { StepRunner } from '../context.ts';
import { filesystemNode, nodeSizeBytes } from '../devices.ts';
import { requireSameDisks } from './check-identity.ts';

const LARGE_BYTES = 16 * 1024 ** 3;

/** Makes one file system with the UUID that fstab and the boot menu will name. */
export const format: StepRunner<'format'> = async (action, context) => {
  const node = await filesystemNode(context.plan, action.partition, action.diskIndex);
  // With a kept table this is the first write.
  if (context.nothingWritten()) await requireSameDisks(context);
  context.willWrite();
  if (action.filesystem === 'vfat') {
    await context.run(['mkfs.vfat', '-F', '32', '-n', action.label, '-i', action.uuid.replace('-', ''), node]);
    await context.run(['blockdev', '--flushbufs', node]);
    return;
  }
  const sizeBytes = await nodeSizeBytes(node);
  // Five per cent kept for root is 1 GiB and more of a data partition; one is enough there.
  const reserve = sizeBytes !== null && sizeBytes > LARGE_BYTES ? ['-m', '1'] : [];
  const slot = action.partition === 'root_a' || action.partition === 'root_b' ? SLOT_EXT4 : [];
  const extended = 'lazy_itable_init=1,lazy_journal_init=1,nodiscard';
  await context.run(['mkfs.ext4', '-q', '-F', '-F', ...reserve, ...slot, '-L', action.label, '-U', action.uuid, '-E', extended, node]);
  // On the disk before the journal says so.
  await context.run(['blockdev', '--flushbufs', node]);
};
