/**
 * `spatium slot prepare` and `spatium slot render`: a slot that an image was written to becomes one of this machine's own,
 * and the boot menu names what is really on the disk. Everything is done on the slot that does not run; the menu comes last.
 */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { PATHS, PRODUCT_NAME } from '#model/limits.ts';
import { ensureDir, exists, linkAtomic, listNames, readTextIfExists, remove, rename, writeAtomic } from '#system/files.ts';
import { hostView, parseKeyValues } from '#system/observe.ts';
import { describeEnd, type RunResult, succeeded } from '#system/run.ts';
import { espSync } from './esp-sync.ts';
import { extraWordsIn, isLockedMenu, menuEntries, renderGrubMenu, titleVersion } from './grub-menu.ts';
import { type SlotNodes, slotNodes } from './slot-device.ts';
import { describeStorage, mdadmFile, missingIn, multipathFiles, type SlotStorage } from './slot-initrd.ts';
import { k3sKeyOf, otherSlot, rootFacts, type SlotName } from './slots.ts';
import { inRoot, type Target } from './target.ts';

export const SLOT_MOUNT = '/run/spatium-slot';
const LONG_MS = 1_800_000;
const MENU = `${PATHS.grubDir}/grub.cfg`;

/** A thing that cannot be done, in words for an operator. */
export class SlotFailure extends Error {}

const why = (result: RunResult): string => `${describeEnd(result)}${result.tail.length > 0 ? `: ${result.tail.at(-1)}` : ''}`;

/** Output of a command that must succeed. Throws SlotFailure with its last word. */
export async function must(target: Target, argv: readonly string[]): Promise<string> {
  const result = await target.run(argv, { timeoutMs: LONG_MS, maxBytes: 32 * 1024 ** 2 });
  if (!succeeded(result)) throw new SlotFailure(`${argv[0]}: ${why(result)}`);
  return result.stdout;
}

/** Read past every cache: the slot may have been written a moment ago. */
async function uuidOn(target: Target, node: string): Promise<string> {
  const uuid = (await must(target, ['blkid', '-p', '-s', 'UUID', '-o', 'value', node])).trim();
  if (uuid === '') throw new SlotFailure(`${node} holds no file system`);
  return uuid;
}

export async function bothNodes(target: Target): Promise<Required<SlotNodes>> {
  const { slot_a, slot_b } = await slotNodes(hostView(target.root));
  if (slot_a === undefined || slot_b === undefined) throw new SlotFailure('the two slots cannot be found on the disk that / is on');
  return { slot_a, slot_b };
}

export const SLOT_LABELS: Readonly<Record<SlotName, string>> = { slot_a: 'root_a', slot_b: 'root_b' };

/** A sound file system with the slot's label, and with a UUID that no other has: an image carries the same one to every machine. */
async function makeOwn(target: Target, slot: SlotName, nodes: Required<SlotNodes>): Promise<void> {
  const node = nodes[slot];
  const checked = await target.run(['e2fsck', '-f', '-y', node], { timeoutMs: LONG_MS });
  // 1: something small was put right.
  if (!succeeded(checked) && !(checked.kind === 'exited' && checked.code === 1))
    throw new SlotFailure(`${node} holds no sound file system (${why(checked)}); write the image again`);
  const uuid = await uuidOn(target, node);
  const menu = (await readTextIfExists(inRoot(target, MENU))) ?? '';
  const isOwn = uuid !== (await uuidOn(target, nodes[otherSlot(slot)])) && menu.includes(uuid);
  await must(target, ['tune2fs', '-L', SLOT_LABELS[slot], ...(isOwn ? [] : ['-U', randomUUID()]), node]);
}

/** Names without a version for the menu. Throws when the slot has no kernel with its initrd. */
async function linkKernel(root: string): Promise<void> {
  const boot = path.join(root, 'boot');
  const names = await listNames(boot);
  const newest = new Intl.Collator('en', { numeric: true });
  const version = names
    .flatMap((n) => (n.startsWith('vmlinuz-') ? [n.slice('vmlinuz-'.length)] : []))
    .sort((a, b) => newest.compare(b, a))
    .find((v) => names.includes(`initrd.img-${v}`));
  if (version === undefined) throw new SlotFailure('the slot has no kernel with a matching initrd in /boot; write the image again');
  await linkAtomic(`vmlinuz-${version}`, path.join(boot, 'vmlinuz'));
  await linkAtomic(`initrd.img-${version}`, path.join(boot, 'initrd.img'));
}

/** Mounts, the baseline of /etc, and the storage's description in the initrd: what the installer gives to slot A. */
async function furnish(target: Target, root: string, storage: SlotStorage | null): Promise<void> {
  await linkKernel(root);
  const fstab = await readTextIfExists(inRoot(target, '/etc/fstab'));
  if (fstab === null || !/^UUID=\S+\s+\/var\s/m.test(fstab)) throw new SlotFailure('/etc/fstab of the running slot does not mount /var');
  const points = ['boot/efi', 'var', PATHS.state, 'home', 'root', ...(/\s\/boot\/efi2\s/.test(fstab) ? ['boot/efi2'] : [])];
  for (const dir of points) await ensureDir(path.join(root, dir));
  await writeAtomic(path.join(root, 'etc/fstab'), fstab);
  if (storage !== null) {
    // Not `must`: it reads to the end of the first archive, and where one of ours follows (an earlier `prepare`), its unpacker may
    // still be writing that; then the whole list is there and the status says failed, in about one run of four.
    const listed = await target.run(['lsinitramfs', path.join(root, 'boot/initrd.img')], { timeoutMs: LONG_MS, maxBytes: 32 * 1024 ** 2 });
    const missing = missingIn(listed.stdout, storage);
    if (missing !== null && !succeeded(listed)) throw new SlotFailure(`lsinitramfs: ${why(listed)}`);
    if (missing !== null) throw new SlotFailure(`the slot's initrd holds no ${missing}, so it would not start from this ${storage} disk`);
    const files = storage === 'md' ? [mdadmFile(await must(target, ['mdadm', '--detail', '--scan']))] : await multipathFiles(target.root);
    await describeStorage(root, files, PATHS.etcImage);
  }
  const image = path.join(root, PATHS.etcImage);
  if (await exists(image)) return writeAtomic(path.join(image, 'fstab'), fstab);
  // Under another name until it is whole.
  await remove(`${image}.new`);
  await must(target, ['cp', '--archive', path.join(root, 'etc'), `${image}.new`]);
  await rename(`${image}.new`, image);
}

/** undefined: none, which JSON leaves out. */
const k3sVersionIn = async (root: string | null): Promise<string | undefined> =>
  (root === null ? null : await readTextIfExists(path.join(root, PATHS.k3sVersion)))?.trim() || undefined;

/** Notes the version of the system below `root`; null: that the slot holds none that is whole. */
export async function noteVersion(target: Target, slot: SlotName, root: string | null): Promise<void> {
  const release = root === null ? null : await readTextIfExists(path.join(root, PATHS.release));
  const file = inRoot(target, PATHS.slotVersions);
  let known: Record<string, unknown> = {};
  try {
    known = JSON.parse((await readTextIfExists(file)) ?? '{}');
  } catch {
    target.note('the list of versions could not be read and is made anew');
  }
  const version = parseKeyValues(release ?? '').get('APPLIANCE_VERSION') || 'unknown';
  const k3s = {
    [k3sKeyOf(slot)]: await k3sVersionIn(root),
    // Seen from the new slot, the one that runs now is where a rollback goes.
    [k3sKeyOf(otherSlot(slot))]: (await k3sVersionIn(target.root)) ?? known[k3sKeyOf(otherSlot(slot))],
  };
  await ensureDir(path.dirname(file));
  await writeAtomic(file, `${JSON.stringify({ ...known, [slot]: version, ...k3s })}\n`);
}

/**
 * Writes the boot menu from the file systems that are on the slots now; machine id and kernel words are those of the menu before.
 * Candidate, checked, the old one kept as `.bak`, swapped in; then a mirror's second boot partition.
 * @throws SlotFailure with the old menu in place
 */
export async function renderMenu(target: Target): Promise<string> {
  const nodes = await bothNodes(target);
  const menu = inRoot(target, MENU);
  const old = await readTextIfExists(menu);
  if (old === null) throw new SlotFailure(`${MENU} is not there: the boot partition is not mounted`);
  const versions: Record<string, unknown> = JSON.parse((await readTextIfExists(inRoot(target, PATHS.slotVersions))) ?? '{}');
  const entry = async (slot: SlotName) => {
    const version = versions[slot];
    return { uuid: await uuidOn(target, nodes[slot]), version: titleVersion(typeof version === 'string' ? version : null) };
  };
  const text = renderGrubMenu({
    product: PRODUCT_NAME,
    slotA: await entry('slot_a'),
    slotB: await entry('slot_b'),
    extraKernelWords: extraWordsIn(old),
    offersRescue: menuEntries(old).some((e) => e.id === 'rescue'),
    isLocked: isLockedMenu(old),
  });
  if (text !== old) {
    await writeAtomic(`${menu}.new`, text, { mode: null });
    const checked = await target.run(['grub-script-check', `${menu}.new`]);
    if (!succeeded(checked)) throw new SlotFailure(`the new boot menu is not taken: grub-script-check ${why(checked)}`);
    await writeAtomic(`${menu}.bak`, old, { mode: null });
    await rename(`${menu}.new`, menu);
  }
  const synced = await espSync({ root: target.root, isCheck: false, runner: target.run });
  if (synced.kind === 'failed') throw new SlotFailure(`written, but the second boot partition still has the old menu: ${synced.why}`);
  return text === old ? 'the boot menu is as it should be\n' : 'the boot menu is written\n';
}

/**
 * Makes the slot that does not run one that this machine can start. Can be repeated; a cut run is put right by the next.
 * @throws SlotFailure
 */
export async function prepareSlot(target: Target, slot: SlotName): Promise<string> {
  const facts = await rootFacts(hostView(target.root));
  if (facts.booted === null) throw new SlotFailure('which slot runs cannot be told: / is on no partition or array named root_A or root_B');
  if (facts.booted === slot) throw new SlotFailure(`${slot} runs; only the other one is prepared`);
  const storage = facts.storageKind === 'md' || facts.storageKind === 'multipath' ? facts.storageKind : null;
  const nodes = await bothNodes(target);
  await makeOwn(target, slot, nodes);
  const root = inRoot(target, SLOT_MOUNT);
  await ensureDir(root, 0o700);
  await must(target, ['mount', '-t', 'ext4', nodes[slot], root]);
  try {
    await furnish(target, root, storage);
    await noteVersion(target, slot, root);
  } finally {
    await must(target, ['umount', root]);
  }
  await must(target, ['blockdev', '--flushbufs', nodes[slot]]);
  return `${slot} is ready; ${await renderMenu(target)}`;
}
