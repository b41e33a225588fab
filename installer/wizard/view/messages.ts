/** What the bottom of a screen says: faults of what was filled in, notices, work going on. */

import { draftFindings, isAbout } from '#installer/wizard/judging.ts';
import { sentenceOf } from '#installer/wizard/messages.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import type { BodyLine, Item, WizardState } from '#installer/wizard/types.ts';
import { type Finding, isError } from '#model/finding.ts';

/** Faults of the items that were left or accepted once; the focused item's come first. */
export function shownFindings(state: WizardState, items: readonly Item[]): readonly Finding[] {
  const tried = items.filter((item) => state.draft.tried.includes(item.id));
  if (tried.length === 0) return [];
  const findings = draftFindings(screenOf(state.screen), state, state.draft, tried.length === items.length).filter(isError);
  const about = findings.filter((finding) => tried.some((item) => item.path !== null && isAbout(finding, item.path)));
  const rest = tried.length === items.length ? findings.filter((finding) => !about.includes(finding)) : [];
  const focused = items.find((item) => item.id === state.draft.focus)?.path ?? null;
  const isFocused = (finding: Finding): boolean => focused !== null && isAbout(finding, focused);
  return [...about.filter(isFocused), ...about.filter((finding) => !isFocused(finding)), ...rest];
}

export function messagesOf(state: WizardState, findings: readonly Finding[], items: readonly Item[]): readonly BodyLine[] {
  const lookup = state.lookup?.screen === state.screen ? state.lookup : null;
  return [
    ...(lookup?.lines ?? []).map((line): BodyLine => {
      const word = { ok: 'OK  ', failed: 'FAIL', skipped: '-   ', running: '... ' }[line.state];
      return {
        text: `${word} ${line.name}: ${line.detail}`,
        tone: line.state === 'failed' ? 'error' : line.state === 'ok' ? 'good' : 'plain',
      };
    }),
    ...(state.busy === null ? [] : [{ text: state.busy } as const]),
    ...(state.notice === null ? [] : [{ text: state.notice, tone: 'warning' } as const]),
    // Two entries of one field may have the same fault.
    ...[...new Set(findings.map((finding) => sentenceOf(finding, items)))].map((text): BodyLine => ({ text, tone: 'error' })),
  ];
}
