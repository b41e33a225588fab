import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { lines, targetDevice, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { Option, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import { isSet } from '#rules/choices.ts';
import { describeDisk, eligibleMirrors, findDisk } from '#rules/disks.ts';
import { pad } from '#ui/text.ts';

const NONE = 'none';

function partners(state: WizardState): readonly Option[] {
  const target = targetDevice(state);
  if (!target || isSet(state.answers, 'keep_var')) return [];
  return eligibleMirrors(state.machine, target.kname).map((verdict) => {
    const passport = describeDisk(state.machine, verdict.kname);
    const serial = passport.facts.find((fact) => fact.label === 'Serial')?.value ?? '';
    return {
      value: verdict.path,
      label: [pad(passport.path, 18), pad(passport.sizeText, 10), pad(passport.title, 24), serial].join(' '),
      mark: 18,
    };
  });
}

export const mirrorScreen: ScreenDefinition = {
  id: 'mirror',
  title: 'Second disk as a mirror',
  name: 'Mirror',
  keys: ['mirror_disk'],
  isOptional: true,
  presetWith: 'disk',
  applies: (state) => state.answers.mirror_disk !== undefined || partners(state).length > 0,
  isAnswered: (answers) => answers.mirror_disk !== undefined,
  open: (state) => {
    const given = state.answers.mirror_disk;
    return newDraft({ mirror: given === undefined ? NONE : (findDisk(state.machine, given)?.path ?? NONE) }, 'mirror');
  },
  body: (state) => ({
    intro: lines(
      'A second disk can hold a copy of everything (RAID 1), so that the machine survives the loss of one. It is erased too.',
      '',
    ),
    items: [
      {
        kind: 'list',
        id: 'mirror',
        label: 'Mirror',
        path: 'mirror_disk',
        options: [{ value: NONE, label: 'No mirror' }, ...partners(state)],
      },
    ],
    aside: [],
  }),
  commit: (answers, draft, state) => {
    const path = draftValue(draft, 'mirror');
    const given = answers.mirror_disk;
    if (given !== undefined && findDisk(state.machine, given)?.path === path) return answers;
    return withAnswer(answers, 'mirror_disk', path === NONE ? undefined : path);
  },
  asksWarnings: false,
  help: () => 'Both disks are written alike, and either starts the machine alone. Only disks at least as large as the first are listed.',
  summary: (state) => {
    const { mirror_disk: given } = state.answers;
    if (given === undefined) return 'no mirror';
    const device = findDisk(state.machine, given);
    if (!device) return 'a disk that is not in this machine';
    const passport = describeDisk(state.machine, device.kname);
    return `${passport.path}, ${passport.sizeText}, ${passport.title}`;
  },
};
