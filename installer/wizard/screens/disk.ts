import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import type { Effect } from '#installer/wizard/effects.ts';
import { aboutDisk, cautionsOf, DISK_HEAD, diskRow, passportPages, takeQuestion, verdictOf } from '#installer/wizard/screens/disk-rows.ts';
import { lines, orNothing, plainLine, targetDevice, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import { describeDisk, findDisk, judgeDisks, plain } from '#rules/disks.ts';

const highlighted = (state: WizardState): string | null => findDisk(state.machine, draftValue(state.draft, 'target'))?.kname ?? null;

/** The light of the highlighted disk goes on, or out when it is on; another one goes out meanwhile. */
function switchLight(state: WizardState): { readonly lit: string | null; readonly effects: readonly Effect[] } {
  const kname = highlighted(state);
  const { lit } = state;
  const isOn = kname !== null && kname !== lit;
  const out: readonly Effect[] = lit === null ? [] : [{ type: 'light', kname: lit, isOn: false }];
  return { lit: isOn ? kname : null, effects: isOn ? [...out, { type: 'light', kname, isOn: true }] : out };
}

export const diskScreen: ScreenDefinition = {
  id: 'disk',
  title: 'Disk to install on',
  name: 'Disk',
  keys: ['target_disk'],
  applies: () => true,
  isAnswered: (answers) => answers.target_disk !== undefined,
  // Nothing is chosen for the operator: the highlight starts on the first row, and Enter is theirs.
  open: (state) => newDraft({ target: targetDevice(state)?.path ?? judgeDisks(state.machine)[0]?.path ?? '' }, 'target'),
  body: (state, draft) => {
    const verdicts = judgeDisks(state.machine);
    if (verdicts.length === 0) {
      return {
        intro: lines(
          'No disk was found. Check that the controller is enabled in the firmware (Intel RST or VMD: switch it to AHCI), then look again.',
        ),
        items: [],
        aside: [],
      };
    }
    const shown = verdictOf(state, draftValue(draft, 'target'));
    const usable = verdicts.filter((verdict) => verdict.selectable).length;
    return {
      intro: lines(
        usable === 0
          ? `${verdicts.length === 1 ? 'The only disk cannot' : `None of the ${verdicts.length} disks can`} be used; the reason stands below the list.`
          : `${usable} of ${verdicts.length} disk${verdicts.length === 1 ? '' : 's'} can be used. Everything on the chosen disk will be lost.`,
        '',
      ),
      items: [
        {
          kind: 'list',
          id: 'target',
          label: 'Disk',
          path: 'target_disk',
          head: DISK_HEAD,
          options: verdicts.map((verdict) => diskRow(state, verdict, verdict.reasons)),
        },
      ],
      aside: shown ? [plainLine(''), ...aboutDisk(state, shown, shown.reasons, cautionsOf(state, shown))] : [],
    };
  },
  commit: (answers, draft, state) => {
    const path = orNothing(draftValue(draft, 'target'));
    const current = targetDevice(state);
    // The same disk under the name the answer file gave it keeps that name.
    return current !== null && current.path === path ? answers : withAnswer(answers, 'target_disk', path);
  },
  asideFollowsHighlight: true,
  asksWarnings: false,
  question: (state, draft) => {
    const verdict = verdictOf(state, draftValue(draft, 'target'));
    return verdict && takeQuestion(verdict, cautionsOf(state, verdict));
  },
  extraKeys: [
    {
      key: 'f4',
      word: 'details',
      does: 'details',
      applies: (state) => highlighted(state) !== null,
      pages: (state) => passportPages(state, verdictOf(state, draftValue(state.draft, 'target')), []),
    },
    {
      key: 'f7',
      does: 'light its bay',
      applies: (state) => state.surroundings.locatable?.includes(highlighted(state) ?? '') === true,
      turn: (state) => ({ ...state, lit: switchLight(state).lit }),
      effect: (state) => switchLight(state).effects,
    },
    { key: 'f5', word: 'again', does: 'look again', effect: () => [{ type: 'rescan' }], busy: 'Looking at the disks again...' },
  ],
  help: () =>
    'Pick the disk by its serial number or slot; names such as sda may change between boots. F4 shows all that is known of a disk, also why one marked NO cannot be used; where its bay has a light, F7 switches it.',
  summary: (state) => {
    const device = targetDevice(state);
    if (!device) return state.answers.target_disk === undefined ? '' : `${plain(state.answers.target_disk)} (not in this machine)`;
    const passport = describeDisk(state.machine, device.kname);
    return `${passport.path}, ${passport.sizeText}, ${passport.title}`;
  },
};
