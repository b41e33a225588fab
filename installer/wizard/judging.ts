/** The rules, asked for one screen or for the whole. No rule stands here. */

import { QUESTION_SCREENS, relevantAnswers } from '#installer/wizard/questions.ts';
import type { Draft, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { Answers } from '#model/answers.ts';
import { type Finding, isError } from '#model/finding.ts';
import type { Machine } from '#model/machine.ts';
import { judge } from '#rules/judge.ts';

/** First part of a path: `network.gateway` and `network` belong to `network`. */
const keyOf = (path: string): string => /^[^.[]*/.exec(path)?.[0] ?? '';

export const belongsTo = (screen: ScreenDefinition, finding: Finding): boolean =>
  (screen.keys as readonly string[]).includes(keyOf(finding.path));

/** Does a finding speak of the item that edits `path`? */
export const isAbout = (finding: Finding, path: string): boolean =>
  finding.path === path || finding.path.startsWith(`${path}.`) || finding.path.startsWith(`${path}[`);

/**
 * What the rules say about a screen as it is filled in now.
 * @param complete true when the screen is about to be accepted: then a missing answer is a fault
 */
export function draftFindings(screen: ScreenDefinition, state: WizardState, draft: Draft, complete: boolean): readonly Finding[] {
  const own = screen.check?.(state, draft) ?? [];
  if (screen.keys.length === 0) return own;
  const candidate = screen.commit(state.answers, draft, state);
  const judged = judge(relevantAnswers({ ...state, answers: candidate }), state.machine, complete ? 'install' : 'field');
  return [...own, ...judged.filter((finding) => belongsTo(screen, finding))];
}

/** Answers and machines never change in place, so what was said about a pair of them still holds. */
const judged = new WeakMap<Answers, { readonly machine: Machine; readonly findings: readonly Finding[] }>();

/** Everything that the rules hold against the answers so far; a missing answer counts. Asked several times for one picture. */
export function installFindings(state: WizardState): readonly Finding[] {
  const known = judged.get(state.answers);
  if (known?.machine === state.machine) return known.findings;
  const findings = judge(relevantAnswers(state), state.machine, 'install');
  judged.set(state.answers, { machine: state.machine, findings });
  return findings;
}

export const errorsOf = (findings: readonly Finding[]): readonly Finding[] => findings.filter(isError);

/** Warnings an operator should look at; what could not be checked is none of these. */
export const warningsOf = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter((finding) => !isError(finding) && finding.unchecked !== true);

/** Screens that still need the operator: not answered, or held against by a rule. In walking order. */
export function openQuestions(state: WizardState): readonly ScreenDefinition[] {
  const errors = errorsOf(installFindings(state));
  return QUESTION_SCREENS.filter(
    (screen) =>
      screen.applies(state) &&
      ((screen.isOptional !== true && !screen.isAnswered(state.answers, state)) || errors.some((finding) => belongsTo(screen, finding))),
  );
}
