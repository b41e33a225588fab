/** The screens that own answers, in walking order, and which answers count. */

import { accountScreen } from '#installer/wizard/screens/account.ts';
import { applicationScreen } from '#installer/wizard/screens/application.ts';
import { diskScreen } from '#installer/wizard/screens/disk.ts';
import { eraseScreen } from '#installer/wizard/screens/erase.ts';
import { existingScreen } from '#installer/wizard/screens/existing.ts';
import { hostnameScreen } from '#installer/wizard/screens/hostname.ts';
import { k3sScreen } from '#installer/wizard/screens/k3s.ts';
import { keyboardScreen } from '#installer/wizard/screens/keyboard.ts';
import { mirrorScreen } from '#installer/wizard/screens/mirror.ts';
import { networkScreen } from '#installer/wizard/screens/network.ts';
import { ntpScreen } from '#installer/wizard/screens/ntp.ts';
import { roleScreen } from '#installer/wizard/screens/role.ts';
import { sshScreen } from '#installer/wizard/screens/ssh.ts';
import { timezoneScreen } from '#installer/wizard/screens/timezone.ts';
import type { ScreenDefinition, ScreenId, WizardState } from '#installer/wizard/types.ts';
import type { AnswerKey, Answers } from '#model/answers.ts';

/** The rows of the Confirm menu. */
export const QUESTION_SCREENS: readonly ScreenDefinition[] = [
  keyboardScreen,
  roleScreen,
  diskScreen,
  existingScreen,
  mirrorScreen,
  eraseScreen,
  hostnameScreen,
  accountScreen,
  sshScreen,
  networkScreen,
  timezoneScreen,
  ntpScreen,
  k3sScreen,
  applicationScreen,
];

/**
 * The steps that the counter counts. What follows from a choice of disk or role is part of one step, so the number of
 * steps is the same for every role and every disk.
 */
export const STEPS: readonly (readonly ScreenId[])[] = [
  ['keyboard'],
  ['role'],
  ['disk', 'existing', 'mirror', 'erase'],
  ['hostname'],
  ['account'],
  ['ssh'],
  ['network'],
  ['timezone'],
  ['ntp'],
  ['k3s', 'application'],
];

/** Has the answer file answered it, or the question that it goes with? */
export const isPreset = (state: WizardState, screen: ScreenDefinition): boolean =>
  state.preset.has(screen.id) || (screen.presetWith !== undefined && state.preset.has(screen.presetWith));

/**
 * The answers that count: those of screens that do not apply (a pairing code on a control plane) are kept in case the
 * operator changes back, but neither judged nor installed.
 */
export function relevantAnswers(state: WizardState): Answers {
  const dropped = new Set<AnswerKey>(QUESTION_SCREENS.filter((screen) => !screen.applies(state)).flatMap((screen) => screen.keys));
  return Object.fromEntries(Object.entries(state.answers).filter(([key]) => !dropped.has(key as AnswerKey))) as Answers;
}
