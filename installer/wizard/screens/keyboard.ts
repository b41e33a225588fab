import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { movedKeys } from '#installer/wizard/keyboard-difference.ts';
import { KEYBOARDS } from '#installer/wizard/keyboards.gen.ts';
import { lines, orNothing, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, Draft, Item, Option, ScreenDefinition } from '#installer/wizard/types.ts';
import { DEFAULT_KEYMAP } from '#model/limits.ts';

const OTHER = 'other';

const LAYOUTS: readonly Option[] = [
  { value: 'us', label: 'us        English (US)' },
  { value: 'uk', label: 'uk        English (UK)' },
  { value: 'de', label: 'de        German' },
  { value: 'fr', label: 'fr        French' },
  { value: 'es', label: 'es        Spanish' },
  { value: 'it', label: 'it        Italian' },
  { value: 'pt', label: 'pt        Portuguese' },
  { value: 'br-abnt2', label: 'br-abnt2  Portuguese (Brazil)' },
  { value: 'ca', label: 'ca        French (Canada)' },
  { value: 'dk', label: 'dk        Danish' },
  { value: 'fi', label: 'fi        Finnish' },
  { value: 'no', label: 'no        Norwegian' },
  { value: 'se', label: 'se        Swedish' },
  { value: 'nl', label: 'nl        Dutch' },
  { value: 'pl', label: 'pl        Polish' },
  { value: 'cz', label: 'cz        Czech' },
  { value: 'ru', label: 'ru        Russian' },
  { value: 'jp106', label: 'jp106     Japanese' },
  { value: OTHER, label: 'other     type another code' },
];

const chosen = (draft: Draft): string =>
  draftValue(draft, 'layout') === OTHER ? draftValue(draft, 'code').trim() : draftValue(draft, 'layout');

/** What the highlighted layout does, so that it can be told from its neighbour before a password is typed with it. Five lines always. */
function preview(keymap: string): readonly BodyLine[] {
  const moved = movedKeys(keymap);
  if (moved === null) return lines('', keymap in KEYBOARDS ? 'Every key types what a US keyboard shows on it.' : '', '', '', '');
  const [plain, shifted] = moved;
  return lines(
    '',
    `Keys of a US keyboard  ${plain.labels}`,
    `type here              ${plain.types}`,
    `and with Shift         ${shifted.labels}`,
    `type here              ${shifted.types}`,
  );
}

export const keyboardScreen: ScreenDefinition = {
  id: 'keyboard',
  title: 'Keyboard',
  name: 'Keyboard',
  keys: ['keymap'],
  isOptional: true,
  applies: () => true,
  asideFollowsHighlight: true,
  isAnswered: (answers) => answers.keymap !== undefined,
  open: (state) => {
    const given = state.answers.keymap ?? DEFAULT_KEYMAP;
    const isListed = LAYOUTS.some((layout) => layout.value === given);
    return newDraft({ layout: isListed ? given : OTHER, code: isListed ? '' : given, try: '' }, 'layout');
  },
  body: (_state, draft) => {
    const isOther = draftValue(draft, 'layout') === OTHER;
    const list: Item = { kind: 'list', id: 'layout', label: 'Layout', path: isOther ? null : 'keymap', options: LAYOUTS };
    const code: Item = { kind: 'text', id: 'code', label: 'Layout code', path: 'keymap', hint: 'such as ch or gb' };
    const test: Item = { kind: 'text', id: 'try', label: 'Try it here', path: null, hint: 'y z - / #' };
    return {
      intro: lines(
        'Layout of the keyboard at this machine, taken at once, so that the password is typed with it. A serial line has its own.',
        '',
      ),
      items: isOther ? [list, code, test] : [list, test],
      aside: preview(chosen(draft)),
    };
  },
  // The layout is loaded before the keys are tried, not after.
  react: (_state, draft, item, key) => {
    const isLeaving = key.name === 'enter' && item === (draftValue(draft, 'layout') === OTHER ? 'code' : 'layout');
    if (!isLeaving || chosen(draft) === '') return null;
    const tried = { ...draft, tried: [...draft.tried, item], focus: 'try' };
    return { draft: tried, notice: null, effects: [{ type: 'apply-keymap', keymap: chosen(draft) }] };
  },
  check: (_state, draft) =>
    draftValue(draft, 'layout') === OTHER && chosen(draft) === ''
      ? [
          {
            severity: 'error',
            rule: 'keymap.none',
            path: 'keymap',
            message: 'No code was typed.',
            fix: 'Type one, or choose from the list.',
          },
        ]
      : [],
  commit: (answers, draft) => withAnswer(answers, 'keymap', orNothing(chosen(draft))),
  effects: (_state, draft) => [{ type: 'apply-keymap', keymap: chosen(draft) }],
  extraKeys: [
    {
      key: 'f5',
      word: 'apply',
      does: 'apply now',
      effect: (state) => (chosen(state.draft) === '' ? [] : [{ type: 'apply-keymap', keymap: chosen(state.draft) }]),
    },
  ],
  help: (item) =>
    item === 'try'
      ? 'What you type here is thrown away; it only shows whether the keys are where you expect them. F5 switches the keyboard to the layout first.'
      : 'The layout holds for the console of the installed machine too, and for its password prompt. A code that is not listed can be typed under other.',
  summary: (state) => state.answers.keymap ?? `${DEFAULT_KEYMAP} (default)`,
};
