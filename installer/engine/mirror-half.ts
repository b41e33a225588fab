/**
 * One half of a stopped mirror, read without assembling it: assembling writes to the disks. In a RAID1 of metadata 1.2 each half
 * holds the whole file system from its data offset on, and a loop device that is read-only shows just that.
 */
import { readBytes } from '#system/files.ts';
import { type Runner, succeeded } from '#system/run.ts';

const SECTOR_BYTES = 512;
/** Metadata 1.2 lies 4 KiB into the member. */
const SUPERBLOCK_AT = 4096;
const SUPERBLOCK_BYTES = 256;
const MAGIC = 0xa92b4efc;

export interface MirrorHalf {
  /** Of the array, in hexadecimal: the same on each of its halves. */
  readonly arrayId: string;
  readonly dataOffsetBytes: number;
  readonly dataBytes: number;
}

/** From the first bytes of a member. Field offsets: `struct mdp_superblock_1` of the kernel. */
function mirrorHalfIn(start: Uint8Array): MirrorHalf | null {
  if (start.length < SUPERBLOCK_AT + SUPERBLOCK_BYTES) return null;
  const view = new DataView(start.buffer, start.byteOffset + SUPERBLOCK_AT, SUPERBLOCK_BYTES);
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== 1 || view.getInt32(72, true) !== 1) return null;
  const sectors = (at: number): number => Number(view.getBigUint64(at, true));
  return {
    arrayId: Buffer.from(start.subarray(SUPERBLOCK_AT + 16, SUPERBLOCK_AT + 32)).toString('hex'),
    dataOffsetBytes: sectors(128) * SECTOR_BYTES,
    dataBytes: sectors(80) * SECTOR_BYTES,
  };
}

/** What a member's superblock says; null for anything but half of a RAID1. Throws when `node` cannot be read. */
export const readMirrorHalf = async (node: string): Promise<MirrorHalf | null> =>
  mirrorHalfIn(await readBytes(node, SUPERBLOCK_AT + SUPERBLOCK_BYTES));

/** Calls `look` with a read-only device of the file system on that half. @throws when there is no such device to be had */
export async function withHalf<T>(node: string, half: MirrorHalf, look: (device: string) => Promise<T>, runner: Runner): Promise<T> {
  const window = ['--offset', String(half.dataOffsetBytes), '--sizelimit', String(half.dataBytes)];
  const made = await runner(['losetup', '--find', '--show', '--read-only', ...window, node]);
  const device = made.stdout.trim();
  if (!succeeded(made) || device === '') throw new Error(`${node} cannot be looked at through a loop device`);
  try {
    return await look(device);
  } finally {
    await runner(['losetup', '--detach', device]);
  }
}
