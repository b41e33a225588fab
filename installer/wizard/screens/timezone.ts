import { draftValue, newDraft, queryId } from '#installer/wizard/draft.ts';
import { keptIdentity, lines, orNothing, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { Option, ScreenDefinition } from '#installer/wizard/types.ts';
import { DEFAULT_TIMEZONE } from '#model/limits.ts';
import { formerNames, zoneNames } from '#rules/timezone.ts';
import { pad } from '#ui/text.ts';

/** Found by a name that it had before, too: nobody has to know that US/Pacific is called otherwise now. */
function rowOf(name: string): Option {
  const former = formerNames(name);
  return { value: name, label: former.length === 0 ? name : `${pad(name, 32)} ${former.join(', ')}` };
}

const ZONES: readonly Option[] = [DEFAULT_TIMEZONE, ...zoneNames().filter((name) => name !== DEFAULT_TIMEZONE)].map(rowOf);

const knownZone = (name: string | undefined): string | undefined => ZONES.find((zone) => zone.value === name)?.value;

export const timezoneScreen: ScreenDefinition = {
  id: 'timezone',
  title: 'Time zone',
  name: 'Time zone',
  keys: ['timezone'],
  applies: () => true,
  isAnswered: (answers) => answers.timezone !== undefined,
  open: (state) =>
    newDraft(
      {
        timezone: state.answers.timezone ?? knownZone(keptIdentity(state)?.get('timezone')) ?? DEFAULT_TIMEZONE,
        [queryId('timezone')]: '',
      },
      'timezone',
    ),
  body: () => ({
    intro: lines('Type a part of the name (a city, a continent) to narrow the list.', ''),
    items: [{ kind: 'search', id: 'timezone', label: 'Zone', path: 'timezone', options: ZONES }],
    aside: [],
  }),
  commit: (answers, draft) => withAnswer(answers, 'timezone', orNothing(draftValue(draft, 'timezone'))),
  help: () => 'The zone in which logs and schedules on this machine are shown. UTC is right when machines stand in several zones.',
  summary: (state) => state.answers.timezone ?? '',
};
