/** All screens, in the order they are walked. */
import { QUESTION_SCREENS } from '#installer/wizard/questions.ts';
import { confirmScreen } from '#installer/wizard/screens/confirm.ts';
import { preflightScreen } from '#installer/wizard/screens/preflight.ts';
import { doneScreen, failedScreen, progressScreen } from '#installer/wizard/screens/run.ts';
import { unfinishedScreen } from '#installer/wizard/screens/unfinished.ts';
import { welcomeScreen } from '#installer/wizard/screens/welcome.ts';
import type { ScreenDefinition, ScreenId, WizardState } from '#installer/wizard/types.ts';

/** What Back and forward walk through. */
export const WALK: readonly ScreenDefinition[] = [welcomeScreen, unfinishedScreen, preflightScreen, ...QUESTION_SCREENS, confirmScreen];

const BY_ID = new Map<ScreenId, ScreenDefinition>([...WALK, progressScreen, failedScreen, doneScreen].map((screen) => [screen.id, screen]));

export function screenOf(id: ScreenId): ScreenDefinition {
  const screen = BY_ID.get(id);
  if (!screen) throw new Error(`no screen is called ${id}`);
  return screen;
}

/** Opens a screen: what was typed there before and not accepted comes back. */
export function openScreen(state: WizardState, id: ScreenId): WizardState {
  const opened = { ...state, screen: id, notice: null, busy: null };
  return { ...opened, draft: state.drafts[id] ?? screenOf(id).open(opened) };
}
