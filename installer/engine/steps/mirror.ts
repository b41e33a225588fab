/** What a mirror needs beyond one disk: the arrays, their description in the initrd, a second boot partition in step. */
import path from 'node:path';
import { copyBootFiles } from '#boot/esp-sync.ts';
import { PATHS } from '#model/limits.ts';
import { ensureDir, isBlockDevice, realPath, writeAtomic } from '#system/files.ts';
import { StepFailure, type StepRunner } from '../context.ts';
import { partitionNode } from '../devices.ts';
import { mountForChroot } from '../mounts.ts';
import { extendInitrd } from './extend-initrd.ts';

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

/** mdadm.conf from what is assembled now. Throws when no array is in it: such an initrd would not find root. */
export function mdadmConfig(scan: string): string {
  const arrays = scan.split('\n').filter((line) => line.startsWith('ARRAY '));
  if (arrays.length === 0) throw new StepFailure('mdadm describes no array, so the system would not find its disk at boot');
  return `HOMEHOST <ignore>\nDEVICE partitions\n${arrays.join('\n')}\n`;
}

export const arrayConfig: StepRunner<'array-config'> = async (_action, context) => {
  await mountForChroot(context);
  const content = mdadmConfig(await context.run(['mdadm', '--detail', '--scan']));
  await ensureDir(path.join(context.root, '/etc/mdadm'));
  await writeAtomic(path.join(context.root, '/etc/mdadm/mdadm.conf'), content);
  await extendInitrd(context, [{ path: 'etc/mdadm/mdadm.conf', mode: 0o644, content }], ['md-mod.ko', 'raid1.ko', 'sbin/mdadm']);
};

export const syncEsp: StepRunner<'sync-esp'> = async (_action, { root, log }) => {
  const names = await copyBootFiles(path.join(root, PATHS.grubDir), path.join(root, '/boot/efi2/grub'));
  log.write(`second boot partition: ${names.join(', ') || 'the same already'}`);
};
