/** Small things that several screens share. */

import { draftValue } from '#installer/wizard/draft.ts';
import type { BodyLine, Draft, WizardState } from '#installer/wizard/types.ts';
import type { Answers, Role } from '#model/answers.ts';
import type { Finding } from '#model/finding.ts';
import type { BlockDevice } from '#model/machine.ts';
import { isSet, readRole } from '#rules/choices.ts';
import { type DiskContents, type DiskPassport, findDisk, judgeDisks } from '#rules/disks.ts';
import { type KeptIdentity, keptIdentityOf } from '#rules/kept.ts';
import { readMode } from '#rules/network-readers.ts';

export const plainLine = (text: string): BodyLine => ({ text });
export const lines = (...texts: readonly string[]): readonly BodyLine[] => texts.map(plainLine);

/** The answers with one key set, or left out when the value is undefined. */
export function withAnswer<K extends keyof Answers>(answers: Answers, key: K, value: Answers[K] | undefined): Answers {
  const { [key]: _old, ...rest } = answers;
  return (value === undefined ? rest : { ...rest, [key]: value }) as Answers;
}

/** An empty field is no answer. */
export const orNothing = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());

/** The role in whatever spelling the rules take; null when there is none. */
export const roleOf = (answers: Answers): Role | null =>
  answers.role === undefined ? null : (readRole(answers.role.trim()).value ?? null);

export const isControlPlane = (answers: Answers): boolean => roleOf(answers) === 'control-plane';

export function networkModeOf(answers: Answers): 'dhcp' | 'static' | null {
  const text = answers.network?.mode;
  return text === undefined ? null : (readMode(text).value ?? null);
}

/** Blank or comma separated words. */
export const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** What a disk holds, as a part of a sentence: `holds nothing`, `what it holds is not known`. */
export function holdsText({ blank, recorded, summary }: DiskContents): string {
  if (blank) return 'holds nothing';
  if (recorded) return `holds ${summary}`;
  return `what it holds is not known${summary.replace(/^not recorded/, '')}`;
}

export function targetDevice(state: WizardState): BlockDevice | null {
  const { target_disk: name } = state.answers;
  return name === undefined ? null : findDisk(state.machine, name);
}

export interface Doomed {
  readonly id: 'word' | 'mirror-word';
  readonly kname: string;
}

/** The disks that will be written: the target, and the mirror where there is one. */
export function doomedDisks(state: WizardState): readonly Doomed[] {
  const target = targetDevice(state);
  const mirror = state.answers.mirror_disk === undefined ? null : findDisk(state.machine, state.answers.mirror_disk);
  return [
    ...(target ? [{ id: 'word', kname: target.kname } as const] : []),
    ...(mirror ? [{ id: 'mirror-word', kname: mirror.kname } as const] : []),
  ];
}

const MAX_SERIAL_LENGTH = 30;

/** A long serial number keeps its end, which is what confirming asks for; null: it has none. */
export function serialOf({ facts }: DiskPassport): string | null {
  const serial = facts.find((fact) => fact.label === 'Serial')?.value ?? null;
  return serial === null || serial.length <= MAX_SERIAL_LENGTH ? serial : `...${serial.slice(3 - MAX_SERIAL_LENGTH)}`;
}

/** What erasing a disk destroys on others, as a sentence; null: nothing. */
export function lossElsewhere(state: WizardState, kname: string): string | null {
  const verdict = judgeDisks(state.machine).find((candidate) => candidate.kname === kname);
  const warning = verdict?.warnings.find(({ code }) => code === 'disk.shared-volumes');
  return warning === undefined ? null : `${warning.text.charAt(0).toUpperCase()}${warning.text.slice(1)}.`;
}

/** What the installation whose data is kept was called; null when nothing is kept, or nothing is known of it. */
export function keptIdentity(state: WizardState): KeptIdentity | null {
  const device = isSet(state.answers, 'keep_var') ? targetDevice(state) : null;
  return device && keptIdentityOf(state.machine, device.kname);
}

/** Typed twice, since it is not shown; no answer can have this fault. */
export const passwordsDiffer = (draft: Draft): readonly Finding[] =>
  draftValue(draft, 'password') === draftValue(draft, 'repeat')
    ? []
    : [
        {
          severity: 'error',
          rule: 'admin_password.repeat',
          path: 'repeat',
          message: 'The two passwords differ.',
          fix: 'Type the same password in both fields.',
        },
      ];
