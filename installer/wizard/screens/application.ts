import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { keptIdentity, lines, orNothing, roleOf, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { ScreenDefinition } from '#installer/wizard/types.ts';
import { Secret } from '#model/secret.ts';
import { plain } from '#rules/disks.ts';

/** What the field starts with; alone it is no address. */
const SCHEME = 'https://';

/** A whole address pasted behind what the field starts with counts as that address. */
const urlOf = (text: string): string | undefined => {
  const url = text.trim().replace(/^https?:\/\/(?=https?:\/\/)/i, '');
  return url === SCHEME ? undefined : orNothing(url);
};

export const applicationScreen: ScreenDefinition = {
  id: 'application',
  title: 'Control plane',
  name: 'Control plane',
  keys: ['control_plane_url', 'pairing_code'],
  applies: (state) => roleOf(state.answers) === 'appliance',
  isAnswered: (answers) => answers.control_plane_url !== undefined && answers.pairing_code !== undefined,
  open: (state) =>
    newDraft(
      {
        url: state.answers.control_plane_url ?? keptIdentity(state)?.get('control_plane_url') ?? SCHEME,
        code: state.answers.pairing_code?.reveal() ?? '',
      },
      'url',
    ),
  body: (state) => ({
    intro: lines('Where this node registers, and the code that lets it in. Both are shown there under Appliance, Fleet.', ''),
    items: [
      { kind: 'text', id: 'url', label: 'Address', path: 'control_plane_url', hint: 'https://ddi.example.net' },
      { kind: 'text', id: 'code', label: 'Pairing code', path: 'pairing_code', secret: true, hint: '8 digits' },
    ],
    aside: lines(
      '',
      ...(state.answers.pairing_code === undefined ? [] : ['A pairing code is set; it is shown as stars.']),
      'The control plane is asked whether it is there; F5 does so at once. It may be missing: the node keeps trying.',
    ),
  }),
  commit: (answers, draft) => {
    const code = orNothing(draftValue(draft, 'code'));
    return withAnswer(
      withAnswer(answers, 'control_plane_url', urlOf(draftValue(draft, 'url'))),
      'pairing_code',
      code === undefined ? undefined : new Secret(code),
    );
  },
  gate: (draft) => {
    const url = urlOf(draftValue(draft, 'url'));
    if (url === undefined) return null;
    return {
      about: url,
      effect: { type: 'probe', url },
      busy: `Asking ${plain(url)} ...`,
      failed: 'The control plane is not there, or not as it should be',
      remark: 'Nothing has been written. Installed all the same, the node keeps asking until it is answered.',
    };
  },
  extraKeys: [
    {
      key: 'f5',
      word: 'try',
      does: 'try it',
      effect: (state) => {
        const url = urlOf(draftValue(state.draft, 'url'));
        return url === undefined ? [] : [{ type: 'probe', url }];
      },
    },
  ],
  help: (item) =>
    item === 'code'
      ? 'The eight digits that the control plane shows for a new node. Blanks and dashes between them do not matter, and it is not kept on this machine once it was used.'
      : 'The address of the control plane as a browser would open it. A name is better than an address, since certificates are made for names.',
  summary: (state) =>
    state.answers.control_plane_url === undefined
      ? ''
      : `${plain(state.answers.control_plane_url)}, code ${state.answers.pairing_code === undefined ? 'missing' : '********'}`,
};
