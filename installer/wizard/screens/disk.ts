import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { lines, orNothing, plainLine, targetDevice, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, Option, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { DiskVerdict } from '#model/machine.ts';
import { describeDisk, findDisk, judgeDisks, plain } from '#rules/disks.ts';
import { pad } from '#ui/text.ts';

function rowOf(state: WizardState, verdict: DiskVerdict): Option {
  const passport = describeDisk(state.machine, verdict.kname);
  const serial = passport.facts.find((fact) => fact.label === 'Serial')?.value ?? '';
  const columns = [pad(passport.path, 18), pad(passport.sizeText, 10), pad(passport.title, 24), serial].join(' ');
  const refused = verdict.reasons.map((reason) => reason.text);
  return {
    value: verdict.path,
    label: `${verdict.selectable ? '   ' : 'NO '}${columns}`.trimEnd(),
    ...(refused.length > 0 ? { refused } : {}),
  };
}

/** The passport of a disk, in at most the rows that an 80x24 screen has left. */
export function passportLines(state: WizardState, path: string): readonly BodyLine[] {
  const device = findDisk(state.machine, path);
  const verdict = device && judgeDisks(state.machine).find((candidate) => candidate.kname === device.kname);
  if (!device || !verdict) return [];
  const passport = describeDisk(state.machine, device.kname);
  const fact = (label: string): string | null => {
    const found = passport.facts.find((entry) => entry.label === label);
    return found ? `${label} ${found.value}` : null;
  };
  const known = (labels: readonly string[]): string => labels.map(fact).filter(Boolean).join(', ');
  const held = passport.contents.blank ? 'nothing' : passport.contents.summary;
  return [
    ...verdict.reasons.map((reason): BodyLine => ({ text: `Refused: ${reason.text}.`, tone: 'error' })),
    plainLine(`Holds: ${held}`),
    plainLine(known(['Size', 'Transport', 'Medium', 'Sectors'])),
    plainLine(known(['WWN', 'Slot', 'Paths']) || 'No WWN, no slot known.'),
    plainLine(`Name for an answer file: ${passport.byId ?? passport.byPath ?? `${passport.path} (may change between boots)`}`),
    ...verdict.warnings.map((warning): BodyLine => ({ text: `Note: ${warning.text}.`, tone: 'warning' })),
  ];
}

export const diskScreen: ScreenDefinition = {
  id: 'disk',
  title: 'Disk to install on',
  name: 'Disk',
  keys: ['target_disk'],
  applies: () => true,
  isAnswered: (answers) => answers.target_disk !== undefined,
  // Nothing is chosen for the operator (ruling R20): the highlight starts on the first row, and Enter is theirs.
  open: (state) => newDraft({ target: targetDevice(state)?.path ?? judgeDisks(state.machine)[0]?.path ?? '' }, 'target'),
  body: (state, draft) => {
    const verdicts = judgeDisks(state.machine);
    if (verdicts.length === 0) {
      return {
        intro: lines(
          'No disk was found. Check that the controller is enabled in the firmware (Intel RST or VMD: switch it to AHCI), then look again with F5.',
        ),
        items: [],
        aside: [],
      };
    }
    const usable = verdicts.filter((verdict) => verdict.selectable).length;
    return {
      intro: lines(
        `${usable} of ${verdicts.length} disk${verdicts.length === 1 ? '' : 's'} can be used. Everything on the chosen disk will be lost.`,
        '',
      ),
      items: [
        {
          kind: 'list',
          id: 'target',
          label: 'Disk',
          path: 'target_disk',
          head: `     ${pad('Name', 18)} ${pad('Size', 10)} ${pad('Model', 24)} Serial`,
          options: verdicts.map((verdict) => rowOf(state, verdict)),
        },
      ],
      aside: [plainLine(''), ...passportLines(state, draftValue(draft, 'target'))],
    };
  },
  commit: (answers, draft, state) => {
    const path = orNothing(draftValue(draft, 'target'));
    const current = targetDevice(state);
    // The same disk under the name the answer file gave it keeps that name.
    return current !== null && current.path === path ? answers : withAnswer(answers, 'target_disk', path);
  },
  extraKeys: [{ key: 'f5', does: 'look again', effect: () => [{ type: 'rescan' }], busy: 'Looking at the disks again...' }],
  help: () =>
    'Pick the disk by its serial number or slot; names such as sda may change between boots. Disks marked NO cannot be used, and the reason stands below the list.',
  summary: (state) => {
    const device = targetDevice(state);
    if (!device) return state.answers.target_disk === undefined ? '' : `${plain(state.answers.target_disk)} (not in this machine)`;
    const passport = describeDisk(state.machine, device.kname);
    return `${passport.path}, ${passport.sizeText}, ${passport.title}`;
  },
};
