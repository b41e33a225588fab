/** What a mirror needs beyond one disk: the arrays, their description in the initrd, a second boot partition in step. */
import path from 'node:path';
import { copyBootFiles } from '#boot/esp-sync.ts';
import { describeStorage, mdadmFile } from '#boot/slot-initrd.ts';
import { PATHS } from '#model/limits.ts';
import { isBlockDevice, realPath } from '#system/files.ts';
import { StepFailure, type StepRunner } from '../context.ts';
import { partitionNode } from '../devices.ts';

const NODE_TIMEOUT_MS = 15_000;

/**
 * Named arrays, because numbers follow the order of assembly; metadata 1.2, so that no member can be mounted by itself.
 * The first synchronisation runs in the background, without --assume-clean: both halves must really be equal.
 */
export const makeArray: StepRunner<'make-array'> = async (action, context) => {
  const node = `/dev/md/${action.name}`;
  if ((await realPath(node)) !== null) await context.tryRun(['mdadm', '--stop', node]);
  const members = [await partitionNode(context.plan, 0, action.partition), await partitionNode(context.plan, 1, action.partition)];
  context.willWrite();
  const argv = ['mdadm', '--create', node, '--level=1', '--raid-devices=2', '--metadata=1.2', '--bitmap=internal', '--homehost=any'];
  await context.run([...argv, `--name=${action.name}`, '--run', ...members]);
  const deadlineMs = performance.now() + NODE_TIMEOUT_MS;
  while (!(await isBlockDevice((await realPath(node)) ?? node))) {
    if (performance.now() > deadlineMs) throw new StepFailure(`the mirror ${node} was created but does not appear`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
};

/** That the initrd can work with it was proved before anything was written. */
export const arrayConfig: StepRunner<'array-config'> = async (_action, context) =>
  describeStorage(context.root, [mdadmFile(await context.run(['mdadm', '--detail', '--scan']))], PATHS.etcImage);

/** The second boot partition gets what it lacks of the first, so that either disk starts alone. */
export const syncEsp: StepRunner<'sync-esp'> = async (_action, { root, log }) => {
  const names = await copyBootFiles(path.join(root, PATHS.grubDir), path.join(root, '/boot/efi2/grub'));
  log.write(`second boot partition: ${names.join(', ') || 'the same already'}`);
};
