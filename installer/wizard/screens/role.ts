import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { lines, orNothing, roleOf, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { ScreenDefinition } from '#installer/wizard/types.ts';

const ROLES = [
  { value: 'appliance', label: 'Additional node - joins a control plane that is already running' },
  { value: 'control-plane', label: 'First node      - the control plane itself' },
];

const ABOUT: Readonly<Record<string, readonly string[]>> = {
  appliance: [
    'An appliance runs DNS and DHCP. It needs the address of the control plane and a pairing code, both shown there under Appliance, Fleet.',
  ],
  'control-plane': [
    'The control plane holds the database and the web interface. Every installation has one; install it first. It wants 8 GiB of memory and a disk of 40 GiB.',
  ],
};

export const roleScreen: ScreenDefinition = {
  id: 'role',
  title: 'Role of this machine',
  name: 'Role',
  keys: ['role'],
  applies: () => true,
  asideFollowsHighlight: true,
  isAnswered: (answers) => roleOf(answers) !== null,
  open: (state) => newDraft({ role: roleOf(state.answers) ?? 'appliance' }, 'role'),
  body: (_state, draft) => ({
    intro: lines('What will this machine be?', ''),
    items: [{ kind: 'list', id: 'role', label: 'Role', path: 'role', options: ROLES }],
    aside: lines('', ...(ABOUT[draftValue(draft, 'role')] ?? [])),
  }),
  commit: (answers, draft) => withAnswer(answers, 'role', orNothing(draftValue(draft, 'role'))),
  question: (_state, draft) =>
    draftValue(draft, 'role') === 'control-plane'
      ? {
          id: 'first-node',
          title: 'Is this really the first node?',
          paragraphs: [
            'A second control plane would be an installation of its own, with an empty database. If there is one already, this machine is an additional node.',
          ],
          yes: 'Yes, first node',
          no: 'No',
          otherwise: ['role', 'appliance'],
        }
      : null,
  help: () =>
    'The first node of an installation is its control plane; every other machine is an additional node. An additional node is told the address of the control plane later.',
  summary: (state) =>
    roleOf(state.answers) === 'control-plane'
      ? 'First node (control-plane)'
      : roleOf(state.answers) === 'appliance'
        ? 'Additional node (appliance)'
        : '',
};
