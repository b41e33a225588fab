/** The screens that own answers, in walking order, and which answers count. */

import { accountScreen } from '#installer/wizard/screens/account.ts';
import { applicationScreen } from '#installer/wizard/screens/application.ts';
import { diskScreen } from '#installer/wizard/screens/disk.ts';
import { eraseScreen } from '#installer/wizard/screens/erase.ts';
import { hostnameScreen } from '#installer/wizard/screens/hostname.ts';
import { networkScreen } from '#installer/wizard/screens/network.ts';
import { roleScreen } from '#installer/wizard/screens/role.ts';
import { timezoneScreen } from '#installer/wizard/screens/timezone.ts';
import type { ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { AnswerKey, Answers } from '#model/answers.ts';

/** The rows of the Confirm menu. */
export const QUESTION_SCREENS: readonly ScreenDefinition[] = [
  roleScreen,
  diskScreen,
  eraseScreen,
  hostnameScreen,
  accountScreen,
  networkScreen,
  timezoneScreen,
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
