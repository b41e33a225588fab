import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { isControlPlane, lines, orNothing, plainLine, targetDevice, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, Effect, Option, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { DiskVerdict } from '#model/machine.ts';
import { describeDisk, findDisk, judgeDisks, plain } from '#rules/disks.ts';
import { pad, wrapAll } from '#ui/text.ts';

/** Cells of a row that are highlighted: mark and name. */
const NAME_CELLS = 21;
/** Body of an 80 column terminal. */
const PAGE_WIDTH = 76;

function rowOf(state: WizardState, verdict: DiskVerdict): Option {
  const passport = describeDisk(state.machine, verdict.kname);
  const serial = passport.facts.find((fact) => fact.label === 'Serial')?.value ?? '';
  const columns = [pad(passport.path, 18), pad(passport.sizeText, 10), pad(passport.title, 24), serial].join(' ');
  const refused = verdict.reasons.map((reason) => reason.text);
  return {
    value: verdict.path,
    label: `${verdict.selectable ? '   ' : 'NO '}${columns}`.trimEnd(),
    mark: NAME_CELLS,
    ...(refused.length > 0 ? { refused } : {}),
  };
}

function verdictOf(state: WizardState, path: string): DiskVerdict | null {
  const device = findDisk(state.machine, path);
  return (device && judgeDisks(state.machine).find((candidate) => candidate.kname === device.kname)) ?? null;
}

/** What later screens ask about anyway. */
const ASKED_LATER = ['disk.existing-data', 'disk.own-installation'];

/** What later screens ask about, and advice for the other role, is no second question here. */
function cautions(state: WizardState, verdict: DiskVerdict): readonly string[] {
  return verdict.warnings
    .filter((warning) => !ASKED_LATER.includes(warning.code))
    .filter((warning) => warning.code !== 'disk.below-recommended' || isControlPlane(state.answers))
    .map((warning) => warning.text);
}

/** About the highlighted disk; short, since a serial line redraws it at every move. F4 has the rest. */
function asideLines(state: WizardState, path: string): readonly BodyLine[] {
  const verdict = verdictOf(state, path);
  if (!verdict) return [];
  const passport = describeDisk(state.machine, verdict.kname);
  const held = passport.contents.blank ? 'nothing' : passport.contents.summary;
  if (!verdict.selectable) {
    const more = verdict.reasons.length - 2;
    return [
      ...verdict.reasons.slice(0, 2).map((reason): BodyLine => ({ text: `Refused: ${reason.text}.`, tone: 'error' })),
      ...(more > 0 ? [plainLine(`And ${more} more; F4 shows all.`)] : []),
    ];
  }
  return [
    plainLine(state.lit === verdict.kname ? `The light of its bay is on. Holds: ${held}` : `Holds: ${held}`),
    plainLine(`Known as ${passport.byId ?? passport.byPath ?? `${passport.path} (may change between boots)`}`),
    ...cautions(state, verdict).map((text): BodyLine => ({ text: `Note: ${text}.`, tone: 'warning' })),
  ];
}

/** The whole passport, for F4. */
function passportPages(state: WizardState): { readonly title: string; readonly lines: readonly string[] } | null {
  const verdict = verdictOf(state, draftValue(state.draft, 'target'));
  if (!verdict) return null;
  const passport = describeDisk(state.machine, verdict.kname);
  return {
    title: `${passport.path}: ${passport.title}`,
    lines: wrapAll(
      [
        ...verdict.reasons.map((reason) => `Refused: ${reason.text}.`),
        ...verdict.warnings.map((warning) => `Note: ${warning.text}.`),
        '',
        ...passport.facts.map((fact) => `${pad(fact.label, 10)} ${fact.value}`),
        '',
        `Holds: ${passport.contents.blank ? 'nothing' : passport.contents.summary}`,
        ...passport.contents.lines.map((line) => `  ${line}`),
      ],
      PAGE_WIDTH,
    ),
  };
}

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
      aside: [plainLine(''), ...asideLines(state, draftValue(draft, 'target'))],
    };
  },
  commit: (answers, draft, state) => {
    const path = orNothing(draftValue(draft, 'target'));
    const current = targetDevice(state);
    // The same disk under the name the answer file gave it keeps that name.
    return current !== null && current.path === path ? answers : withAnswer(answers, 'target_disk', path);
  },
  asksWarnings: false,
  question: (state, draft) => {
    const verdict = verdictOf(state, draftValue(draft, 'target'));
    const texts = verdict ? cautions(state, verdict) : [];
    if (!verdict || texts.length === 0) return null;
    const paragraphs = texts.map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
    return {
      id: `disk:${verdict.kname}`,
      title: `Take ${plain(verdict.path)} all the same?`,
      paragraphs,
      yes: 'Take it',
      no: 'Choose another',
    };
  },
  extraKeys: [
    { key: 'f4', word: 'details', does: 'details', pages: passportPages },
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
    'Pick the disk by its serial number or slot; names such as sda may change between boots. Disks marked NO cannot be used, and the reason stands below the list.',
  summary: (state) => {
    const device = targetDevice(state);
    if (!device) return state.answers.target_disk === undefined ? '' : `${plain(state.answers.target_disk)} (not in this machine)`;
    const passport = describeDisk(state.machine, device.kname);
    return `${passport.path}, ${passport.sizeText}, ${passport.title}`;
  },
};
