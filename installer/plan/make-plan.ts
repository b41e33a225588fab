/** Settings and a machine in, the whole installation out: typed steps as data. Pure; nothing is looked up. */
import type { Settings } from '#model/answers.ts';
import { PRODUCT_NAME } from '#model/limits.ts';
import type { DiskIdentity, Firmware, Machine } from '#model/machine.ts';
import type { DiskLayout, FilesystemId, GrubTarget, Plan, Step, StepAction } from '#model/plan.ts';
import { keptLayoutOf } from '#rules/disks.ts';
import { isArm, keptDiskLayout, LABELS, layoutFor, MIRRORED, SECOND_ESP_LABEL } from './layout.ts';
import { stateFiles } from './state-files.ts';
import { baseFiles, CARRIED, LIVE_PARTS, LIVE_PARTS_OUTSIDE_VAR, overlayFiles, overlayRemovals, REPLACED_IN_VAR } from './system-files.ts';

export interface PlanInput {
  readonly settings: Settings;
  readonly machine: Machine;
  readonly target: DiskIdentity;
  /** The mirror's second disk. */
  readonly mirror?: DiskIdentity | null;
  /** What target and mirror hold, in this order: see `DiskLayout`. */
  readonly holds?: readonly (string | null)[];
  /** A fresh random UUID, lower case, at each call. */
  readonly uuids: () => string;
  /** Words after `---` on the medium's command line, taken over to the installed system. */
  readonly extraKernelWords: readonly string[];
  /** The image has no login, so no account is made and nothing opens a rescue shell. */
  readonly isLocked?: boolean;
  /** The answers as an answer file, without secrets. */
  readonly exportedAnswers: string;
}

/** Volume ids of FAT are eight hex digits, written `XXXX-XXXX`. */
function fatId(uuid: string): string {
  const hex = uuid.replaceAll('-', '').slice(0, 8).toUpperCase();
  return `${hex.slice(0, 4)}-${hex.slice(4)}`;
}

interface Parts {
  readonly input: PlanInput;
  readonly disks: readonly DiskLayout[];
  readonly uuids: Readonly<Record<FilesystemId, string>>;
  readonly esp2Uuid: string | null;
  readonly machineId: string;
}

const step = (id: string, title: string, weight: number, action: StepAction): Step => ({ id, title, weight, action });

function diskSteps({ input, disks, uuids, esp2Uuid }: Parts): Step[] {
  const keepsData = input.settings.keepVar;
  const steps = [
    step('check-identity', 'Check that the disk is still the same', 1, { kind: 'check-identity' }),
    step('release-disks', 'Release the disk', 2, { kind: 'release-disks' }),
    ...(keepsData ? [] : disks).map((d, diskIndex) =>
      step(diskIndex === 0 ? 'partition' : 'partition-mirror', `Partition ${d.disk.path}`.slice(0, 50), 3, {
        kind: 'partition',
        diskIndex,
      }),
    ),
  ];
  if (disks.length > 1)
    for (const partition of MIRRORED)
      steps.push(
        step(`array-${LABELS[partition]}`, `Create the mirror ${LABELS[partition]}`, 1, {
          kind: 'make-array',
          partition,
          name: LABELS[partition],
        }),
      );
  const formatted: readonly FilesystemId[] = keepsData ? ['esp', 'root_a'] : ['esp', 'state', 'root_a', 'var'];
  for (const partition of formatted) {
    const label = LABELS[partition];
    steps.push(
      step(`format-${label.toLowerCase()}`, `Make the file system ${label}`, 1, {
        kind: 'format',
        partition,
        diskIndex: 0,
        filesystem: partition === 'esp' ? 'vfat' : 'ext4',
        label,
        uuid: uuids[partition],
      }),
    );
  }
  if (esp2Uuid !== null)
    steps.push(
      step('format-esp2', `Make the file system ${SECOND_ESP_LABEL}`, 1, {
        kind: 'format',
        partition: 'esp',
        diskIndex: 1,
        filesystem: 'vfat',
        label: SECOND_ESP_LABEL,
        uuid: esp2Uuid,
      }),
    );
  return steps;
}

/** A map, not one of its paths: those are refused long before. */
function isMultipath({ machine, target }: PlanInput): boolean {
  const device = machine.devices.find((d) => d.kname === target.kname);
  return device?.type === 'mpath' || (device?.dmUuid?.startsWith('mpath-') ?? false);
}

function systemSteps({ input, disks, uuids, esp2Uuid, machineId }: Parts): Step[] {
  const { settings } = input;
  const keepsData = settings.keepVar;
  const steps = [
    step('mount-target', 'Mount the new file systems', 1, { kind: 'mount-target', withData: !keepsData }),
    step('copy-system', 'Copy the system', 60, { kind: 'copy-system' }),
    ...(keepsData ? [step('keep-data', 'Join the kept /var', 2, { kind: 'keep-data', carry: CARRIED, replace: REPLACED_IN_VAR })] : []),
    step('remove-live-parts', 'Remove what belongs to the medium', 1, {
      kind: 'remove-live-parts',
      paths: keepsData ? LIVE_PARTS_OUTSIDE_VAR : LIVE_PARTS,
      logs: !keepsData,
    }),
    step('link-kernel', 'Point at the kernel', 1, { kind: 'link-kernel' }),
    step('base-files', 'Write the base configuration', 1, {
      kind: 'write-base-files',
      files: baseFiles(settings, uuids, esp2Uuid, input.isLocked === true),
    }),
    ...(disks.length > 1 ? [step('array-config', 'Describe the mirror to the boot image', 8, { kind: 'array-config' })] : []),
    ...(isMultipath(input) ? [step('multipath-config', 'Describe the paths to the boot image', 4, { kind: 'multipath-config' })] : []),
    // A locked image has no tool for it, and its build looks that root is locked.
    ...(input.isLocked === true ? [] : [step('lock-root', 'Lock the root account', 1, { kind: 'lock-root' })]),
    step('snapshot-etc', 'Take the baseline of /etc', 1, { kind: 'snapshot-etc' }),
    step('mount-overlay', 'Lay the persistent /etc over it', 1, { kind: 'mount-overlay' }),
    step('files', 'Write the configuration', 1, {
      kind: 'write-files',
      files: [...overlayFiles(settings), ...stateFiles(settings, disks, input.exportedAnswers, machineId)],
      remove: overlayRemovals(settings),
    }),
    step('timezone', 'Set the time zone', 1, { kind: 'link-timezone', zone: settings.timezone }),
  ];
  if (settings.ntpServers.length === 0)
    steps.push(step('mask-time-sources', 'Turn the time sources off', 1, { kind: 'mask-time-sources' }));
  if (input.isLocked === true) return steps;
  steps.push(
    step('account', `Create the account ${settings.adminUser}`.slice(0, 50), 1, {
      kind: 'create-account',
      user: settings.adminUser,
      password: settings.passwordKind === 'hash' ? 'admin_password_hash' : 'admin_password',
      setRootPassword: settings.setRootPassword,
      authorizedKeys: settings.sshAuthorizedKeys,
    }),
  );
  return steps;
}

/** The loader of the way this machine booted must work; the other one is a courtesy to the next machine the disk is put in. */
function loaderTargets(firmware: Firmware, architecture: string): { target: GrubTarget; isRequired: boolean }[] {
  if (isArm(architecture)) return [{ target: 'arm64-efi', isRequired: true }];
  return [
    { target: 'i386-pc', isRequired: firmware === 'bios' },
    { target: 'x86_64-efi', isRequired: firmware === 'uefi' },
  ];
}

function bootSteps({ input, disks, uuids, machineId }: Parts): Step[] {
  const { machine } = input;
  const steps = [
    step('boot-menu', 'Write the boot menu', 1, {
      kind: 'boot-menu',
      rootAUuid: uuids.root_a,
      rootBUuid: uuids.root_b,
      isLocked: input.isLocked === true,
      // systemd reads the id before /etc is laid over, so it is given from outside: one id for both slots, from the first boot.
      extraKernelWords: [`systemd.machine_id=${machineId}`, ...input.extraKernelWords],
    }),
  ];
  disks.forEach((_, diskIndex) => {
    for (const { target, isRequired } of loaderTargets(machine.firmware, machine.architecture))
      steps.push(
        step(`boot-loader-${target}${diskIndex === 0 ? '' : '-mirror'}`, `Install the boot loader ${target}`, 3, {
          kind: 'boot-loader',
          target,
          diskIndex,
          required: isRequired,
        }),
      );
  });
  if (disks.length > 1) steps.push(step('sync-esp', 'Bring the second boot partition in step', 1, { kind: 'sync-esp' }));
  return steps;
}

interface Ground {
  readonly disks: readonly DiskLayout[];
  readonly uuids: Readonly<Record<FilesystemId, string>>;
}

function freshGround(input: PlanInput, mirror: DiskIdentity | null): Ground {
  const disks = [input.target, ...(mirror === null ? [] : [mirror])];
  return {
    disks: disks.map((d) => layoutFor(d, input.machine.architecture, mirror !== null, input.uuids)),
    uuids: {
      esp: fatId(input.uuids()),
      state: input.uuids(),
      root_a: input.uuids(),
      root_b: input.uuids(),
      var: input.uuids(),
    },
  };
}

/** The layout that is there: the slots and the boot partition get new file systems, /var and STATE keep theirs. */
function keptGround(input: PlanInput): Ground {
  const kept = keptLayoutOf(input.machine, input.target.kname);
  if (kept.kind === 'refused') throw new RangeError(`makePlan: /var cannot be kept: ${kept.reason.text}`);
  const { layout, stateUuid, varUuid } = keptDiskLayout(input.target, input.machine.architecture, kept);
  return {
    disks: [layout],
    uuids: { esp: fatId(input.uuids()), state: stateUuid, root_a: input.uuids(), root_b: input.uuids(), var: varUuid },
  };
}

/**
 * Makes the plan of an installation: fresh on one disk, fresh on two as a mirror, or on one whose /var is kept.
 * Throws RangeError when the settings and the disks contradict each other: the rules were not asked first.
 */
export function makePlan(input: PlanInput): Plan {
  const { settings, machine, target } = input;
  const mirror = input.mirror ?? null;
  if ((settings.mirrorDisk === null) !== (mirror === null)) throw new RangeError('makePlan: mirror disk and mirror answer do not agree');
  if (settings.keepVar && mirror !== null) throw new RangeError('makePlan: a mirror is made new; it cannot keep /var');
  const { disks: layouts, uuids } = settings.keepVar ? keptGround(input) : freshGround(input, mirror);
  const disks = layouts.map((layout, i): DiskLayout => {
    const holds = input.holds?.[i];
    return holds === undefined ? layout : { ...layout, holds };
  });
  const parts: Parts = {
    input,
    disks,
    uuids,
    esp2Uuid: mirror === null ? null : fatId(input.uuids()),
    machineId: input.uuids().replaceAll('-', ''),
  };
  return {
    schema: 1,
    product: PRODUCT_NAME,
    firmware: machine.firmware,
    architecture: machine.architecture,
    settings,
    target,
    disks,
    esp2Uuid: parts.esp2Uuid,
    filesystemUuids: uuids,
    steps: [
      ...diskSteps(parts),
      ...systemSteps(parts),
      ...bootSteps(parts),
      step('clone-slot', 'Copy slot A to slot B', 15, { kind: 'clone-slot' }),
      step('verify', 'Check the result', 2, { kind: 'verify' }),
      step('save-logs', 'Save the logs', 1, { kind: 'save-logs' }),
      step('unmount', 'Unmount', 1, { kind: 'unmount' }),
    ],
  };
}
