/** Enter on a screen: judged, asked about, taken over, and on to the next. */

import { draftValue, focusedItem, matching, queryId } from '#installer/wizard/draft.ts';
import type { Effect } from '#installer/wizard/effects.ts';
import { belongsTo, draftFindings, errorsOf, installFindings, isAbout, openQuestions, warningsOf } from '#installer/wizard/judging.ts';
import { sentenceOf } from '#installer/wizard/messages.ts';
import { goForward, jumpTo } from '#installer/wizard/navigation.ts';
import { isPreset, QUESTION_SCREENS } from '#installer/wizard/questions.ts';
import { INSTALL } from '#installer/wizard/screens/confirm.ts';
import { doomedDisks } from '#installer/wizard/screens/helpers.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import type { Item, Question, ScreenId, Update, WizardState } from '#installer/wizard/types.ts';
import type { Answers } from '#model/answers.ts';
import type { Finding } from '#model/finding.ts';
import { identityOf } from '#rules/disks.ts';

const stay = (state: WizardState): Update => ({ state, effects: [] });

/** The reasons why a highlighted option cannot be taken. */
function refusals(state: WizardState, items: readonly Item[]): readonly string[] {
  return items.flatMap((item) => {
    if (item.kind !== 'list' && item.kind !== 'search') return [];
    return item.options.find((option) => option.value === draftValue(state.draft, item.id))?.refused ?? [];
  });
}

/** The first item that one of the findings is about. */
const itemOf = (findings: readonly Finding[], items: readonly Item[]): Item | undefined =>
  items.find((item) => item.path !== null && findings.some((finding) => isAbout(finding, item.path ?? '')));

/** Puts the focus on the first item that a fault speaks of. */
function showFaults(state: WizardState, items: readonly Item[], faults: readonly Finding[]): WizardState {
  const tried = items.map((item) => item.id);
  const faulty = itemOf(faults, items);
  return { ...state, draft: { ...state.draft, tried, focus: faulty?.id ?? state.draft.focus } };
}

function warningQuestion(warnings: readonly Finding[], items: readonly Item[]): Question | null {
  if (warnings.length === 0) return null;
  const about = itemOf(warnings, items)?.id;
  return {
    ...(about === undefined ? {} : { about }),
    id: `warnings:${warnings.map((finding) => finding.rule).join(',')}`,
    title: 'Keep it as it is?',
    paragraphs: warnings.map((finding) => sentenceOf(finding, items)),
    yes: 'Keep it',
    no: 'Change it',
  };
}

/** Answers that were given for another disk do not hold for this one. */
function dropDependents(before: Answers, after: Answers): Answers {
  const { confirm_wipe: _confirmed, ...unconfirmed } = after;
  if (before.target_disk !== after.target_disk && before.target_disk !== undefined) {
    const { keep_var: _kept, mirror_disk: _mirror, ...rest } = unconfirmed;
    return rest;
  }
  const isSameFate = before.mirror_disk === after.mirror_disk && before.keep_var === after.keep_var;
  return isSameFate ? after : unconfirmed;
}

const DISK_SCREENS: readonly ScreenId[] = ['existing', 'mirror', 'erase'];

/** Screens that the accepted answer has made necessary or doubtful, besides those of before that are still to come. */
function broughtUp(before: WizardState, after: WizardState): ReadonlySet<ScreenId> {
  const isOtherDisk = before.answers.target_disk !== after.answers.target_disk;
  const fresh = QUESTION_SCREENS.filter((screen) => screen.applies(after) && !screen.applies(before) && !isPreset(after, screen));
  const known = new Set(warningsOf(installFindings(before)).map((finding) => `${finding.rule} ${finding.path}`));
  const doubts = warningsOf(installFindings(after)).filter((finding) => !known.has(`${finding.rule} ${finding.path}`));
  const doubted = QUESTION_SCREENS.filter((screen) => screen.applies(after) && doubts.some((finding) => belongsTo(screen, finding)));
  const all = new Set<ScreenId>([
    ...before.toAsk,
    ...[...fresh, ...doubted].map((screen) => screen.id),
    ...(isOtherDisk ? (['mirror'] as const) : []),
  ]);
  all.delete(before.screen);
  return all;
}

/** The disks whose erasing is confirmed once these answers hold, as they are now. */
function confirmedBy(state: WizardState, answers: Answers): Pick<WizardState, 'confirmedDisk' | 'confirmedMirror'> {
  if (answers.confirm_wipe === undefined) return { confirmedDisk: null, confirmedMirror: null };
  if (state.screen !== 'erase') return { confirmedDisk: state.confirmedDisk, confirmedMirror: state.confirmedMirror };
  const [target, mirror] = (['word', 'mirror-word'] as const).map((id) => {
    const disk = doomedDisks(state).find((doomed) => doomed.id === id);
    return disk === undefined ? null : identityOf(state.machine, disk.kname);
  });
  return { confirmedDisk: target ?? null, confirmedMirror: mirror ?? null };
}

function takeOver(state: WizardState): WizardState {
  const screen = screenOf(state.screen);
  const committed = screen.commit(state.answers, state.draft, state);
  const answers = screen.id === 'erase' ? committed : dropDependents(state.answers, committed);
  const { [screen.id]: _accepted, ...kept } = state.drafts;
  const isOtherDisk = answers.target_disk !== state.answers.target_disk;
  const drafts = isOtherDisk ? Object.fromEntries(Object.entries(kept).filter(([id]) => !DISK_SCREENS.includes(id as ScreenId))) : kept;
  const isReopened = answers.confirm_wipe === undefined && state.answers.confirm_wipe !== undefined;
  const preset = new Set([...state.preset].filter((id) => id !== screen.id && !(isReopened && DISK_SCREENS.includes(id))));
  const after = { ...state, answers, drafts, preset, ...confirmedBy(state, answers) };
  return { ...after, toAsk: broughtUp(state, after) };
}

function acceptConfirm(state: WizardState): Update {
  const row = draftValue(state.draft, 'row');
  if (row !== INSTALL) return stay(jumpTo(state, row as ScreenId));
  const open = openQuestions(state);
  if (open.length > 0) {
    const names = open.map((screen) => screen.name).join(', ');
    return stay({ ...state, notice: `Not yet: ${names} ${open.length === 1 ? 'needs' : 'need'} an answer. Enter on the row goes there.` });
  }
  const effect: Effect = state.mode === 'rehearse' ? { type: 'rehearse' } : { type: 'install' };
  return { state: { ...state, notice: null }, effects: [effect] };
}

/** Takes the highlighted zone as chosen even when its list was narrowed to nothing before. */
function settleSearch(state: WizardState, items: readonly Item[]): WizardState {
  const empty = items.some(
    (item) => item.kind === 'search' && matching(item.options, draftValue(state.draft, queryId(item.id))).length === 0,
  );
  return empty ? { ...state, notice: 'Nothing matches what was typed; shorten it.' } : state;
}

export const gateId = (about: string): string => `gate:${about}`;

/** The look outside that has to come first, or the question about one that failed; null: nothing is in the way. */
function atGate(state: WizardState): Update | null {
  // A rehearsal asks nobody.
  const gate = state.mode === 'install' ? (screenOf(state.screen).gate?.(state.draft) ?? null) : null;
  if (gate === null || state.draft.agreed.includes(gateId(gate.about))) return null;
  const lookup = state.lookup?.screen === state.screen && state.lookup.about === gate.about ? state.lookup : null;
  if (lookup === null) return { state: { ...state, notice: null, busy: gate.busy, awaiting: gate.about }, effects: [gate.effect] };
  const failed = lookup.lines.filter((line) => line.state === 'failed');
  if (failed.length === 0) return null;
  const question: Question = {
    id: gateId(gate.about),
    title: gate.failed,
    paragraphs: [...failed.map((line) => `${line.name}: ${line.detail}.`), gate.remark],
    yes: 'Go on all the same',
    no: 'Change it, or try again',
  };
  return stay({ ...state, overlay: { kind: 'question', question, choice: 'no', on: 'accept' } });
}

/** Enter on the last item, or `accept` from the line dialogue. */
export function accept(state: WizardState): Update {
  const screen = screenOf(state.screen);
  const { items } = screen.body(state, state.draft);
  if (screen.id === 'confirm') return acceptConfirm(state);
  const settled = settleSearch({ ...state, notice: null }, items);
  if (settled.notice !== null) return stay(settled);
  const refused = refusals(state, items);
  if (refused.length > 0) return stay({ ...state, notice: 'This one cannot be taken; the reason stands above.' });
  const findings = draftFindings(screen, state, state.draft, true);
  const errors = errorsOf(findings);
  if (errors.length > 0) return stay(showFaults(state, items, errors));
  const question = [
    screen.question?.(state, state.draft) ?? null,
    screen.asksWarnings === false ? null : warningQuestion(warningsOf(findings), items),
  ].find((candidate) => candidate !== null && !state.draft.agreed.includes(candidate.id));
  if (question) return stay({ ...state, overlay: { kind: 'question', question, choice: 'no', on: 'accept' } });
  const gate = atGate(state);
  if (gate) return gate;
  const effects = screen.effects?.(state, state.draft) ?? [];
  if (screen.keys.length === 0) {
    const turned = screen.turn?.(state, state.draft) ?? state;
    const waiting = { ...turned, notice: null, busy: screen.busy?.(state.draft) ?? null };
    return { state: effects.length > 0 ? waiting : goForward(turned), effects };
  }
  return { state: goForward(takeOver(state)), effects };
}

/** Enter on an item: on to the next one, unless this one is wrong; on the last one the screen is accepted. */
export function enter(state: WizardState): Update {
  const screen = screenOf(state.screen);
  const { items } = screen.body(state, state.draft);
  const item = focusedItem(state.draft, items);
  const next = item ? items[items.indexOf(item) + 1] : undefined;
  if (!item || !next) return accept(state);
  const tried = [...state.draft.tried, item.id];
  const draft = { ...state.draft, tried };
  const errors = errorsOf(draftFindings(screen, state, draft, false));
  if (item.path !== null && errors.some((finding) => isAbout(finding, item.path ?? ''))) return stay({ ...state, draft });
  return stay({ ...state, draft: { ...draft, focus: next.id } });
}
