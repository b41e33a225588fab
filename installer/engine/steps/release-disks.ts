import path from 'node:path';
import type { DiskLayout } from '#model/plan.ts';
import { plain } from '#rules/disks.ts';
import { claimError, listNames, readText, readTextIfExists } from '#system/files.ts';
import { type MountEntry, unescapeOctal } from '#system/mountinfo.ts';
import { usersOf } from '#system/users.ts';
import { type StepContext, StepFailure, type StepRunner } from '../context.ts';
import { kernelName, partitionNodes } from '../devices.ts';
import { readMounts } from '../mounts.ts';

const SYS = '/sys/class/block';
const MAX_SWEEPS = 3;

/** Loop devices by the device they show; the kernel counts them neither as holders nor as exclusive users. */
async function loopsByDevice(): Promise<Map<string, string[]>> {
  const loops = new Map<string, string[]>();
  for (const name of await listNames(SYS)) {
    const file = /^loop\d+$/.test(name) ? (await readTextIfExists(`${SYS}/${name}/loop/backing_file`))?.trim() : undefined;
    if (file?.startsWith('/dev/')) loops.set(path.basename(file), [...(loops.get(path.basename(file)) ?? []), name]);
  }
  return loops;
}

/** Kernel names of a disk, its partitions and all that sits on them, from the disk outwards. */
async function stackOf(kname: string): Promise<string[]> {
  const found = [kname];
  const loops = await loopsByDevice();
  for (let i = 0; i < found.length; i += 1) {
    const name = found[i] ?? '';
    const partitions = [...(await partitionNodes(name)).values()].map((node) => path.basename(node));
    for (const next of [...partitions, ...(await listNames(`${SYS}/${name}/holders`)), ...(loops.get(name) ?? [])])
      if (!found.includes(next)) found.push(next);
  }
  return found;
}

async function numberOf(name: string): Promise<string> {
  return (await readTextIfExists(`${SYS}/${name}/dev`))?.trim() ?? '';
}

/** Swap on one of those devices, or in a file on what is mounted from them. */
async function swapOn(stack: readonly string[], mounts: readonly MountEntry[]): Promise<string[]> {
  const swaps = (await readText('/proc/swaps')).split('\n').slice(1);
  // Blanks in names are escaped there as in the mount table.
  const nodes = swaps.map((line) => unescapeOctal(line.split(/\s+/)[0] ?? '')).filter((node) => node !== '');
  return nodes.filter((node) => stack.includes(path.basename(node)) || mounts.some((m) => node.startsWith(`${m.target}/`)));
}

async function unmountStack(context: StepContext, stack: readonly string[]): Promise<void> {
  const numbers = new Set(await Promise.all(stack.map(numberOf)));
  const mounts = (await readMounts()).filter((m) => numbers.has(m.majorMinor)).reverse();
  for (const node of await swapOn(stack, mounts)) await context.tryRun(['swapoff', node]);
  for (const mount of mounts) await context.tryRun(['umount', mount.target]);
}

/** Takes what sits on the disk apart, outermost first. Only arrays that judging called ours ever get here: others refused the disk. */
async function takeApart(context: StepContext, stack: readonly string[]): Promise<void> {
  for (const name of [...stack].reverse()) {
    if (/^md/.test(name)) await context.tryRun(['mdadm', '--stop', `/dev/${name}`]);
    else if (/^loop\d+$/.test(name) && name !== stack[0]) await context.tryRun(['losetup', '--detach', `/dev/${name}`]);
    else if (/^dm-/.test(name) && name !== stack[0]) {
      const map = (await readTextIfExists(`${SYS}/${name}/dm/name`))?.trim();
      if (map) await context.tryRun(['dmsetup', 'remove', map]);
    }
  }
}

/** In words what still holds a disk; null when nothing sits on it and the kernel gives it out exclusively. */
async function holderOf(kname: string): Promise<string | null> {
  const stack = await stackOf(kname);
  const claim = await claimError(`/dev/${kname}`);
  const rest = stack.slice(1).filter((n) => (claim === null ? /^loop\d+$/ : /^(md|dm-|loop\d+$)/).test(n));
  if (claim === null && rest.length === 0) return null;
  const numbers = new Set(await Promise.all(stack.map(numberOf)));
  const mounts = (await readMounts()).filter((m) => numbers.has(m.majorMinor));
  const swaps = await swapOn(stack, mounts);
  const seen = [...mounts.map((m) => `mounted on ${m.target}`), ...swaps.map((s) => `swap on ${s}`), ...rest.map((n) => `used by ${n}`)];
  if (seen.length > 0) return seen.map(plain).join(', ');
  // Nothing here shows it: a container's own mounts, or a program that asked for the device alone.
  const users = await usersOf({ numbers, nodes: stack.map((name) => `/dev/${name}`) });
  return users.length > 0 ? users.map(plain).join(', ') : `the kernel says ${claim}, and nothing shows what uses it; restart the machine`;
}

/** Takes a disk out of every use. Throws StepFailure naming what keeps it, with nothing written. */
export async function freeDisk(context: StepContext, layout: DiskLayout): Promise<void> {
  const kname = await kernelName(layout);
  let held = await holderOf(kname);
  for (let sweep = 0; sweep < MAX_SWEEPS && held !== null; sweep += 1) {
    const stack = await stackOf(kname);
    await unmountStack(context, stack);
    await takeApart(context, stack);
    held = await holderOf(kname);
  }
  if (held !== null) throw new StepFailure(`${plain(layout.disk.path)} is in use and cannot be freed: ${held}`);
}

/**
 * Frees the disks, or refuses. wipefs and sgdisk both succeed on a disk in use; only re-reading the table fails then,
 * and file systems would be made at stale offsets. So the kernel is asked for each disk exclusively, before any write.
 */
export const releaseDisks: StepRunner<'release-disks'> = async (_action, context) => {
  for (const layout of context.plan.disks) await freeDisk(context, layout);
};
