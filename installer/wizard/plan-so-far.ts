import { openQuestions } from '#installer/wizard/judging.ts';
import { QUESTION_SCREENS } from '#installer/wizard/questions.ts';
import type { WizardState } from '#installer/wizard/types.ts';
import { pad } from '#ui/text.ts';

/** What F2 shows: every answer so far, and what is still open. */
export function planSoFar(state: WizardState): readonly string[] {
  const open = openQuestions(state);
  const rows = QUESTION_SCREENS.filter((screen) => screen.applies(state)).map((screen) => {
    const mark = open.includes(screen) ? '!' : ' ';
    return `${mark} ${pad(screen.name, 15)} ${screen.summary(state) || 'not answered yet'}`;
  });
  const rest = open.length === 0 ? 'All questions are answered.' : `${open.length} still open, marked with !.`;
  return [rest, '', ...rows];
}
