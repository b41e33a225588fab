/** Which function does which kind of step. */
import type { StepKind } from '#model/plan.ts';
import type { StepContext, StepRunner } from '../context.ts';
import { bootLoader, bootMenu } from './boot.ts';
import { checkIdentity } from './check-identity.ts';
import { cloneSlot } from './clone-slot.ts';
import { copySystem } from './copy-system.ts';
import { createAccount } from './create-account.ts';
import { saveLogsStep, unmountStep } from './finish.ts';
import { format } from './format.ts';
import { keepData } from './keep-data.ts';
import { arrayConfig, makeArray, syncEsp } from './mirror.ts';
import { mountData, mountOverlay, mountTarget } from './mount-target.ts';
import { multipathConfig } from './multipath.ts';
import { partition } from './partition.ts';
import { releaseDisks } from './release-disks.ts';
import { linkKernel, lockRoot, removeLiveParts, snapshotEtc } from './system-tree.ts';
import { verify } from './verify.ts';
import { linkTimezone, maskTimeSources, writeBaseFiles, writeFiles } from './write-files.ts';

const RUNNERS: { readonly [K in StepKind]: StepRunner<K> } = {
  'check-identity': checkIdentity,
  'release-disks': releaseDisks,
  partition,
  'make-array': makeArray,
  format,
  'mount-target': mountTarget,
  'copy-system': copySystem,
  'keep-data': keepData,
  'remove-live-parts': removeLiveParts,
  'link-kernel': linkKernel,
  'write-base-files': writeBaseFiles,
  'lock-root': lockRoot,
  'snapshot-etc': snapshotEtc,
  'mount-overlay': mountOverlay,
  'write-files': writeFiles,
  'link-timezone': linkTimezone,
  'mask-time-sources': maskTimeSources,
  'array-config': arrayConfig,
  'multipath-config': multipathConfig,
  'create-account': createAccount,
  'boot-menu': bootMenu,
  'boot-loader': bootLoader,
  'sync-esp': syncEsp,
  'clone-slot': cloneSlot,
  verify,
  'save-logs': saveLogsStep,
  unmount: unmountStep,
};

/** Steps that change nothing lasting, so a continued run does them again. */
export const ALWAYS_RUN: readonly StepKind[] = ['check-identity', 'mount-target', 'mount-overlay', 'verify', 'save-logs', 'unmount'];

/** Steps after which every disk still is as it was. */
export const WRITES_NOTHING: readonly StepKind[] = ['check-identity', 'release-disks'];

/** What a step leaves mounted for the next ones, when a continued run finds it done already. */
export const WHEN_SKIPPED: Readonly<Partial<Record<StepKind, (context: StepContext) => Promise<void>>>> = { 'keep-data': mountData };

/** Does one step. */
export function runStep(action: { readonly kind: StepKind }, context: StepContext): Promise<void> {
  // The table maps each kind to the runner of that very kind; the compiler cannot follow that through the union.
  const runner = RUNNERS[action.kind] as (a: typeof action, c: StepContext) => Promise<void>;
  return runner(action, context);
}
