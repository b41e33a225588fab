/** Looks at the result with fresh eyes. A failed check never stops the run: it is told before anyone restarts. */
import path from 'node:path';
import { uuidsNamedIn } from '#boot/grub-menu.ts';
import { isArm } from '#installer/plan/layout.ts';
import { PATHS } from '#model/limits.ts';
import type { FilesystemId } from '#model/plan.ts';
import { factsOf, isBlockDevice, listNames, readText, readTextIfExists, remove } from '#system/files.ts';
import { succeeded } from '#system/run.ts';
import { type StepContext, StepFailure, type StepRunner } from '../context.ts';
import { filesystemNode, isMirror } from '../devices.ts';
import { mountOnce, unmountBelow } from '../mounts.ts';
import { accountIn } from './create-account.ts';

/** null when all is well, else what is wrong. */
type Check = () => Promise<string | null>;

const espDirs = (context: StepContext): string[] => (isMirror(context.plan) ? ['/boot/efi', '/boot/efi2'] : ['/boot/efi']);

function bootChecks(context: StepContext, esp: string): [string, Check][] {
  const { root, plan } = context;
  const dir = path.join(root, esp);
  const loader = isArm(plan.architecture) ? 'BOOTAA64.EFI' : 'BOOTX64.EFI';
  return [
    [
      `${esp}: UEFI boot loader`,
      async () => ((await factsOf(path.join(dir, 'EFI/BOOT', loader)))?.sizeBytes ? null : `EFI/BOOT/${loader} is missing`),
    ],
    [
      `${esp}: boot menu`,
      async () => {
        const result = await context.tryRun(['chroot', root, 'grub-script-check', `${esp}/grub/grub.cfg`]);
        return succeeded(result) ? null : (result.tail.at(-1) ?? 'grub.cfg does not parse');
      },
    ],
    [
      `${esp}: default entry`,
      async () =>
        (await readTextIfExists(path.join(dir, 'grub/grubenv')))?.includes('saved_entry=slot_a\n') ? null : 'grubenv does not name slot_a',
    ],
  ];
}

/** UUID a file system really has on its device, read past every cache. */
async function uuidOn(context: StepContext, id: FilesystemId): Promise<string> {
  const node = await filesystemNode(context.plan, id);
  return (await context.tryRun(['blkid', '-p', '-s', 'UUID', '-o', 'value', node])).stdout.trim();
}

async function uuidCheck(context: StepContext): Promise<string | null> {
  const { root, plan } = context;
  const onDisk = new Set<string>();
  for (const id of ['esp', 'state', 'root_a', 'root_b', 'var'] as const) onDisk.add(await uuidOn(context, id));
  const menu = await readText(path.join(root, PATHS.grubDir, 'grub.cfg'));
  const fstab = await readText(path.join(root, '/etc/fstab'));
  const named = [...uuidsNamedIn(menu), ...[...fstab.matchAll(/^UUID=(\S+)/gm)].map((m) => m[1] ?? '')];
  const missing = named.filter((uuid) => !onDisk.has(uuid) && uuid !== plan.esp2Uuid);
  if (!named.includes(plan.filesystemUuids.root_b)) return 'the boot menu does not name slot B';
  return missing.length === 0 ? null : `named but on no file system: ${missing.join(', ')}`;
}

/** What a slot needs to start: kernel, initrd and the init program, followed through links. */
async function slotFault(dir: string): Promise<string | null> {
  for (const file of ['boot/vmlinuz', 'boot/initrd.img', 'usr/lib/systemd/systemd'])
    if (!(await factsOf(path.join(dir, file), true))?.sizeBytes) return `${file} is missing or empty`;
  if ((await listNames(path.join(dir, PATHS.etcImage))).length === 0) return 'the baseline of /etc is empty';
  return null;
}

async function slotBCheck(context: StepContext): Promise<string | null> {
  const dir = `${context.root}-slot-b`;
  const node = await filesystemNode(context.plan, 'root_b');
  if (!(await isBlockDevice(node))) return 'no device';
  try {
    await mountOnce(context, dir, ['-t', 'ext4', '-o', 'ro', node]);
    return await slotFault(dir);
  } finally {
    await unmountBelow(context, dir);
    await remove(dir);
  }
}

async function accountCheck(context: StepContext): Promise<string | null> {
  const { root, plan } = context;
  // A locked image has no accounts, and its plan makes none.
  if (!plan.steps.some((s) => s.action.kind === 'create-account')) return null;
  const user = plan.settings.adminUser;
  if (accountIn(await readText(path.join(root, '/etc/passwd')), user) === null) return `no account ${user}`;
  const hash =
    (await readText(path.join(root, '/etc/shadow')))
      .split('\n')
      .find((l) => l.startsWith(`${user}:`))
      ?.split(':')[1] ?? '';
  return /^\$[0-9a-z]+\$./.test(hash) ? null : `the account ${user} has no password that can log in`;
}

/** The pairing code's file, and nothing else on STATE, is for root only. */
async function stateCheck(context: StepContext): Promise<string | null> {
  const state = path.join(context.root, PATHS.state);
  if (!(await factsOf(path.join(context.root, PATHS.stateConfig)))?.sizeBytes) return 'spatium-config.yaml is missing or empty';
  const code = await factsOf(path.join(state, 'pairing-code'));
  if (code !== null && code.mode !== 0o600) return `pairing-code has mode 0${code.mode.toString(8)}`;
  return null;
}

/** Every file this installation wrote, and its logs: a secret may stand only in one that nobody but root can read. */
async function secretCheck(context: StepContext): Promise<string | null> {
  const secrets = Object.values(context.options.secrets).flatMap((s) => (s === null ? [] : [s.reveal()]));
  const written = context.plan.steps.flatMap(({ action }) =>
    action.kind === 'write-files' || action.kind === 'write-base-files' ? action.files.map((f) => path.join(context.root, f.path)) : [],
  );
  const logs = (await listNames(context.options.logDir)).map((name) => path.join(context.options.logDir, name));
  for (const file of [...written, ...logs]) {
    const facts = await factsOf(file);
    if (facts?.kind !== 'file' || (facts.mode & 0o077) === 0) continue;
    const text = await readText(file);
    if (secrets.some((s) => text.includes(s))) return `${file} can be read by everyone and holds a secret`;
  }
  return null;
}

export const verify: StepRunner<'verify'> = async (_action, context) => {
  const checks: [string, Check][] = [
    ...espDirs(context).flatMap((esp) => bootChecks(context, esp)),
    ['file systems named by the menu and fstab', () => uuidCheck(context)],
    ['slot A', () => slotFault(context.root)],
    ['slot B', () => slotBCheck(context)],
    ['machine configuration', () => stateCheck(context)],
    ['account', () => accountCheck(context)],
    ['secrets', () => secretCheck(context)],
  ];
  context.checks.length = 0;
  for (const [name, check] of checks) {
    let fault: string | null;
    try {
      fault = await check();
    } catch (error) {
      // A check that cannot be made is not a passed one.
      fault = error instanceof StepFailure || error instanceof Error ? `could not be checked: ${error.message}` : 'could not be checked';
    }
    context.checks.push({ name, ok: fault === null, detail: fault ?? 'ok' });
    context.log.write(`check ${name}: ${fault ?? 'ok'}`);
  }
};
