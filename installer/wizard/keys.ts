/** What each key does, with and without a question on top. */

import { accept, enter, gateId } from '#installer/wizard/acceptance.ts';
import { draftValue, editItem, focusedItem, moveFocus, queryId, setValue } from '#installer/wizard/draft.ts';
import { goBack } from '#installer/wizard/navigation.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import type { Item, LeavesTo, Overlay, Question, Update, WizardState } from '#installer/wizard/types.ts';
import { leftOut } from '#ui/edit.ts';
import type { Key } from '#ui/terminal/keys.ts';

const stay = (state: WizardState): Update => ({ state, effects: [] });

const LEFT_TO: Readonly<Record<LeavesTo, readonly string[]>> = {
  caller: [],
  shell: ['A root shell opens on every console; spatium-install starts the installer again.'],
  nothing: ['This medium has no shell: nothing more happens until the machine is restarted.'],
};

const leaveQuestion = ({ run, surroundings }: WizardState): Question => ({
  id: 'leave',
  title: 'Leave the installer?',
  paragraphs: [
    run?.failure && !run.failure.nothingWritten
      ? 'The disk has been written to in part; it does not start yet. The answers given so far are forgotten.'
      : 'Nothing has been written. The answers given so far are forgotten.',
    ...LEFT_TO[surroundings.leavesTo ?? 'caller'],
  ],
  yes: 'Leave',
  no: 'Stay',
});

/** How many lines F2 and the failure log move by at once. */
const PAGE_LINES = 15;

/** Answer to the question on top. */
export function onOverlayChoice(state: WizardState, yes: boolean): Update {
  const { overlay } = state;
  if (overlay?.kind !== 'question') return stay({ ...state, overlay: null });
  const closed = { ...state, overlay: null };
  const { about } = overlay.question;
  // What failed is asked anew at the next try.
  const { otherwise } = overlay.question;
  if (!yes && otherwise) return stay({ ...closed, draft: setValue(closed.draft, ...otherwise) });
  const draft = about === undefined ? closed.draft : { ...closed.draft, focus: about };
  if (!yes) return stay({ ...closed, draft, lookup: overlay.question.id.startsWith(gateId('')) ? null : closed.lookup });
  if (overlay.on === 'leave') return { state: closed, effects: [{ type: 'finish', outcome: 'left' }] };
  return accept({ ...closed, draft: { ...closed.draft, agreed: [...closed.draft.agreed, overlay.question.id] } });
}

function onQuestionKey(state: WizardState, overlay: Extract<Overlay, { kind: 'question' }>, key: Key): Update {
  const letter = key.name === 'text' ? key.text.toLowerCase() : '';
  if (key.name === 'escape' || letter === 'n') return onOverlayChoice(state, false);
  if (letter === 'y') return stay({ ...state, overlay: { ...overlay, choice: 'yes' } });
  if (key.name === 'enter') return onOverlayChoice(state, overlay.choice === 'yes');
  const isTurn = ['left', 'right', 'up', 'down', 'tab', 'backtab'].includes(key.name);
  return stay(isTurn ? { ...state, overlay: { ...overlay, choice: overlay.choice === 'yes' ? 'no' : 'yes' } } : state);
}

function onPagesKey(state: WizardState, overlay: Extract<Overlay, { kind: 'pages' }>, key: Key): Update {
  const last = Math.max(0, overlay.lines.length - PAGE_LINES);
  const steps: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -PAGE_LINES, pagedown: PAGE_LINES, home: -last, end: last };
  const step = steps[key.name] ?? (key.name === 'text' && key.text === ' ' ? PAGE_LINES : null);
  if (step === null) return stay({ ...state, overlay: null });
  return stay({ ...state, overlay: { ...overlay, top: Math.min(last, Math.max(0, overlay.top + step)) } });
}

function onOverlayKey(state: WizardState, overlay: Overlay, key: Key): Update {
  switch (overlay.kind) {
    case 'question':
      return onQuestionKey(state, overlay, key);
    case 'pages':
      return onPagesKey(state, overlay, key);
    case 'help':
      return stay({ ...state, overlay: null });
  }
}

function showHelp(state: WizardState): Update {
  const screen = screenOf(state.screen);
  const item = focusedItem(state.draft, screen.body(state, state.draft).items);
  const about = screen.help(item?.id ?? '');
  const title = item && item.kind !== 'list' ? item.label : screen.title;
  return stay({ ...state, overlay: { kind: 'help', title, paragraphs: [about] } });
}

/** Is leaving being asked about? */
export const isLeaving = (state: WizardState): boolean => state.overlay?.kind === 'question' && state.overlay.on === 'leave';

/** Leaving is asked about; while the disk is being written it is not possible. */
function askToLeave(state: WizardState): Update {
  // Asked already: somebody who repeats it means it.
  if (isLeaving(state)) return onOverlayChoice(state, true);
  if (state.screen === 'progress') return stay({ ...state, notice: 'The disk is being written; the installer cannot be left now.' });
  if (state.screen === 'done' || state.screen === 'failed') return stay({ ...state, notice: 'Choose below how to go on.' });
  return stay({ ...state, overlay: { kind: 'question', question: leaveQuestion(state), choice: 'no', on: 'leave' } });
}

function onEscape(state: WizardState): Update {
  if (state.screen === 'welcome') return askToLeave(state);
  if (['progress', 'done', 'failed'].includes(state.screen)) return stay(state);
  return stay(goBack(state));
}

function onExtraKey(state: WizardState, key: Key): Update | null {
  const extra = screenOf(state.screen).extraKeys?.find((candidate) => candidate.key === key.name && candidate.applies?.(state) !== false);
  if (!extra) return null;
  const pages = extra.pages?.(state);
  const overlay: Overlay | null = pages ? { kind: 'pages', ...pages, top: 0 } : null;
  const turned = extra.turn?.(state) ?? state;
  return { state: { ...turned, overlay, notice: null, busy: extra.busy ?? null }, effects: extra.effect?.(state) ?? [] };
}

/** The screen's own say on a key. */
function onReaction(state: WizardState, key: Key): Update | null {
  const screen = screenOf(state.screen);
  const item = focusedItem(state.draft, screen.body(state, state.draft).items);
  const reaction = item ? screen.react?.(state, state.draft, item.id, key) : null;
  if (!reaction) return null;
  const { draft, notice, busy, effects } = reaction;
  return { state: { ...state, draft, notice, busy: busy ?? null }, effects };
}

const ENTER: Key = { name: 'enter', text: '', shift: false, alt: false, ctrl: false };

/** Enter on one item: only what the screen itself makes of it. The same state when it makes nothing. */
export function submit(state: WizardState, id: string): Update {
  return onReaction({ ...state, draft: { ...state.draft, focus: id } }, ENTER) ?? stay(state);
}

/** What of a paste did not go into the field it went to; null: nothing. */
function lossOf({ draft }: WizardState, item: Item, key: Key): string | null {
  if (item.kind !== 'text' && item.kind !== 'search') return null;
  const value = draftValue(draft, item.kind === 'search' ? queryId(item.id) : item.id);
  return leftOut({ value, cursor: 0 }, key);
}

function onItemKey(state: WizardState, key: Key): Update {
  const screen = screenOf(state.screen);
  const { items } = screen.body(state, state.draft);
  const item = focusedItem(state.draft, items);
  if (!item) return stay(state);
  const edited = editItem(state.draft, item, key);
  if (edited) {
    const settled = screen.settleDraft?.(state, state.draft, edited) ?? edited;
    return stay({ ...state, draft: settled, notice: lossOf(state, item, key) });
  }
  const step = key.name === 'down' || key.name === 'tab' ? 1 : key.name === 'up' || key.name === 'backtab' ? -1 : null;
  const moved = step === null ? null : moveFocus(state.draft, items, step);
  return stay(moved ? { ...state, draft: moved, notice: null } : state);
}

/** Ctrl-C, wherever the dialogue stands. */
export const isInterrupt = (key: Key): boolean => key.name === 'ctrl' && key.text === 'c';

export function onKey(state: WizardState, key: Key): Update {
  if (isInterrupt(key)) return askToLeave(state);
  if (state.overlay) return onOverlayKey(state, state.overlay, key);
  if (state.busy !== null) return stay(state);
  const reaction = onReaction(state, key);
  if (reaction) return reaction;
  switch (key.name) {
    case 'f1':
      return showHelp(state);
    case 'f2':
      return { state, effects: [{ type: 'show-plan' }] };
    case 'f10':
      return askToLeave(state);
    case 'escape':
      return onEscape(state);
    case 'enter':
      return enter(state);
    default:
      return onExtraKey(state, key) ?? onItemKey(state, key);
  }
}
