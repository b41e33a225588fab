/** `spatium slot`, also called `spatium-upgrade-slot`: which slot starts next, once or for good, in GRUB's environment block. */
import { PATHS } from '#model/limits.ts';
import type { SlotsData } from '#model/status-sections.ts';
import { readTextIfExists } from '#system/files.ts';
import { hostView } from '#system/observe.ts';
import { describeEnd, succeeded } from '#system/run.ts';
import { espSync } from './esp-sync.ts';
import { applyImage } from './slot-apply.ts';
import { prepareSlot, renderMenu, SlotFailure } from './slot-prepare.ts';
import { otherSlot, parseGrubenv, readSlots, type SlotName, slotOf } from './slots.ts';
import { inRoot, isLive, type Target } from './target.ts';

export const SLOT_USAGE = `usage: spatium slot status [--json]
       spatium slot set-next-boot [SLOT]
       spatium slot set-default SLOT
       spatium slot commit [SLOT]
       spatium slot rollback
       spatium slot apply IMAGE --sha256 HEX
       spatium slot prepare [SLOT]
       spatium slot render

SLOT is slot_a or slot_b. Nothing restarts by itself. spatium-upgrade-slot is the same.

  status         which slot runs, which one is kept, what starts next, and the versions
  set-next-boot  start SLOT (the one that does not run) at the next boot only; the boot after that is the kept one again
  set-default    keep SLOT: every boot from the next one on
  commit         keep the slot that runs; another one named is refused
  rollback       keep the slot that does not run
  apply          write IMAGE (the live/filesystem.squashfs of an installer medium) to the slot that does not run, and prepare
                 that; HEX is what its publisher states. It starts when set-next-boot says so
  prepare        make the slot that does not run, with a new image on it, one that this machine can start: label and UUID,
                 mounts, mirror or multipath in its initrd, its version, the boot menu
  render         write the boot menu anew from what is on the slots (also called spatium-grub-render)

A slot whose version is not known is not switched to. All but status need root.
exit: 0 done, 1 refused or failed with the reason printed, 2 wrong call, or the slots cannot be told, 3 grub-editenv failed
`;

type Verb = 'status' | 'set-next-boot' | 'set-default' | 'commit' | 'rollback' | 'apply' | 'prepare' | 'render';

export interface SlotCall {
  readonly verb: Verb;
  readonly slot: SlotName | null;
  readonly json: boolean;
  /** Of apply only. */
  readonly image?: { readonly file: string; readonly sha256: string };
}

/** Which verbs take a slot: `no`, `may` or `must`. */
const TAKES_SLOT: Readonly<Record<Verb, 'no' | 'may' | 'must'>> = {
  status: 'no',
  'set-next-boot': 'may',
  'set-default': 'must',
  commit: 'may',
  rollback: 'no',
  apply: 'no',
  prepare: 'may',
  render: 'no',
};

/** `apply IMAGE --sha256 HEX`, in any order. A hash that is not given is not made up: what is written will run as root. */
function readApply(words: readonly string[]): SlotCall | string {
  const at = words.indexOf('--sha256');
  const sha256 = at < 0 ? undefined : words[at + 1]?.toLowerCase();
  if (sha256 === undefined || !/^[0-9a-f]{64}$/.test(sha256)) return 'apply wants --sha256 with 64 hexadecimal digits';
  const [file, ...more] = words.filter((_, i) => i !== at && i !== at + 1);
  if (file === undefined || file.startsWith('-')) return 'apply wants the path of an image';
  if (more.length > 0) return `${JSON.stringify(more[0])} is one word too many`;
  return { verb: 'apply', slot: null, json: false, image: { file, sha256 } };
}

/** The words after `slot`, or what is wrong with them. */
export function readSlotCall(words: readonly string[]): SlotCall | string {
  if (words[0] === 'apply') return readApply(words.slice(1));
  const json = words.includes('--json');
  const [verb, name, ...more] = words.filter((w) => w !== '--json');
  if (verb === undefined || !Object.hasOwn(TAKES_SLOT, verb))
    return `${JSON.stringify(verb ?? '')} is none of ${Object.keys(TAKES_SLOT).join(', ')}`;
  const takes = TAKES_SLOT[verb as Verb];
  if (json && verb !== 'status') return '--json goes with status only';
  if (more.length > 0 || (name !== undefined && takes === 'no')) return `${JSON.stringify(more[0] ?? name)} is one word too many`;
  if (name === undefined && takes === 'must') return `${verb} wants slot_a or slot_b`;
  if (name !== undefined && name !== 'slot_a' && name !== 'slot_b') return `${JSON.stringify(name)} is neither slot_a nor slot_b`;
  return { verb: verb as Verb, slot: name ?? null, json };
}

/** Why something was not done, with the exit code that says so. */
class Refusal extends Error {
  readonly code: 1 | 2 | 3;
  constructor(code: 1 | 2 | 3, message: string) {
    super(message);
    this.code = code;
  }
}

const GRUBENV = `${PATHS.grubDir}/grubenv`;

async function facts(target: Target): Promise<SlotsData> {
  if ((await readTextIfExists(inRoot(target, GRUBENV))) === null)
    throw new Refusal(2, `${GRUBENV} is not there: this is no installed appliance, or its boot partition is not mounted`);
  const slots = await readSlots(hostView(target.root));
  if (slots === null) throw new Refusal(2, 'this machine does not have two slots');
  return slots;
}

function running(slots: SlotsData): SlotName {
  const booted = slotOf(slots.booted);
  if (booted === null) throw new Refusal(2, 'which slot runs cannot be told: / is on no partition or array named root_A or root_B');
  return booted;
}

/** An entry that GRUB does not have would end in its menu, and an unknown version is most likely no system at all. */
async function checkTarget(target: Target, slots: SlotsData, slot: SlotName): Promise<void> {
  const { version_state: state } = slots.slots[slot];
  if (state !== 'known')
    throw new Refusal(
      1,
      `${slot} is not switched to: its version is ${state === 'unknown' ? 'not known' : state}; write an image to it first`,
    );
  const menu = (await readTextIfExists(inRoot(target, `${PATHS.grubDir}/grub.cfg`))) ?? '';
  if (!new RegExp(`--id ${slot}\\s`).test(menu))
    throw new Refusal(1, `${slot} is not switched to: ${PATHS.grubDir}/grub.cfg has no entry for it`);
}

async function editenv(target: Target, words: readonly string[]): Promise<void> {
  const result = await target.run(['grub-editenv', inRoot(target, GRUBENV), ...words]);
  if (!succeeded(result))
    throw new Refusal(3, `grub-editenv: ${describeEnd(result)}${result.tail.length > 0 ? `: ${result.tail.at(-1)}` : ''}`);
}

/** Sets variables (null: takes it away), reads them back, and brings a mirror's second boot partition in step. */
async function change(target: Target, wanted: Readonly<Record<string, string | null>>): Promise<void> {
  const before = parseGrubenv((await readTextIfExists(inRoot(target, GRUBENV))) ?? '');
  const set = Object.entries(wanted).flatMap(([key, value]) => (value === null ? [] : [`${key}=${value}`]));
  const unset = Object.keys(wanted).filter((key) => wanted[key] === null && before.has(key));
  // The one-shot goes first: between the two writes the next boot is the kept slot, never a forgotten trial.
  if (unset.length > 0) await editenv(target, ['unset', ...unset]);
  if (set.length > 0) await editenv(target, ['set', ...set]);
  const after = parseGrubenv((await readTextIfExists(inRoot(target, GRUBENV))) ?? '');
  const wrong = Object.keys(wanted).find((key) => (after.get(key) ?? null) !== wanted[key]);
  if (wrong !== undefined) throw new Refusal(3, `${GRUBENV}: ${wrong} does not read back as it was written`);
  const synced = await espSync({ root: target.root, isCheck: false, runner: target.run });
  if (synced.kind === 'failed') throw new Refusal(1, `changed, but the second boot partition still has the old state: ${synced.why}`);
  if (synced.kind === 'absent') target.note('one of the two disks is not there; its boot partition keeps the old state until it is back');
}

function statusText(slots: SlotsData): string {
  const row = (name: SlotName): string => {
    const { version, version_state: state } = slots.slots[name];
    const tags = [
      slots.booted === name ? 'running' : '',
      slots.durable === name ? 'kept' : '',
      slotOf(slots.next_once) === name ? 'next boot' : '',
    ];
    return `${name}  ${version ?? `version ${state === 'unknown' ? 'not known' : state}`}  ${tags.filter((t) => t !== '').join(', ')}`.trimEnd();
  };
  const trial = slots.is_trial === true ? `trial: the next boot is ${slots.durable} unless this slot is kept\n` : '';
  const doubt = slots.available ? '' : `not known: ${slots.booted === null ? 'which slot runs' : 'which slot is kept'}\n`;
  return `${row('slot_a')}\n${row('slot_b')}\n${trial}${doubt}`;
}

async function act(target: Target, call: SlotCall): Promise<string> {
  const slots = await facts(target);
  switch (call.verb) {
    case 'status':
      return call.json ? `${JSON.stringify(slots)}\n` : statusText(slots);
    case 'set-next-boot': {
      const slot = call.slot ?? otherSlot(running(slots));
      await checkTarget(target, slots, slot);
      await change(target, { next_entry: slot });
      return `${slot} (${slots.slots[slot].version}) starts at the next boot, once; after that ${slots.durable ?? 'slot_a'} again\n`;
    }
    case 'commit':
      if (call.slot !== null && call.slot !== running(slots))
        throw new Refusal(
          1,
          `${call.slot} does not run, so it is not proved to start; commit keeps ${running(slots)}, set-default ${call.slot} keeps the other`,
        );
      return await keep(target, slots, running(slots));
    case 'set-default':
      return await keep(target, slots, call.slot ?? running(slots));
    case 'apply':
      if (call.image === undefined) throw new Refusal(2, 'apply wants an image');
      return await applyImage(target, call.image.file, call.image.sha256);
    case 'prepare':
      return await prepareSlot(target, call.slot ?? otherSlot(running(slots)));
    case 'render':
      return await renderMenu(target);
    case 'rollback':
      return await keep(target, slots, otherSlot(running(slots)));
  }
}

/** A one-shot that is still pending would start something else than what was just chosen for good. */
async function keep(target: Target, slots: SlotsData, slot: SlotName): Promise<string> {
  await checkTarget(target, slots, slot);
  await change(target, { next_entry: null, saved_entry: slot });
  return `${slot} (${slots.slots[slot].version}) is kept: every boot from the next one on starts it\n`;
}

/** Carries a call out. `isRoot`: whether the caller may change the running system. */
export async function slotCommand(
  target: Target,
  call: SlotCall,
  isRoot: boolean,
): Promise<{ readonly text: string; readonly code: number }> {
  try {
    if (call.verb !== 'status' && isLive(target) && !isRoot) throw new Refusal(1, `${call.verb} changes the boot loader: run it as root`);
    return { text: await act(target, call), code: 0 };
  } catch (error) {
    if (!(error instanceof Refusal) && !(error instanceof SlotFailure)) throw error;
    target.note(`spatium slot: ${error.message}`);
    return { text: '', code: error instanceof Refusal ? error.code : 1 };
  }
}
