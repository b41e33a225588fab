/** What the two lists of disks, target and mirror, say of one disk. */
import { isControlPlane, plainLine } from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, Option, Question, WizardState } from '#installer/wizard/types.ts';
import type { DiskVerdict, Reason } from '#model/machine.ts';
import { describeDisk, findDisk, judgeDisks, plain } from '#rules/disks.ts';
import { cutMiddle, pad, wrapAll } from '#ui/text.ts';

/** `/dev/mapper/mpatha`; names of maps differ at their ends. */
const NAME_WIDTH = 18;
/** Cells of a row that are highlighted: mark and name. */
const NAME_CELLS = NAME_WIDTH + 3;

/** Body of an 80 column terminal. */
const PAGE_WIDTH = 76;

export const DISK_HEAD = `     ${pad('Name', NAME_WIDTH)} ${pad('Size', 10)} ${pad('Model', 24)} Serial`;

export function verdictOf(state: WizardState, path: string): DiskVerdict | null {
  const device = findDisk(state.machine, path);
  return (device && judgeDisks(state.machine).find((candidate) => candidate.kname === device.kname)) ?? null;
}

/** @param reasons why it cannot be taken for what this list is about; empty: it can */
export function diskRow(state: WizardState, verdict: DiskVerdict, reasons: readonly Reason[]): Option {
  const passport = describeDisk(state.machine, verdict.kname);
  const serial = passport.facts.find((fact) => fact.label === 'Serial')?.value ?? '';
  const name = cutMiddle(passport.path, NAME_WIDTH);
  const columns = [pad(name, NAME_WIDTH), pad(passport.sizeText, 10), pad(passport.title, 24), ''].join(' ');
  return {
    value: verdict.path,
    label: `${reasons.length === 0 ? '   ' : 'NO '}${columns}`,
    tail: serial,
    mark: NAME_CELLS,
    ...(reasons.length > 0 ? { refused: reasons.map((reason) => reason.text) } : {}),
  };
}

/** What later screens ask about anyway. */
const ASKED_LATER = ['disk.existing-data', 'disk.own-installation'];

/** What has to be agreed to; what later screens ask about, and advice for the other role, is no question here. */
export function cautionsOf(state: WizardState, verdict: DiskVerdict): readonly Reason[] {
  return verdict.warnings
    .filter((warning) => !ASKED_LATER.includes(warning.code))
    .filter((warning) => warning.code !== 'disk.below-recommended' || isControlPlane(state.answers));
}

/** What a disk holds, in a line. An installation that was cut short looks like a whole one by its partitions alone. */
function heldBy(state: WizardState, { path, contents }: ReturnType<typeof describeDisk>): string {
  const { unfinished } = state;
  if (unfinished?.disks.includes(path))
    return `an installation of ${plain(unfinished.hostname)} that was cut short (${unfinished.done.length} of ${unfinished.total} steps); it does not start`;
  return contents.blank ? 'nothing' : contents.summary;
}

/** About the highlighted disk; short, since a serial line redraws it at every move. F4 has the rest. */
export function aboutDisk(state: WizardState, verdict: DiskVerdict, reasons: readonly Reason[], cautions: readonly Reason[]): BodyLine[] {
  const passport = describeDisk(state.machine, verdict.kname);
  const held = heldBy(state, passport);
  if (reasons.length > 0) {
    const more = reasons.length - 2;
    return [
      ...reasons.slice(0, 2).map((reason): BodyLine => ({ text: `Refused: ${reason.text}.`, tone: 'error' })),
      ...(more > 0 ? [plainLine(`And ${more} more; F4 shows all.`)] : []),
    ];
  }
  return [
    plainLine(state.lit === verdict.kname ? `The light of its bay is on. Holds: ${held}` : `Holds: ${held}`),
    ...passport.facts.filter((fact) => fact.label === 'Paths').map((fact) => plainLine(`Paths ${fact.value}`)),
    plainLine(`Known as ${passport.byId ?? passport.byPath ?? `${passport.path} (may change between boots)`}`),
    ...cautions.map(({ text }): BodyLine => ({ text: `Note: ${text}.`, tone: 'warning' })),
  ];
}

/** null: nothing speaks against it. */
export function takeQuestion(verdict: DiskVerdict, cautions: readonly Reason[]): Question | null {
  if (cautions.length === 0) return null;
  return {
    id: `disk:${verdict.kname}`,
    title: `Take ${plain(verdict.path)} all the same?`,
    paragraphs: cautions.map(({ text }) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`),
    yes: 'Take it',
    no: 'Choose another',
  };
}

/** The whole passport, for F4. @param others reasons besides those of the disk itself */
export function passportPages(
  state: WizardState,
  verdict: DiskVerdict | null,
  others: readonly Reason[],
): { readonly title: string; readonly lines: readonly string[] } | null {
  if (!verdict) return null;
  const passport = describeDisk(state.machine, verdict.kname);
  const said = [
    ...[...verdict.reasons, ...others].map((reason) => `Refused: ${reason.text}.`),
    // What it holds stands below.
    ...verdict.warnings.filter(({ code }) => !ASKED_LATER.includes(code)).map((warning) => `Note: ${warning.text}.`),
  ];
  return {
    title: `${passport.path}: ${passport.title}`,
    lines: wrapAll(
      [
        ...said,
        ...(said.length > 0 ? [''] : []),
        ...passport.facts.map((fact) => `${pad(fact.label, 10)} ${fact.value}`),
        '',
        `Holds: ${heldBy(state, passport)}`,
        ...passport.contents.lines.map((line) => `  ${line}`),
      ],
      PAGE_WIDTH,
    ),
  };
}
