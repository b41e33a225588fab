import { newDraft } from '#installer/wizard/draft.ts';
import { errorsOf, installFindings, openQuestions } from '#installer/wizard/judging.ts';
import { QUESTION_SCREENS } from '#installer/wizard/questions.ts';
import { doomedDisks, holdsText, lossElsewhere, plainLine, serialOf } from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, Option, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import { isSet } from '#rules/choices.ts';
import { describeDisk } from '#rules/disks.ts';
import { cut, pad } from '#ui/text.ts';

export const INSTALL = 'install';

function rows(state: WizardState): readonly Option[] {
  const open = openQuestions(state);
  const fields = QUESTION_SCREENS.filter((screen) => screen.applies(state)).map((screen): Option => {
    const mark = open.includes(screen) ? '!' : ' ';
    return { value: screen.id, label: `${mark} ${pad(screen.name, 15)} ${screen.summary(state) || 'not answered yet'}` };
  });
  const last = state.mode === 'rehearse' ? '  Show the plan   the rehearsal ends here' : '  Install         starts writing to the disk';
  return [...fields, { value: INSTALL, label: last }];
}

/** Both disks and the rows above have to stay on the screen. */
const MAX_HELD_LENGTH = 160;

function fates(state: WizardState): readonly BodyLine[] {
  const disks = doomedDisks(state);
  if (disks.length === 0) return [{ text: 'No disk is chosen.', tone: 'error' }];
  return disks.flatMap(({ kname }): BodyLine[] => {
    const passport = describeDisk(state.machine, kname);
    const { path, contents } = passport;
    const serial = serialOf(passport);
    const name = serial === null ? path : `${path} (serial ${serial})`;
    const held = `${cut(holdsText(contents), MAX_HELD_LENGTH)}.`.replace(/\.{4}$/, '...');
    const text = isSet(state.answers, 'keep_var')
      ? `${name} keeps its data (var); the system on it is written anew.`
      : `${name} will be erased; ${contents.recorded ? `it ${held}` : held}`;
    const elsewhere = lossElsewhere(state, kname);
    return [{ text, tone: 'warning' }, ...(elsewhere === null ? [] : [{ text: elsewhere, tone: 'error' } as const])];
  });
}

function faults(state: WizardState): readonly BodyLine[] {
  // Rows of the menu carry their own mark; here stands what belongs to no row.
  const owned = new Set(QUESTION_SCREENS.flatMap((screen) => screen.keys as readonly string[]));
  return errorsOf(installFindings(state))
    .filter((finding) => !owned.has(/^[^.[]*/.exec(finding.path)?.[0] ?? ''))
    .map((finding) => ({ text: finding.message, tone: 'error' }));
}

export const confirmScreen: ScreenDefinition = {
  id: 'confirm',
  title: 'Ready to install',
  name: 'Confirm',
  keys: [],
  applies: () => true,
  isAnswered: () => true,
  // Starts on a field, never on Install.
  open: () => newDraft({ row: 'disk' }, 'row'),
  body: (state) => ({
    intro: [plainLine('Enter on a row changes it. Rows marked ! still need you.'), plainLine('')],
    items: [{ kind: 'list', id: 'row', label: 'Change', path: null, options: rows(state) }],
    aside: [plainLine(''), ...fates(state), ...faults(state)],
  }),
  commit: (answers) => answers,
  extraKeys: [{ key: 'f6', word: 'test', does: 'test network', effect: () => [{ type: 'test-network' }] }],
  help: () => 'All answers at a glance. Enter on a row goes to its screen and comes back here; nothing is written before Install.',
  summary: () => '',
};
