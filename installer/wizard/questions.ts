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
import type { ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
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
 * The answers that count: those of screens that do not apply (a pairing code on a control plane) are kept in case the
 * operator changes back, but neither judged nor installed.
 */
export function relevantAnswers(state: WizardState): Answers {
  const dropped = new Set<AnswerKey>(QUESTION_SCREENS.filter((screen) => !screen.applies(state)).flatMap((screen) => screen.keys));
  return Object.fromEntries(Object.entries(state.answers).filter(([key]) => !dropped.has(key as AnswerKey))) as Answers;
}
