import path from 'node:path';
import { plain } from '#rules/disks.ts';
import { claimError, listNames, readText, readTextIfExists } from '#system/files.ts';
import { type StepContext, StepFailure, type StepRunner } from '../context.ts';
import { kernelName, partitionNodes } from '../devices.ts';
import { readMounts } from '../mounts.ts';

const SYS = '/sys/class/block';
const MAX_SWEEPS = 3;

/** Kernel names of a disk, its partitions and all that sits on them, from the disk outwards. */
async function stackOf(kname: string): Promise<string[]> {
  const found = [kname];
  for (let i = 0; i < found.length; i += 1) {
    const name = found[i] ?? '';
    const partitions = [...(await partitionNodes(name)).values()].map((node) => path.basename(node));
    for (const next of [...partitions, ...(await listNames(`${SYS}/${name}/holders`))]) if (!found.includes(next)) found.push(next);
  }
  return found;
}

async function numberOf(name: string): Promise<string> {
  return (await readTextIfExists(`${SYS}/${name}/dev`))?.trim() ?? '';
}

async function unmountStack(context: StepContext, stack: readonly string[]): Promise<void> {
  const numbers = new Set(await Promise.all(stack.map(numberOf)));
  for (const line of (await readText('/proc/swaps')).split('\n').slice(1)) {
    const node = line.split(/\s+/)[0] ?? '';
    if (stack.includes(path.basename(node))) await context.tryRun(['swapoff', node]);
  }
  const mounts = (await readMounts()).filter((m) => numbers.has(m.majorMinor)).reverse();
  for (const mount of mounts) await context.tryRun(['umount', mount.target]);
}

/** Takes what sits on the disk apart, outermost first. Only arrays that judging called ours ever get here: others refused the disk. */
async function takeApart(context: StepContext, stack: readonly string[]): Promise<void> {
  for (const name of [...stack].reverse()) {
    if (/^md/.test(name)) await context.tryRun(['mdadm', '--stop', `/dev/${name}`]);
    else if (/^dm-/.test(name) && name !== stack[0]) {
      const map = (await readTextIfExists(`${SYS}/${name}/dm/name`))?.trim();
      if (map) await context.tryRun(['dmsetup', 'remove', map]);
    }
  }
}

/** In words what still holds a disk; null when the kernel gives it out exclusively. */
async function holderOf(stack: readonly string[], kname: string): Promise<string | null> {
  const claim = await claimError(`/dev/${kname}`);
  if (claim === null) return null;
  const rest = stack.slice(1).filter((n) => /^(md|dm-)/.test(n));
  const numbers = new Set(await Promise.all(stack.map(numberOf)));
  const mounts = (await readMounts()).filter((m) => numbers.has(m.majorMinor)).map((m) => m.target);
  return [...mounts.map((t) => `mounted on ${t}`), ...rest.map((n) => `used by ${n}`)].join(', ') || claim;
}

/**
 * Frees the disks, or refuses. wipefs and sgdisk both succeed on a disk in use; only re-reading the table fails then,
 * and file systems would be made at stale offsets. So the kernel is asked for each disk exclusively, before any write.
 */
export const releaseDisks: StepRunner<'release-disks'> = async (_action, context) => {
  for (const layout of context.plan.disks) {
    const kname = await kernelName(layout);
    let held: string | null = null;
    for (let sweep = 0; sweep < MAX_SWEEPS; sweep += 1) {
      const stack = await stackOf(kname);
      await unmountStack(context, stack);
      await takeApart(context, stack);
      held = await holderOf(await stackOf(kname), kname);
      if (held === null) break;
    }
    if (held !== null) throw new StepFailure(`${plain(layout.disk.path)} is in use and cannot be freed: ${held}`);
  }
};
