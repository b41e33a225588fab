/** Where to go next. Faults of the peers' Confirm menus that this avoids are tested in test/unit/wizard/navigation.test.ts. */
import { openQuestions } from '#installer/wizard/judging.ts';
import { isPreset, QUESTION_SCREENS, STEPS } from '#installer/wizard/questions.ts';
import { openScreen, WALK } from '#installer/wizard/screens.ts';
import type { ScreenDefinition, ScreenId, WizardState } from '#installer/wizard/types.ts';

/** Does the walk stop at this screen? An answer file's screens are passed by, unless a rule objects. */
function isVisited(state: WizardState, screen: ScreenDefinition, open: readonly ScreenDefinition[]): boolean {
  if (!screen.applies(state)) return false;
  if (open.includes(screen)) return true;
  return !isPreset(state, screen);
}

function neighbour(state: WizardState, step: 1 | -1): ScreenId | null {
  const here = WALK.findIndex((screen) => screen.id === state.screen);
  if (here < 0) return 'confirm';
  const open = openQuestions(state);
  let index = here + step;
  for (; index >= 0 && index < WALK.length; index += step) {
    const screen = WALK[index];
    if (screen && isVisited(state, screen, open)) return screen.id;
  }
  return null;
}

/** After a screen was accepted. A jump from Confirm returns there, by way of whatever the change has opened. */
export function goForward(state: WizardState): WizardState {
  if (!state.beforeJump) return openScreen(state, neighbour(state, 1) ?? 'confirm');
  const open = openQuestions(state);
  const next = QUESTION_SCREENS.find(
    (screen) => screen.id !== state.screen && screen.applies(state) && (open.includes(screen) || state.toAsk.has(screen.id)),
  );
  return next ? openScreen(state, next.id) : returnToConfirm(state);
}

const returnToConfirm = (state: WizardState): WizardState => openScreen({ ...state, beforeJump: null }, 'confirm');

/**
 * Esc. Nothing is lost: a walk keeps what was typed. A jump from Confirm holds only as a whole: broken off at one of the
 * screens that its change has opened, it takes that change back too.
 */
export function goBack(state: WizardState): WizardState {
  if (state.beforeJump) {
    const isTakenBack = state.beforeJump.answers !== state.answers;
    const back = returnToConfirm({ ...state, ...state.beforeJump });
    return isTakenBack ? { ...back, notice: 'The change was not finished; every answer is as it was before.' } : back;
  }
  const target = neighbour(state, -1);
  if (target === null) return state;
  return openScreen({ ...state, drafts: { ...state.drafts, [state.screen]: state.draft } }, target);
}

/** From the Confirm menu to a screen. */
export function jumpTo(state: WizardState, id: ScreenId): WizardState {
  const { [id]: _stale, ...drafts } = state.drafts;
  const kept = { ...drafts, confirm: state.draft };
  const { answers, preset, confirmedDisk, confirmedMirror, toAsk } = state;
  return openScreen({ ...state, beforeJump: { answers, drafts: kept, preset, confirmedDisk, confirmedMirror, toAsk }, drafts: kept }, id);
}

/** Place of the current step among those that are asked: `3 of 10`; null outside the walk. */
export function placeOf(state: WizardState): { readonly number: number; readonly count: number } | null {
  const isAsked = (step: readonly ScreenId[]): boolean => {
    const screens = QUESTION_SCREENS.filter((screen) => step.includes(screen.id) && screen.applies(state));
    return step.includes(state.screen) || screens.length === 0 || screens.some((screen) => !isPreset(state, screen));
  };
  const asked = STEPS.filter(isAsked);
  const index = asked.findIndex((step) => step.includes(state.screen));
  return index < 0 ? null : { number: index + 1, count: asked.length };
}
