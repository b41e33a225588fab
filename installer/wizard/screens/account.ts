import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { movedCount } from '#installer/wizard/keyboard-difference.ts';
import { keptIdentity, lines, orNothing, passwordsDiffer, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { Draft, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { Answers } from '#model/answers.ts';
import { DEFAULT_ADMIN_USER, DEFAULT_KEYMAP } from '#model/limits.ts';
import { Secret } from '#model/secret.ts';
import { isSet } from '#rules/choices.ts';

const hasPassword = (answers: Answers): boolean => answers.admin_password !== undefined || answers.admin_password_hash !== undefined;

/** Both fields empty on a second visit: the password that was set stays. */
const keepsPassword = (answers: Answers, draft: Draft): boolean =>
  hasPassword(answers) && draftValue(draft, 'password') === '' && draftValue(draft, 'repeat') === '';

/** A password is typed again where other layouts hold: at a boot prompt, over a remote console. Says how many, never which. */
function layoutNote({ answers }: WizardState, draft: Draft): readonly string[] {
  const password = draftValue(draft, 'password');
  const moved = movedCount(answers.keymap ?? DEFAULT_KEYMAP, password) ?? 0;
  if (moved === 0) return [];
  return [
    `${moved} of its ${[...password].length} characters ${moved === 1 ? 'lies' : 'lie'} on another key of a US keyboard, which remote consoles often assume.`,
  ];
}

export const accountScreen: ScreenDefinition = {
  id: 'account',
  title: 'Administrator',
  name: 'Account',
  keys: ['admin_user', 'admin_password', 'admin_password_hash', 'set_root_password'],
  applies: () => true,
  isAnswered: hasPassword,
  open: (state) =>
    newDraft(
      {
        user: state.answers.admin_user ?? keptIdentity(state)?.get('admin_user') ?? DEFAULT_ADMIN_USER,
        password: '',
        repeat: '',
        root: isSet(state.answers, 'set_root_password') ? 'true' : 'false',
      },
      'user',
    ),
  body: (state, draft) => ({
    intro: lines(
      'The account for logging in on the console and over SSH; it may use sudo.',
      ...(hasPassword(state.answers) ? ['A password is set. Leave both fields empty to keep it.'] : []),
      '',
    ),
    items: [
      { kind: 'text', id: 'user', label: 'User name', path: 'admin_user' },
      { kind: 'text', id: 'password', label: 'Password', path: 'admin_password', secret: true },
      { kind: 'text', id: 'repeat', label: 'Password again', path: 'repeat', secret: true },
      { kind: 'toggle', id: 'root', label: 'Give root the same password (else root stays locked)', path: 'set_root_password' },
    ],
    aside: lines('', 'At least 8 characters. The web interface has an account of its own.', ...layoutNote(state, draft)),
  }),
  check: (_state, draft) => passwordsDiffer(draft),
  commit: (answers, draft) => {
    const named = withAnswer(answers, 'admin_user', orNothing(draftValue(draft, 'user')) ?? DEFAULT_ADMIN_USER);
    const rooted = withAnswer(named, 'set_root_password', draftValue(draft, 'root'));
    if (keepsPassword(answers, draft)) return rooted;
    const password = draftValue(draft, 'password');
    return withAnswer(
      withAnswer(rooted, 'admin_password_hash', undefined),
      'admin_password',
      password === '' ? undefined : new Secret(password),
    );
  },
  help: (item) =>
    ({
      user: 'The name of the administrator on this machine. Lower-case letters, digits, hyphen and underscore; names of system accounts are taken.',
      password: 'It is needed at the console and for sudo. It is never shown, logged or stored in clear.',
      repeat: 'The same password once more, since it is not shown while you type. A difference is told before anything else happens.',
      root: 'Left off, root has no password and sudo is the way. Space switches it.',
    })[item] ?? '',
  summary: (state) =>
    hasPassword(state.answers)
      ? `${state.answers.admin_user ?? DEFAULT_ADMIN_USER}, password set, root ${isSet(state.answers, 'set_root_password') ? 'has the same' : 'locked'}`
      : '',
};
