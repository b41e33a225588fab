/** Small things that several screens share. */

import type { BodyLine, WizardState } from '#installer/wizard/types.ts';
import type { Answers } from '#model/answers.ts';
import type { BlockDevice, DiskVerdict } from '#model/machine.ts';
import { findDisk, judgeDisks } from '#rules/disks.ts';

export const plainLine = (text: string): BodyLine => ({ text });
export const lines = (...texts: readonly string[]): readonly BodyLine[] => texts.map(plainLine);

/** The answers with one key set, or left out when the value is undefined. */
export function withAnswer<K extends keyof Answers>(answers: Answers, key: K, value: Answers[K] | undefined): Answers {
  const { [key]: _old, ...rest } = answers;
  return (value === undefined ? rest : { ...rest, [key]: value }) as Answers;
}

/** An empty field is no answer. */
export const orNothing = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());

export const isControlPlane = (answers: Answers): boolean => answers.role === 'control-plane';

/** Blank or comma separated words. */
export const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

export function targetDevice(state: WizardState): BlockDevice | null {
  const { target_disk: name } = state.answers;
  return name === undefined ? null : findDisk(state.machine, name);
}

export function targetVerdict(state: WizardState): DiskVerdict | null {
  const device = targetDevice(state);
  return device === null ? null : (judgeDisks(state.machine).find((verdict) => verdict.kname === device.kname) ?? null);
}
