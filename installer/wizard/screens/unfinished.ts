import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { presetScreens } from '#installer/wizard/preset.ts';
import { lines, orNothing, passwordsDiffer, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, Draft, Item, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { UnfinishedView } from '#installer/wizard/unfinished-view.ts';
import type { Answers } from '#model/answers.ts';
import type { Finding } from '#model/finding.ts';
import { Secret } from '#model/secret.ts';
import { plain } from '#rules/disks.ts';
import { judge } from '#rules/judge.ts';

const isGoingOn = (draft: Draft): boolean => draftValue(draft, 'go') === 'continue';

const PASSWORD_ITEMS: readonly Item[] = [
  { kind: 'text', id: 'password', label: 'Password', path: 'admin_password', secret: true },
  { kind: 'text', id: 'repeat', label: 'Password again', path: 'repeat', secret: true },
];
const HASH_ITEM: Item = {
  kind: 'text',
  id: 'hash',
  label: 'Password hash',
  path: 'admin_password_hash',
  secret: true,
  hint: 'as in the file',
};
const CODE_ITEM: Item = { kind: 'text', id: 'code', label: 'Pairing code', path: 'pairing_code', secret: true, hint: '8 digits' };

/** Secrets are kept nowhere, so those that are still needed are asked for again; a file that brings one has answered it. */
function secretItems(unfinished: UnfinishedView, given: Answers): readonly Item[] {
  const asks = (name: 'admin_password' | 'admin_password_hash' | 'pairing_code'): boolean =>
    unfinished.needs.includes(name) && given[name] === undefined;
  return [
    ...(asks('admin_password') ? PASSWORD_ITEMS : []),
    ...(asks('admin_password_hash') ? [HASH_ITEM] : []),
    ...(asks('pairing_code') ? [CODE_ITEM] : []),
  ];
}

/** The answers of the interrupted run, with its secrets as they were given now. */
function continuedAnswers(unfinished: UnfinishedView, given: Answers, draft: Draft): Answers {
  const secret = (id: string): Secret | undefined => (draftValue(draft, id) === '' ? undefined : new Secret(draftValue(draft, id)));
  const { needs, answers } = unfinished;
  const code = orNothing(draftValue(draft, 'code'));
  const password = needs.includes('admin_password') ? (given.admin_password ?? secret('password')) : undefined;
  const hash = needs.includes('admin_password_hash') ? (given.admin_password_hash ?? secret('hash')) : undefined;
  const pairing = needs.includes('pairing_code') ? (given.pairing_code ?? (code === undefined ? undefined : new Secret(code))) : undefined;
  return withAnswer(withAnswer(withAnswer(answers, 'admin_password', password), 'admin_password_hash', hash), 'pairing_code', pairing);
}

function told(unfinished: UnfinishedView): readonly BodyLine[] {
  const { disks, hostname, role, lastAt, done, total, stoppedAt } = unfinished;
  const what = role === 'control-plane' ? 'first node' : 'additional node';
  return lines(
    `The installation of ${plain(hostname)} (${what}) on ${disks.map(plain).join(' and ')} did not come to its end.`,
    `Last sign of it: ${plain(lastAt.slice(0, 16).replace('T', ' '))} UTC. Done: ${done.length} of ${total} steps.`,
    `It stopped at: ${plain(stoppedAt)}. The disk does not start yet.`,
    '',
  );
}

/** What the rules say to the secrets typed here. */
function secretFaults(state: WizardState, unfinished: UnfinishedView, draft: Draft): readonly Finding[] {
  const items = secretItems(unfinished, state.answers);
  const continued = continuedAnswers(unfinished, state.answers, draft);
  const missing = items
    .filter((item) => item.path !== 'repeat' && draftValue(draft, item.id) === '')
    .map((item): Finding => ({ severity: 'error', rule: 'answer.missing', path: item.path ?? '', message: 'is needed' }));
  const { hostname, admin_user, admin_password, admin_password_hash, pairing_code, role } = continued;
  const judged = judge(
    Object.fromEntries(
      Object.entries({ hostname, admin_user, admin_password, admin_password_hash, pairing_code, role }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
    null,
    'field',
  ).filter((finding) => finding.severity === 'error' && items.some((item) => item.path === finding.path));
  return [...missing, ...judged, ...(items.some((item) => item.id === 'repeat') ? passwordsDiffer(draft) : [])];
}

export const unfinishedScreen: ScreenDefinition = {
  id: 'unfinished',
  title: 'An installation was cut short',
  name: 'Cut short',
  keys: [],
  applies: (state) => state.unfinished !== null,
  isAnswered: () => true,
  open: (state) =>
    newDraft({ go: state.unfinished?.refusal === null ? 'continue' : 'again', password: '', repeat: '', hash: '', code: '' }, 'go'),
  body: (state, draft) => {
    const { unfinished } = state;
    if (unfinished === null) return { intro: [], items: [], aside: [] };
    const { refusal } = unfinished;
    const secrets = secretItems(unfinished, state.answers);
    const isAsking = isGoingOn(draft) && refusal === null;
    const list: Item = {
      kind: 'list',
      id: 'go',
      label: 'What next',
      path: null,
      options: [
        { value: 'continue', label: 'Go on where it stopped', ...(refusal === null ? {} : { refused: [refusal] }) },
        { value: 'again', label: 'Start over with the same answers' },
        { value: 'fresh', label: 'Start over and answer everything anew' },
      ],
    };
    return {
      intro: [
        ...told(unfinished),
        ...(refusal === null ? [] : [{ text: `It cannot go on: ${plain(refusal)}.`, tone: 'warning' } as const, { text: '' }]),
      ],
      items: isAsking ? [list, ...secrets] : [list],
      aside: lines(
        '',
        ...(isAsking
          ? [
              secrets.length > 0
                ? 'Passwords and codes are kept nowhere, so they are asked for again.'
                : 'Nothing needs to be asked: what is left to do uses no password.',
            ]
          : ['Nothing is written before Install on the last screen; the disk is confirmed again.']),
      ),
    };
  },
  commit: (answers) => answers,
  check: (state, draft) => (state.unfinished !== null && isGoingOn(draft) ? secretFaults(state, state.unfinished, draft) : []),
  question: ({ unfinished }, draft) =>
    isGoingOn(draft) && unfinished !== null
      ? {
          id: 'go-on',
          title: 'Go on now?',
          paragraphs: [
            `Writing to ${unfinished.disks.map(plain).join(' and ')} goes on at once. It is the disk that was confirmed, and it carries what the first part wrote.`,
          ],
          yes: 'Go on',
          no: 'Not yet',
        }
      : null,
  turn: (state, draft) => {
    const { unfinished } = state;
    const go = draftValue(draft, 'go');
    if (unfinished === null || go === 'fresh') return state;
    if (go === 'continue') return { ...state, answers: continuedAnswers(unfinished, state.answers, draft), isContinued: true };
    // What an answer file says now counts more than what was said then.
    const again = { ...state, answers: { ...unfinished.answers, ...state.answers }, drafts: {} };
    return { ...again, preset: presetScreens(again) };
  },
  effects: (_state, draft) => (isGoingOn(draft) ? [{ type: 'continue' }] : []),
  help: (item) =>
    item === 'go'
      ? 'Going on skips the steps that are done and repeats the one that was under way. Starting over writes everything anew, after the usual questions.'
      : 'It is needed once more since the installer keeps no secret. It may be another one than before; this one counts.',
  summary: () => '',
};
