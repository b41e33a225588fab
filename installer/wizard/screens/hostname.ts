import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { keptIdentity, lines, orNothing, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { ScreenDefinition } from '#installer/wizard/types.ts';

export const hostnameScreen: ScreenDefinition = {
  id: 'hostname',
  title: 'Host name',
  name: 'Host name',
  keys: ['hostname'],
  applies: () => true,
  isAnswered: (answers) => answers.hostname !== undefined,
  open: (state) => newDraft({ hostname: state.answers.hostname ?? keptIdentity(state)?.get('hostname') ?? '' }, 'hostname'),
  body: (state) => ({
    intro: lines(
      keptIdentity(state)?.has('hostname')
        ? 'The data that is kept was made under this name. Leave it, unless you know that nothing depends on it.'
        : 'A name for this machine, one that no other node of the installation has.',
      '',
    ),
    items: [{ kind: 'text', id: 'hostname', label: 'Host name', path: 'hostname', hint: 'such as ddi-1' }],
    aside: lines('', 'Letters, digits and hyphens, at most 63. No dots: the domain comes from the network.'),
  }),
  commit: (answers, draft) => withAnswer(answers, 'hostname', orNothing(draftValue(draft, 'hostname').replace(/\s/g, ''))),
  help: () =>
    'The host name is also the name of the Kubernetes node, so two machines must not share one. Upper case is stored in lower case.',
  summary: (state) => state.answers.hostname ?? '',
};
