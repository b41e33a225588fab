/** An installation that was cut short on a disk of this machine: what is known of it, and whether it can go on. */
import { createHash, randomUUID } from 'node:crypto';
import { continueFrom, findInterrupted, type Interrupted, imageName } from '#installer/engine/interrupted.ts';
import { doneSteps, parseJournal } from '#installer/engine/journal.ts';
import { type MirrorHalf, readMirrorHalf, withHalf } from '#installer/engine/mirror-half.ts';
import { canonicalJson, planHash } from '#installer/plan/print-plan.ts';
import { samePlan } from '#installer/plan/same-plan.ts';
import type { UnfinishedView } from '#installer/wizard/unfinished-view.ts';
import type { Answers, Settings } from '#model/answers.ts';
import type { BlockDevice, Machine } from '#model/machine.ts';
import type { DiskLayout, Plan, SecretName } from '#model/plan.ts';
import { Secret } from '#model/secret.ts';
import { exportAnswers } from '#preseed/export.ts';
import { readAnswers } from '#preseed/read.ts';
import { diskGraph, isWholeDisk, mapOver } from '#rules/disk-graph.ts';
import { identityOf, judgeDisks, plain, sameDisk } from '#rules/disks.ts';
import { settle } from '#rules/settle.ts';
import { messageOf } from '#system/complain.ts';
import { type Runner, run } from '#system/run.ts';
import { planFor } from './prepare.ts';

const PEEK = '/run/spatium-state-peek';

export interface Unfinished {
  readonly view: UnfinishedView;
  readonly plan: Plan;
  /** Puts the journal where the engine looks for it. */
  resumeIn(logDir: string): Promise<void>;
}

export interface LookContext {
  readonly sourceSquashfs: string;
  /** As for a plan made now. */
  readonly extraKernelWords: readonly string[];
  readonly runner?: Runner;
}

/** As the superblock spells name and home. */
const STATE_ARRAY = 'any:state';
const STOPPED = 'the mirror it lies on is not assembled on this medium, and half a mirror is only read here, never written';
const OTHER_VERSION = 'it was begun by another version of the installer, or its record is damaged';

/** File systems that may be the STATE of ours, and are not in use. */
const stateNodes = (machine: Machine): readonly BlockDevice[] =>
  machine.devices.filter(
    (device) =>
      device.fsType === 'ext4' &&
      (device.partLabel?.toLowerCase() === 'state' || device.fsLabel === 'state') &&
      device.mountpoints.length === 0,
  );

interface StoppedHalf {
  readonly device: BlockDevice;
  readonly half: MirrorHalf;
}

/** Halves of a STATE mirror of ours that nobody has assembled, by array. */
async function stoppedMirrors(machine: Machine): Promise<readonly (readonly StoppedHalf[])[]> {
  const sizeOf = (kname: string): number => machine.devices.find((device) => device.kname === kname)?.sizeBytes ?? 0;
  const byArray = new Map<string, StoppedHalf[]>();
  for (const device of machine.devices) {
    const isOurs = device.fsType === 'linux_raid_member' && device.fsVersion === '1.2' && device.fsLabel === STATE_ARRAY;
    // An array that is there but not started has no size.
    if (!isOurs || device.children.some((kname) => sizeOf(kname) > 0)) continue;
    const half = await readMirrorHalf(device.path).catch(() => null);
    if (half !== null) byArray.set(half.arrayId, [...(byArray.get(half.arrayId) ?? []), { device, half }]);
  }
  return [...byArray.values()];
}

/** What the halves of one array say; they can differ when one was lost on the way, and then the later record counts. */
async function inStoppedMirror(halves: readonly StoppedHalf[], runner: Runner): Promise<Interrupted | null> {
  let latest: Interrupted | null = null;
  for (const { device, half } of halves) {
    const found = await withHalf(device.path, half, (window) => findInterrupted(window, PEEK, runner), runner).catch(() => null);
    if (found && (latest === null || found.lastAt > latest.lastAt)) latest = found;
  }
  return latest;
}

/** The same answers as a file gives them; the disks under the names of the plan. @throws for settings that no answers give */
export function answersOf(settings: Settings): Answers {
  const text = exportAnswers(settings, { targetById: null, mirrorById: null });
  const { answers } = readAnswers(new TextEncoder().encode(text), { file: 'the interrupted installation', explicit: true });
  const { confirm_wipe: _asked, ...rest } = answers;
  return rest;
}

/**
 * Null when this program makes the very same plan from those settings today. What lies on a disk is no authority:
 * a plan is followed only if it would have been made here.
 */
function planFault(stored: Plan, answers: Answers, machine: Machine, extraKernelWords: readonly string[]): string | null {
  const dummy = new Secret('x');
  const secrets = stored.settings.passwordKind === 'hash' ? { admin_password_hash: dummy } : { admin_password: dummy };
  const settings = settle({ ...answers, ...secrets, ...(stored.settings.hasPairingCode ? { pairing_code: dummy } : {}) });
  if (canonicalJson(settings) !== canonicalJson(stored.settings)) return OTHER_VERSION;
  return samePlan(planFor(settings, machine, { uuids: randomUUID, extraKernelWords }), stored) ? null : OTHER_VERSION;
}

/** Null when the disk is the piece of hardware that was confirmed and carries the table of this very plan. */
function diskFault(layout: DiskLayout, plan: Plan, machine: Machine): string | null {
  const device = machine.devices.find((candidate) => candidate.path === layout.disk.path);
  if (device === undefined) return `${plain(layout.disk.path)} is not there any more`;
  const now = identityOf(machine, device.kname);
  const isOwnTable = plan.settings.keepVar || now.table.toLowerCase().startsWith(`gpt:${layout.tableUuid}`);
  const difference = isOwnTable ? sameDisk(layout.disk, plan.settings.keepVar ? now : { ...now, table: layout.disk.table }) : null;
  if (!isOwnTable) return `${plain(layout.disk.path)} carries another partition table than the one that was begun`;
  if (difference !== null) return `${plain(layout.disk.path)} is not the disk that was confirmed: ${difference}`;
  const verdict = judgeDisks(machine).find((candidate) => candidate.kname === device.kname);
  return verdict?.selectable === true ? null : `${plain(layout.disk.path)}: ${verdict?.reasons[0]?.text ?? 'it is no whole disk'}`;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Secrets that the steps still to be done ask for, in the order of the screen. */
function neededSecrets(found: Interrupted): readonly SecretName[] {
  const done = doneSteps(parseJournal(found.journal), planHash(found.plan, sha256));
  const open = found.plan.steps.filter((step) => !done.has(step.id)).map((step) => step.action);
  return [
    ...open.flatMap((action) => (action.kind === 'create-account' ? [action.password] : [])),
    ...open.flatMap((action) => (action.kind === 'write-files' ? action.files.flatMap((file) => file.secrets ?? []) : [])),
  ];
}

async function refusalOf(found: Interrupted, answers: Answers, machine: Machine, context: LookContext): Promise<string | null> {
  for (const layout of found.plan.disks) {
    const fault = diskFault(layout, found.plan, machine);
    if (fault !== null) return fault;
  }
  if (found.image !== (await imageName(context.sourceSquashfs)))
    return 'this medium holds another image than the one that was being installed';
  return planFault(found.plan, answers, machine, context.extraKernelWords);
}

/** Nodes of the whole disks under a device, as they are called now. */
function disksUnder(machine: Machine, device: BlockDevice): readonly string[] {
  const graph = diskGraph(machine.devices);
  const disks = graph.below(device.kname).filter((below) => isWholeDisk(below) && mapOver(graph, below) === null);
  return disks.map((disk) => disk.path);
}

/** What was found on one STATE, checked. @throws for a record that is no plan of ours */
async function described(found: Interrupted, on: readonly BlockDevice[], machine: Machine, context: LookContext): Promise<Unfinished> {
  const { plan } = found;
  const answers = answersOf(plan.settings);
  const isStopped = on.some((device) => device.fsType === 'linux_raid_member');
  const refusal = await refusalOf(found, answers, machine, context).catch((error: unknown) => plain(messageOf(error)));
  const view: UnfinishedView = {
    disks: [...new Set(on.flatMap((device) => disksUnder(machine, device)))],
    hostname: plain(plan.settings.hostname),
    role: plan.settings.role,
    keepsData: plan.settings.keepVar,
    lastAt: plain(found.lastAt),
    done: found.done.map(plain),
    total: plan.steps.length,
    stoppedAt: plain(found.stoppedAt),
    refusal: isStopped ? [STOPPED, ...(refusal === null ? [] : [refusal])].join('; ') : refusal,
    answers,
    needs: neededSecrets(found),
  };
  return { view, plan, resumeIn: (logDir) => continueFrom(found, logDir) };
}

/** Every installation that was cut short on a disk of this machine, the latest first. Disks are only read. */
export async function findUnfinished(machine: Machine, context: LookContext): Promise<readonly Unfinished[]> {
  const all: Unfinished[] = [];
  const runner = context.runner ?? run;
  const look = async (on: readonly BlockDevice[], find: () => Promise<Interrupted | null>): Promise<void> => {
    try {
      const found = await find();
      if (found !== null) all.push(await described(found, on, machine, context));
    } catch {
      // Not a record of ours: nothing was cut short as far as anybody can tell.
    }
  };
  for (const node of stateNodes(machine)) await look([node], () => findInterrupted(node.path, PEEK, runner));
  for (const halves of await stoppedMirrors(machine))
    await look(
      halves.map(({ device }) => device),
      () => inStoppedMirror(halves, runner),
    );
  return all.sort((a, b) => (a.view.lastAt < b.view.lastAt ? 1 : -1));
}
