import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { keptIdentity, lines, withAnswer, words } from '#installer/wizard/screens/helpers.ts';
import type { ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import { DEFAULT_NTP } from '#model/limits.ts';
import { plain } from '#rules/disks.ts';

/** What the network offered, while nothing else was said. */
function offered(state: WizardState): readonly string[] {
  const kept = words(keptIdentity(state)?.get('ntp_servers') ?? '');
  if (kept.length > 0) return kept;
  return state.surroundings.offeredNtp.length > 0 ? state.surroundings.offeredNtp : DEFAULT_NTP;
}

export const ntpScreen: ScreenDefinition = {
  id: 'ntp',
  title: 'Time servers',
  name: 'Time servers',
  keys: ['ntp_servers'],
  isOptional: true,
  applies: () => true,
  isAnswered: (answers) => answers.ntp_servers !== undefined,
  open: (state) => newDraft({ servers: (state.answers.ntp_servers ?? offered(state)).join(' ') }, 'servers'),
  body: (state) => ({
    intro: lines(
      'Where this machine takes the time from. Names or addresses, separated by blanks.',
      ...(state.surroundings.offeredNtp.length > 0 ? ['The network offered the ones below (DHCP option 42).'] : []),
      '',
    ),
    items: [{ kind: 'text', id: 'servers', label: 'Time servers', path: 'ntp_servers' }],
    aside: lines('', 'Empty: no time source. Certificates and logs then depend on the clock of the machine.'),
  }),
  commit: (answers, draft) =>
    withAnswer(
      answers,
      'ntp_servers',
      draftValue(draft, 'servers')
        .split(/\s+/)
        .filter((word) => word !== ''),
    ),
  help: () =>
    'Certificates are refused when the clock is wrong, so a time server that this machine can reach is worth having. Several make it safer.',
  summary: (state) => {
    const servers = state.answers.ntp_servers;
    return servers === undefined ? `${offered(state).join(' ')} (default)` : servers.length === 0 ? 'none' : plain(servers.join(' '));
  },
};
