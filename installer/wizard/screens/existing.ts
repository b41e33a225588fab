import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { lines, targetDevice, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { InstalledSystem } from '#model/machine.ts';
import { isSet } from '#rules/choices.ts';
import { findDisk } from '#rules/disks.ts';

/** Our own installation on the chosen disk; null when there is none, or when it is half of a mirror. */
function installedThere(state: WizardState): InstalledSystem | null {
  const device = targetDevice(state);
  const found = state.machine.installed?.find((system) => system.disk === device?.kname) ?? null;
  const isMirror = device?.children.some((kname) => findDisk(state.machine, kname)?.fsType === 'linux_raid_member') ?? false;
  return isMirror ? null : found;
}

function versionText(system: InstalledSystem): string {
  const slots = system.slots.map((slot) => `slot ${slot.slot} ${slot.version ?? 'of unknown version'}`).join(', ');
  const booted = system.lastBootAt === null ? '' : `, last started ${system.lastBootAt.slice(0, 10)}`;
  return `${slots || 'no slot says its version'}${booted}`;
}

export const existingScreen: ScreenDefinition = {
  id: 'existing',
  title: 'An installation is already there',
  name: 'Data on disk',
  keys: ['keep_var'],
  presetWith: 'disk',
  applies: (state) => installedThere(state) !== null,
  isAnswered: (answers) => answers.keep_var !== undefined,
  // No default: keeping and erasing are both wrong for somebody.
  open: (state) =>
    newDraft({ keep: state.answers.keep_var === undefined ? '' : isSet(state.answers, 'keep_var') ? 'keep' : 'erase' }, 'keep'),
  body: (state) => {
    const system = installedThere(state);
    return {
      intro: lines(`The disk holds an installation: ${system ? versionText(system) : 'none'}.`, '', 'What is to happen with its data?', ''),
      items: [
        {
          kind: 'list',
          id: 'keep',
          label: 'Data',
          path: 'keep_var',
          options: [
            { value: 'keep', label: 'Keep it  - database, logs, images and identity stay; the system is written anew' },
            { value: 'erase', label: 'Erase it - start with an empty disk' },
          ],
        },
      ],
      aside: lines('', 'Kept settings of /etc are set aside in /var/persist/etc.previous.'),
    };
  },
  check: (_state, draft) =>
    draftValue(draft, 'keep') === ''
      ? [{ severity: 'error', rule: 'keep_var.none', path: 'keep_var', message: 'Choose one of the two.' }]
      : [],
  commit: (answers, draft) => {
    const choice = draftValue(draft, 'keep');
    return withAnswer(answers, 'keep_var', choice === '' ? undefined : choice === 'keep' ? 'true' : 'false');
  },
  help: () =>
    'Keeping leaves the partitions state and var as they are and writes everything else. Erasing makes a new table and loses all data.',
  summary: (state) => (state.answers.keep_var === undefined ? '' : isSet(state.answers, 'keep_var') ? 'kept' : 'erased'),
};
