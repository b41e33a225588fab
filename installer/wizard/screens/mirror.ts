import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { aboutDisk, cautionsOf, DISK_HEAD, diskRow, passportPages, takeQuestion, verdictOf } from '#installer/wizard/screens/disk-rows.ts';
import { lines, plainLine, targetDevice, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, Draft, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { DiskVerdict, Reason } from '#model/machine.ts';
import { isSet } from '#rules/choices.ts';
import { describeDisk, eligibleMirrors, findDisk, judgeDisks, mirrorRefusal } from '#rules/disks.ts';

const NONE = 'none';

interface Candidate {
  readonly verdict: DiskVerdict;
  /** Empty: it can be the mirror. */
  readonly reasons: readonly Reason[];
}

/** Every disk but the target, refused ones too. */
function candidates(state: WizardState): readonly Candidate[] {
  const target = targetDevice(state);
  if (!target || isSet(state.answers, 'keep_var')) return [];
  return judgeDisks(state.machine)
    .filter((verdict) => verdict.kname !== target.kname)
    .map((verdict) => {
      const refusal = mirrorRefusal(state.machine, target.kname, verdict.kname);
      return { verdict, reasons: verdict.reasons.length > 0 || refusal === null ? verdict.reasons : [refusal] };
    });
}

/** The screen is asked only where there is one that can be taken. */
function hasPartner(state: WizardState): boolean {
  const target = targetDevice(state);
  return target !== null && !isSet(state.answers, 'keep_var') && eligibleMirrors(state.machine, target.kname).length > 0;
}

/** Advice on the other disks of the machine, which choosing the target has brought up. */
const ASKED_WITH_TARGET = ['disk.below-recommended', 'disk.other-installation'];

function cautions(state: WizardState, verdict: DiskVerdict): readonly Reason[] {
  const target = targetDevice(state);
  const ofTarget = target ? (verdictOf(state, target.path)?.warnings ?? []) : [];
  // Both halves of the same old mirror: asked once.
  const isAsked = (code: string): boolean =>
    ASKED_WITH_TARGET.includes(code) || (code === 'disk.own-mirror' && ofTarget.some((warning) => warning.code === code));
  return cautionsOf(state, verdict).filter(({ code }) => !isAsked(code));
}

function chosen(state: WizardState, draft: Draft): Candidate | null {
  const path = draftValue(draft, 'mirror');
  return candidates(state).find(({ verdict }) => verdict.path === path) ?? null;
}

function about(state: WizardState, draft: Draft): readonly BodyLine[] {
  const candidate = chosen(state, draft);
  if (!candidate) return [];
  const { verdict, reasons } = candidate;
  return [plainLine(''), ...aboutDisk(state, verdict, reasons, cautions(state, verdict))];
}

export const mirrorScreen: ScreenDefinition = {
  id: 'mirror',
  title: 'Second disk as a mirror',
  name: 'Mirror',
  keys: ['mirror_disk'],
  isOptional: true,
  presetWith: 'disk',
  applies: (state) => state.answers.mirror_disk !== undefined || hasPartner(state),
  isAnswered: (answers) => answers.mirror_disk !== undefined,
  open: (state) => {
    const given = state.answers.mirror_disk;
    return newDraft({ mirror: given === undefined ? NONE : (findDisk(state.machine, given)?.path ?? NONE) }, 'mirror');
  },
  body: (state, draft) => ({
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
        head: DISK_HEAD,
        options: [
          { value: NONE, label: '   No mirror' },
          ...candidates(state).map(({ verdict, reasons }) => diskRow(state, verdict, reasons)),
        ],
      },
    ],
    aside: about(state, draft),
  }),
  commit: (answers, draft, state) => {
    const path = draftValue(draft, 'mirror');
    const given = answers.mirror_disk;
    if (given !== undefined && findDisk(state.machine, given)?.path === path) return answers;
    return withAnswer(answers, 'mirror_disk', path === NONE ? undefined : path);
  },
  asideFollowsHighlight: true,
  asksWarnings: false,
  extraKeys: [
    {
      key: 'f4',
      word: 'details',
      does: 'details',
      applies: (state) => chosen(state, state.draft) !== null,
      pages: (state) => {
        const candidate = chosen(state, state.draft);
        if (!candidate) return null;
        const { verdict, reasons } = candidate;
        return passportPages(state, verdict, verdict.reasons.length > 0 ? [] : reasons);
      },
    },
  ],
  question: (state, draft) => {
    const candidate = chosen(state, draft);
    return candidate && takeQuestion(candidate.verdict, cautions(state, candidate.verdict));
  },
  help: () =>
    'Both disks are written alike, and either starts the machine alone. It has to be at least as large as the first; disks marked NO cannot be used, and the reason stands below the list.',
  summary: (state) => {
    const { mirror_disk: given } = state.answers;
    if (given === undefined) return 'no mirror';
    const device = findDisk(state.machine, given);
    if (!device) return 'a disk that is not in this machine';
    const passport = describeDisk(state.machine, device.kname);
    return `${passport.path}, ${passport.sizeText}, ${passport.title}`;
  },
};
