import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { isControlPlane, keptIdentity, lines, orNothing, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { ScreenDefinition } from '#installer/wizard/types.ts';
import type { K3sAnswers } from '#model/answers.ts';
import { DEFAULT_POD_CIDR, DEFAULT_SERVICE_CIDR } from '#model/limits.ts';
import { plain } from '#rules/disks.ts';

/** A default is left out, so that the answers say only what the operator changed. */
function changed(text: string, usual: string): string | undefined {
  const value = orNothing(text);
  return value === usual ? undefined : value;
}

export const k3sScreen: ScreenDefinition = {
  id: 'k3s',
  title: 'Address ranges inside the cluster',
  name: 'k3s ranges',
  keys: ['k3s'],
  isOptional: true,
  applies: (state) => isControlPlane(state.answers),
  isAnswered: (answers) => answers.k3s !== undefined,
  open: (state) => {
    const { k3s } = state.answers;
    // Once the screen was accepted, a range that is left out is the usual one.
    const kept = k3s === undefined ? keptIdentity(state) : null;
    const pods = k3s?.pod_cidr ?? kept?.get('pod_cidr') ?? DEFAULT_POD_CIDR;
    return newDraft({ pods, services: k3s?.service_cidr ?? kept?.get('service_cidr') ?? DEFAULT_SERVICE_CIDR }, 'pods');
  },
  body: (state) => ({
    intro: lines(
      ...(keptIdentity(state)?.has('pod_cidr')
        ? ['The cluster whose data is kept was made with its own ranges, and starts with no others.']
        : []),
      'Two private ranges that only the cluster uses. Change them only when your network uses one of them; later it is not possible.',
      '',
    ),
    items: [
      { kind: 'text', id: 'pods', label: 'Pods', path: 'k3s.pod_cidr', hint: DEFAULT_POD_CIDR },
      { kind: 'text', id: 'services', label: 'Services', path: 'k3s.service_cidr', hint: DEFAULT_SERVICE_CIDR },
    ],
    aside: [],
  }),
  commit: (answers, draft) => {
    const pods = changed(draftValue(draft, 'pods'), DEFAULT_POD_CIDR);
    const services = changed(draftValue(draft, 'services'), DEFAULT_SERVICE_CIDR);
    const ranges: K3sAnswers = {
      ...(pods === undefined ? {} : { pod_cidr: pods }),
      ...(services === undefined ? {} : { service_cidr: services }),
    };
    return withAnswer(answers, 'k3s', ranges);
  },
  help: (item) =>
    item === 'services'
      ? 'Addresses of services inside the cluster, from /22 up to /12. Nothing outside the cluster ever sees them.'
      : 'Addresses of containers inside the cluster, /22 or larger. They must not overlap your network, or its hosts cannot be reached.',
  summary: ({ answers }) =>
    plain(`pods ${answers.k3s?.pod_cidr ?? DEFAULT_POD_CIDR}, services ${answers.k3s?.service_cidr ?? DEFAULT_SERVICE_CIDR}`),
};
