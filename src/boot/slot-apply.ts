/**
 * `spatium slot apply`: a new system, as the squashfs that an installer medium carries, onto the slot that does not run.
 * Until it is whole its version is not known, and such a slot is switched to by nothing.
 */
import path from 'node:path';
import { SLOT_EXT4 } from '#model/limits.ts';
import { ensureDir, exists, factsOf, listNames, remove } from '#system/files.ts';
import { hostView } from '#system/observe.ts';
import { bothNodes, must, noteVersion, prepareSlot, SLOT_LABELS, SLOT_MOUNT, SlotFailure } from './slot-prepare.ts';
import { otherSlot, readSlots, slotOf } from './slots.ts';
import { inRoot, type Target } from './target.ts';

/** On their own file systems in an installed machine; an image's are of no use there. */
const OUTSIDE = ['var', 'home', 'root'];

/** The image is what its publisher says, and a system at all. */
async function requireImage(target: Target, image: string, sha256: string): Promise<void> {
  const kind = (await factsOf(image, true))?.kind;
  if (kind !== 'file' && kind !== 'block') throw new SlotFailure(`${image} is no file`);
  const found = (await must(target, ['sha256sum', '--', image])).replace(/^\\/, '').split(/\s/)[0];
  if (found !== sha256) throw new SlotFailure(`${image} has the SHA-256 ${found}, not ${sha256}; nothing was written`);
  const listing = await must(target, ['unsquashfs', '-l', image, 'boot', 'usr/lib/systemd/systemd', 'usr/bin/spatium']);
  for (const part of ['boot/vmlinuz-', 'boot/initrd.img-', 'usr/lib/systemd/systemd', 'usr/bin/spatium'])
    if (!listing.includes(`squashfs-root/${part}`)) throw new SlotFailure(`${image} is no system of this product: it has no ${part}`);
}

/**
 * Checks, writes and prepares. `sha256`: 64 hexadecimal digits, lower case.
 * @throws SlotFailure; after the first write the slot stays without a version until an apply succeeds
 */
export async function applyImage(target: Target, image: string, sha256: string): Promise<string> {
  const slots = await readSlots(hostView(target.root));
  const running = slotOf(slots?.booted);
  if (slots === null || running === null) throw new SlotFailure('which slot runs cannot be told');
  const slot = otherSlot(running);
  for (const chosen of [slots.durable, slots.next_once])
    if (slotOf(chosen) === slot) throw new SlotFailure(`${slot} is what starts next; keep the running one first: spatium slot commit`);
  await requireImage(target, image, sha256);
  const node = (await bothNodes(target))[slot];
  await noteVersion(target, slot, null);
  const extended = 'lazy_itable_init=1,nodiscard';
  await must(target, ['mkfs.ext4', '-q', '-F', '-F', ...SLOT_EXT4, '-L', SLOT_LABELS[slot], '-E', extended, node]);
  const root = inRoot(target, SLOT_MOUNT);
  await ensureDir(root, 0o700);
  await must(target, ['mount', '-t', 'ext4', node, root]);
  try {
    await must(target, ['unsquashfs', '-f', '-n', '-q', '-d', root, image]);
    for (const dir of OUTSIDE) for (const name of await listNames(path.join(root, dir))) await remove(path.join(root, dir, name));
    if (!(await exists(path.join(root, 'etc/passwd')))) throw new SlotFailure('the image was not unpacked whole');
    await must(target, ['sync', '--file-system', root]);
  } finally {
    await must(target, ['umount', root]);
  }
  return prepareSlot(target, slot);
}
