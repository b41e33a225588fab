import { draftValue, newDraft, setValue } from '#installer/wizard/draft.ts';
import { lines, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { Draft, Item, ItemReaction, ScreenDefinition } from '#installer/wizard/types.ts';
import { isError } from '#model/finding.ts';
import { isSet } from '#rules/choices.ts';
import { plain } from '#rules/disks.ts';
import { judge } from '#rules/judge.ts';

/** Keys held by the draft: one a line. */
const HELD = 'keys';

const heldKeys = (draft: Draft): readonly string[] =>
  draftValue(draft, HELD)
    .split('\n')
    .filter((line) => line !== '');

/** `ssh-ed25519 ...last characters  comment`: enough to tell two keys apart, short enough for a row. */
function shortKey(line: string): string {
  const [type = '', blob = '', ...comment] = line.split(' ');
  return plain(`${type} ...${blob.slice(-12)} ${comment.join(' ')}`.trimEnd());
}

/** What the rules hold against one line, as a sentence; null: it is a key. */
function faultOf(line: string): string | null {
  const message = judge({ ssh_authorized_keys: [line] }, null, 'field').find(isError)?.message;
  // The operator typed a line, not an entry of a file: the path in front of the message says nothing here.
  return message?.replace(/^ssh_authorized_keys\[0\] /, 'it ') ?? null;
}

/** Adds every line that is a key. Blank and comment lines are passed over; a page of something else gives one sentence. */
export function addKeys(draft: Draft, text: string): { readonly draft: Draft; readonly notice: string } {
  const candidates = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const held = heldKeys(draft);
  const good = candidates.filter((line) => faultOf(line) === null && !held.includes(line));
  const known = candidates.filter((line) => held.includes(line)).length;
  const bad = candidates.filter((line) => faultOf(line) !== null);
  const added = setValue(
    setValue(draft, HELD, [...held, ...good].join('\n')),
    'add',
    bad.length === 1 && good.length === 0 ? (bad[0] ?? '') : '',
  );
  const parts = [
    `${good.length} key${good.length === 1 ? '' : 's'} added`,
    ...(known > 0 ? [`${known} held already`] : []),
    ...(bad.length === 1 ? [`1 line is none: ${faultOf(bad[0] ?? '')}`] : bad.length > 1 ? [`${bad.length} lines are none`] : []),
  ];
  return { draft: added, notice: `${parts.join(', ')}.` };
}

const GITHUB_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?$/;

/** Where to fetch keys from; null when the text is a key, or nothing that can be fetched. */
export function keySource(text: string): string | null {
  if (/^https?:\/\/\S+$/.test(text)) return text;
  return GITHUB_NAME.test(text) ? `https://github.com/${text}.keys` : null;
}

function enterText(draft: Draft): ItemReaction | null {
  const text = draftValue(draft, 'add').trim();
  if (text === '') return null;
  const url = keySource(text);
  if (url === null) return { ...addKeys(draft, text), effects: [] };
  return { draft, notice: null, busy: `Fetching ${plain(url)} ...`, effects: [{ type: 'fetch-keys', url }] };
}

export const sshScreen: ScreenDefinition = {
  id: 'ssh',
  title: 'SSH keys',
  name: 'SSH keys',
  keys: ['ssh_authorized_keys', 'ssh_disable_password'],
  isOptional: true,
  applies: () => true,
  isAnswered: (answers) => answers.ssh_authorized_keys !== undefined,
  open: ({ answers }) =>
    newDraft(
      {
        add: '',
        [HELD]: (answers.ssh_authorized_keys ?? []).join('\n'),
        held: '',
        only: isSet(answers, 'ssh_disable_password') ? 'true' : 'false',
      },
      'add',
    ),
  body: (_state, draft) => {
    const held = heldKeys(draft);
    const list: Item = {
      kind: 'list',
      id: 'held',
      label: 'Keys held',
      path: 'ssh_authorized_keys',
      options: held.map((line) => ({ value: line, label: shortKey(line), mark: 30 })),
    };
    const only: Item = { kind: 'toggle', id: 'only', label: 'Only keys: no password logins over SSH', path: 'ssh_disable_password' };
    return {
      intro: lines(
        'Public keys for logging in over SSH. Paste one or several, or type a web address or a GitHub name; Enter takes it. Without one, leave it empty.',
        '',
        `${held.length} key${held.length === 1 ? '' : 's'} held.${held.length > 0 ? ' Delete removes the highlighted one.' : ''}`,
      ),
      items: [{ kind: 'text', id: 'add', label: 'Add', path: 'add', hint: 'key, URL or name' }, ...(held.length > 0 ? [list, only] : [])],
      aside: [],
    };
  },
  react: (_state, draft, item, key) => {
    if (item === 'add' && key.name === 'paste') return { ...addKeys(draft, key.text), effects: [] };
    if (item === 'add' && key.name === 'enter') return enterText(draft);
    if (item === 'held' && key.name === 'delete') {
      const gone = draftValue(draft, 'held') || heldKeys(draft)[0];
      return {
        draft: setValue(
          setValue(
            draft,
            HELD,
            heldKeys(draft)
              .filter((line) => line !== gone)
              .join('\n'),
          ),
          'held',
          '',
        ),
        notice: 'Key removed.',
        effects: [],
      };
    }
    return null;
  },
  commit: (answers, draft) => {
    const held = heldKeys(draft);
    const only = held.length > 0 && draftValue(draft, 'only') === 'true';
    return withAnswer(withAnswer(answers, 'ssh_authorized_keys', [...held]), 'ssh_disable_password', only ? 'true' : undefined);
  },
  help: (item) =>
    item === 'only'
      ? 'Switched on, SSH takes keys only; the console still takes the password. It can be chosen once a key is held.'
      : 'A public key is one line that starts with its type, such as ssh-ed25519. The matching private key stays where it is.',
  summary: ({ answers }) => {
    const count = answers.ssh_authorized_keys?.length ?? 0;
    return `${count === 0 ? 'none' : `${count} key${count === 1 ? '' : 's'}`}${isSet(answers, 'ssh_disable_password') ? ', no password logins' : ''}`;
  },
};
