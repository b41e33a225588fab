/** Small things that several screens share. */

import type { BodyLine, WizardState } from '#installer/wizard/types.ts';
import type { Answers, Role } from '#model/answers.ts';
import type { BlockDevice } from '#model/machine.ts';
import { readRole } from '#rules/choices.ts';
import { findDisk } from '#rules/disks.ts';
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

export function targetDevice(state: WizardState): BlockDevice | null {
  const { target_disk: name } = state.answers;
  return name === undefined ? null : findDisk(state.machine, name);
}
