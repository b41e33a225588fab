import type { DiskLayout } from '#model/plan.ts';
import { exists } from '#system/files.ts';
import { succeeded } from '#system/run.ts';
import { type StepContext, StepFailure, type StepRunner } from '../context.ts';
import { diskNode, kernelName, layoutAt, nodeSizeBytes, partitionNodes } from '../devices.ts';
import { requireSameDisks } from './check-identity.ts';
import { freeDisk } from './release-disks.ts';

const NODES_TIMEOUT_MS = 20_000;

/** sgdisk arguments for a layout: numbers, sizes, names, types and ids as planned. */
export function tableArguments(layout: DiskLayout): string[] {
  const args = ['--clear', `--disk-guid=${layout.tableUuid}`];
  for (const p of layout.partitions) {
    const end = p.sizeBytes === null ? '0' : `+${p.sizeBytes / 1024}K`;
    args.push(
      `--new=${p.number}:0:${end}`,
      `--typecode=${p.number}:${p.code}`,
      `--change-name=${p.number}:${p.name}`,
      `--partition-guid=${p.number}:${p.partUuid}`,
    );
  }
  return args;
}

/** Tells the kernel, then waits until it shows exactly the planned partitions with the planned sizes. */
async function awaitPartitions(context: StepContext, layout: DiskLayout, node: string, kname: string): Promise<Map<number, string>> {
  const deadlineMs = performance.now() + NODES_TIMEOUT_MS;
  for (;;) {
    // The kernel makes no partitions of a map; kpartx does, with the names that the boot-time rules use too.
    if (kname.startsWith('dm-')) await context.tryRun(['kpartx', '-u', '-a', '-s', '-p', '-part', node]);
    else await context.tryRun(['partprobe', node]);
    if (await exists('/run/udev/control')) await context.tryRun(['udevadm', 'settle', '--timeout=10'], { timeoutMs: 15_000 });
    const nodes = await partitionNodes(kname);
    const wrong: string[] = [];
    for (const p of layout.partitions) {
      const sizeBytes = await nodeSizeBytes(nodes.get(p.number) ?? '/nowhere');
      if (sizeBytes === null || (p.sizeBytes !== null && sizeBytes !== p.sizeBytes)) wrong.push(p.name);
    }
    if (wrong.length === 0 && nodes.size === layout.partitions.length) return nodes;
    if (performance.now() > deadlineMs)
      throw new StepFailure(
        `the kernel does not show the new partitions of ${layout.disk.path} (${wrong.join(', ') || 'old ones remain'}); restart the machine and start over`,
      );
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const CLEAR_TRIES = 4;
const CLEAR_WAIT_MS = 500;

/** Without force: what somebody uses must not be cleared beneath them. udev's helpers hold a new partition for a moment. */
async function clear(context: StepContext, node: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const wiped = await context.tryRun(['wipefs', '--all', node]);
    if (succeeded(wiped)) return;
    if (attempt === CLEAR_TRIES) throw new StepFailure(`${node} cannot be cleared; something took hold of it`, wiped);
    await new Promise((resolve) => setTimeout(resolve, CLEAR_WAIT_MS));
  }
}

/** Erases one disk and gives it the planned table. The first write of a run is here. */
export const partition: StepRunner<'partition'> = async (action, context) => {
  const layout = layoutAt(context.plan, action.diskIndex);
  const kname = await kernelName(layout);
  const node = await diskNode(layout);
  if (context.nothingWritten()) await requireSameDisks(context);
  // Freed a moment ago; what took hold of it since would go on using offsets that are no more.
  await freeDisk(context, layout);
  context.willWrite();
  for (const old of (await partitionNodes(kname)).values()) await context.tryRun(['wipefs', '--all', '--force', old]);
  await context.run(['wipefs', '--all', '--force', node]);
  const makeTable = ['sgdisk', ...tableArguments(layout), node];
  if (!succeeded(await context.tryRun(makeTable))) {
    // A damaged table that wipefs does not know as one stands in its way. Removing it complains of the damage; that is no failure.
    await context.tryRun(['sgdisk', '--zap-all', node]);
    await context.run(makeTable);
  }
  const nodes = await awaitPartitions(context, layout, node, kname);
  // What an earlier system left at these offsets must not be found again: an old array would assemble by itself.
  for (const made of nodes.values()) await clear(context, made);
};
