/** Which keys the bottom row names. */

import { focusedItem } from '#installer/wizard/draft.ts';
import { screenOf } from '#installer/wizard/screens.ts';
import type { WizardState } from '#installer/wizard/types.ts';
import type { KeyHint } from '#ui/parts/key-bar.tsx';

const QUESTION_HINTS: readonly KeyHint[] = [
  { key: 'Left/Right', does: 'choose' },
  { key: 'Enter', does: 'take it' },
  { key: 'Esc', does: 'no' },
];
const PAGES_HINTS: readonly KeyHint[] = [
  { key: 'Up/Down', does: 'scroll' },
  { key: 'Space', does: 'page on' },
  { key: 'Esc', does: 'close' },
];
const HELP_HINTS: readonly KeyHint[] = [{ key: 'any key', does: 'close' }];

function itemHints(state: WizardState): readonly KeyHint[] {
  const { items } = screenOf(state.screen).body(state, state.draft);
  const item = focusedItem(state.draft, items);
  if (!item) return [];
  const isLast = items.indexOf(item) === items.length - 1;
  const enter: KeyHint = { key: 'Enter', does: state.screen === 'confirm' ? 'change / go' : isLast ? 'continue' : 'next' };
  const move: KeyHint | null =
    item.kind === 'list' || item.kind === 'search'
      ? { key: 'Up/Down', does: 'move' }
      : items.length > 1
        ? { key: 'Up/Down', does: 'field' }
        : null;
  const change: KeyHint | null =
    item.kind === 'radio' ? { key: 'Left/Right', does: 'switch' } : item.kind === 'toggle' ? { key: 'Space', does: 'switch' } : null;
  return [enter, change, move].filter((hint) => hint !== null);
}

export function keyHints(state: WizardState): readonly KeyHint[] {
  if (state.overlay) return { question: QUESTION_HINTS, pages: PAGES_HINTS, help: HELP_HINTS }[state.overlay.kind];
  if (state.screen === 'progress') return [{ key: 'F1', does: 'help' }];
  const isEnd = state.screen === 'done' || state.screen === 'failed';
  const extra = (screenOf(state.screen).extraKeys ?? [])
    .filter((key) => key.applies?.(state) !== false)
    .map((key): KeyHint => ({ key: key.key.toUpperCase(), does: key.does }));
  const back: readonly KeyHint[] =
    isEnd || state.screen === 'welcome' ? [] : [{ key: 'Esc', does: state.beforeJump ? 'leave as it was' : 'back' }];
  const rest: readonly KeyHint[] = isEnd
    ? []
    : [
        { key: 'F2', does: 'plan' },
        { key: 'Ctrl-C', does: 'leave' },
      ];
  // Help first: on a narrow line it is the extra keys that go, and help tells of them.
  return [...itemHints(state), ...back, { key: 'F1', does: 'help' }, ...extra, ...rest];
}
