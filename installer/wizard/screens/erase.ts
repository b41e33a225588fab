import { layoutFor, varBytes } from '#installer/plan/layout.ts';
import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import {
  type Doomed,
  doomedDisks,
  holdsText,
  lossElsewhere,
  orNothing,
  plainLine,
  serialOf,
  withAnswer,
} from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, Item, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { Finding } from '#model/finding.ts';
import type { PartitionId } from '#model/plan.ts';
import { isSet } from '#rules/choices.ts';
import { confirmWordOf, type DiskPassport, describeDisk, identityOf, roundSize } from '#rules/disks.ts';
import { cut, pad } from '#ui/text.ts';

const USES: Readonly<Record<PartitionId, string>> = {
  bios_boot: 'BIOS loader',
  esp: 'boot menu',
  state: 'identity',
  root_a: 'system, slot A',
  root_b: 'system, slot B',
  var: 'data',
};

/** The table that the plan will write, in two columns. */
function layoutLines(state: WizardState, kname: string): readonly BodyLine[] {
  const layout = layoutFor(identityOf(state.machine, kname), state.machine.architecture, false, () => '');
  const cells = layout.partitions.map((part) => {
    const size = roundSize(part.sizeBytes ?? varBytes(layout));
    return `${part.number} ${pad(part.name, 9)} ${pad(size, 9)} ${pad(USES[part.id], 14)}`;
  });
  const half = Math.ceil(cells.length / 2);
  return cells.slice(0, half).map((cell, index) => plainLine(`${cell} ${cells[half + index] ?? ''}`.trimEnd()));
}

/** Blanks and case do not matter: the point is that the operator has read the label. */
const normalised = (text: string): string => text.replaceAll(' ', '').toLowerCase();

const isKept = (state: WizardState): boolean => isSet(state.answers, 'keep_var');

/** Body of an 80 column terminal. */
const ROW_WIDTH = 76;
/** Rows for what the disks hold, shared by them: however much a disk says of itself, the question below stays on the screen. */
const HELD_ROWS = 4;

/** One row, whatever the disk says of itself. */
function nameRow(passport: DiskPassport): string {
  const { path, sizeText, title } = passport;
  const serial = serialOf(passport);
  const ends = [`${cut(path, 24)}  ${sizeText}  `, serial === null ? '' : `  serial ${serial}`] as const;
  return ends.join(cut(title, ROW_WIDTH - ends.join('').length));
}

function diskLines(state: WizardState, disk: Doomed, heldRows: number): readonly BodyLine[] {
  const passport = describeDisk(state.machine, disk.kname);
  const elsewhere = lossElsewhere(state, disk.kname);
  return [
    { text: nameRow(passport), tone: 'title' },
    plainLine(cut(`  ${holdsText(passport.contents)}`, (ROW_WIDTH - 8) * heldRows)),
    ...(elsewhere === null ? [] : [{ text: elsewhere, tone: 'warning' } as const]),
  ];
}

export const eraseScreen: ScreenDefinition = {
  id: 'erase',
  title: 'Erase the disk',
  name: 'Erasing',
  keys: ['confirm_wipe'],
  applies: () => true,
  isAnswered: (answers) => isSet(answers, 'confirm_wipe'),
  open: () => newDraft({ word: '', 'mirror-word': '' }, 'word'),
  body: (state) => {
    const disks = doomedDisks(state);
    const fate = isKept(state)
      ? 'The system on this disk is written anew; its data (var) and identity (state) stay:'
      : disks.length > 1
        ? 'Everything on these disks will be erased:'
        : 'Everything on this disk will be erased:';
    return {
      intro: [
        plainLine(fate),
        plainLine(''),
        ...disks.flatMap((disk) => diskLines(state, disk, HELD_ROWS / disks.length)),
        plainLine(''),
        plainLine('It happens after Install on the last screen, not now.'),
        ...disks.map((disk) =>
          plainLine(`To confirm, type ${confirmWordOf(state.machine, disk.kname).question}${disks.length > 1 ? ` (${disk.kname})` : ''}.`),
        ),
        plainLine(''),
      ],
      items: disks.map((disk): Item => {
        const { path } = describeDisk(state.machine, disk.kname);
        return { kind: 'text', id: disk.id, label: `Type for ${path}`, path: disk.id };
      }),
      aside: isKept(state) || !disks[0] ? [] : [plainLine(''), plainLine('New layout:'), ...layoutLines(state, disks[0].kname)],
    };
  },
  check: (state, draft) =>
    doomedDisks(state).flatMap((disk): Finding[] => {
      const { word, question } = confirmWordOf(state.machine, disk.kname);
      if (normalised(draftValue(draft, disk.id)) === normalised(word)) return [];
      const { path } = describeDisk(state.machine, disk.kname);
      const typed = orNothing(draftValue(draft, disk.id));
      return [
        {
          severity: 'error',
          rule: 'confirm_wipe.word',
          path: disk.id,
          message:
            typed === undefined ? `${path} is erased only after you typed ${question}.` : `What was typed for ${path} is not ${question}.`,
          fix: 'Look at the line above that starts with the name of the disk.',
        },
      ];
    }),
  commit: (answers) => withAnswer(answers, 'confirm_wipe', 'true'),
  help: () =>
    'Typing the end of the serial number shows that you have the right disk in front of you. Nothing is written before Install on the last screen.',
  summary: (state) => (isSet(state.answers, 'confirm_wipe') ? 'confirmed' : ''),
};
