import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { lines, orNothing, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { ScreenDefinition } from '#installer/wizard/types.ts';

export const hostnameScreen: ScreenDefinition = {
  id: 'hostname',
  title: 'Host name',
  name: 'Host name',
  keys: ['hostname'],
  applies: () => true,
  isAnswered: (answers) => answers.hostname !== undefined,
  open: (state) => newDraft({ hostname: state.answers.hostname ?? '' }, 'hostname'),
  body: () => ({
    intro: lines('A name for this machine, one that no other node of the installation has.', ''),
    items: [{ kind: 'text', id: 'hostname', label: 'Host name', path: 'hostname', hint: 'such as ddi-1' }],
    aside: lines('', 'Letters, digits and hyphens, at most 63. No dots: the domain comes from the network.'),
  }),
  commit: (answers, draft) => withAnswer(answers, 'hostname', orNothing(draftValue(draft, 'hostname').replace(/\s/g, ''))),
  help: () =>
    'The host name is also the name of the Kubernetes node, so two machines must not share one. Upper case is stored in lower case.',
  summary: (state) => state.answers.hostname ?? '',
};
