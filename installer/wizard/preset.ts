/** What an answer file has answered before the dialogue starts. */
import { openQuestions } from '#installer/wizard/judging.ts';
import { QUESTION_SCREENS } from '#installer/wizard/questions.ts';
import type { ScreenId, WizardState } from '#installer/wizard/types.ts';

export function presetScreens(state: WizardState): ReadonlySet<ScreenId> {
  const open = openQuestions(state);
  return new Set(
    QUESTION_SCREENS.filter((screen) => screen.applies(state) && screen.isAnswered(state.answers, state) && !open.includes(screen)).map(
      (screen) => screen.id,
    ),
  );
}
