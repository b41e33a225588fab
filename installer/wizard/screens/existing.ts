import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import { lines, targetDevice, withAnswer } from '#installer/wizard/screens/helpers.ts';
import type { ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import type { InstalledSystem } from '#model/machine.ts';
import { isSet } from '#rules/choices.ts';
import { keptLayoutOf, plain } from '#rules/disks.ts';
import { type KeptIdentity, keptIdentityOf, keptRole } from '#rules/kept.ts';

/** Why the data on the chosen disk cannot be kept; null when it can. */
function keepRefusal(state: WizardState): string | null {
  const device = targetDevice(state);
  if (device === null) return 'no disk is chosen';
  const { unfinished } = state;
  if (unfinished !== null && !unfinished.keepsData && unfinished.disks.includes(device.path))
    return 'an installation on it was cut short, so its data is not whole';
  const kept = keptLayoutOf(state.machine, device.kname);
  return kept.kind === 'refused' ? kept.reason.text : null;
}

/** What the slots of the chosen disk say of themselves; null when nobody has looked. */
function installedThere(state: WizardState): InstalledSystem | null {
  const device = targetDevice(state);
  return state.machine.installed?.find((system) => system.disk === device?.kname) ?? null;
}

function versionText(system: InstalledSystem): string {
  const slots = system.slots.map((slot) => `slot ${slot.slot} ${slot.version ?? 'of unknown version'}`).join(', ');
  const booted = system.lastBootAt === null ? '' : `, last started ${system.lastBootAt.slice(0, 10)}`;
  return `${slots || 'no slot says its version'}${booted}`;
}

/** `ddi-1, a first node`; what is not recorded is left out. */
function identityText(identity: KeptIdentity): string {
  const role = keptRole(identity);
  const name = identity.get('hostname');
  const words = [
    name === undefined ? null : plain(name),
    role === null ? null : role === 'control-plane' ? 'a first node (control-plane)' : 'an additional node (appliance)',
  ];
  return words.filter((word) => word !== null).join(', ') || 'one that does not say its name';
}

export const existingScreen: ScreenDefinition = {
  id: 'existing',
  title: 'An installation is already there',
  name: 'Data on disk',
  keys: ['keep_var'],
  presetWith: 'disk',
  // An answer file that wants data kept where there is none must be told so, not erase in silence.
  applies: (state) => keepRefusal(state) === null || isSet(state.answers, 'keep_var'),
  isAnswered: (answers) => answers.keep_var !== undefined,
  // No default: keeping and erasing are both wrong for somebody.
  open: (state) =>
    newDraft({ keep: state.answers.keep_var === undefined ? '' : isSet(state.answers, 'keep_var') ? 'keep' : 'erase' }, 'keep'),
  body: (state) => {
    const system = installedThere(state);
    const refusal = keepRefusal(state);
    const found = system ? versionText(system) : 'its version is not known';
    const identity = system && keptIdentityOf(state.machine, system.disk);
    return {
      intro: lines(
        refusal === null ? `The disk holds an installation: ${found}.` : `Its data cannot be kept: ${refusal}.`,
        ...(identity ? [`It is ${identityText(identity)}.`] : []),
        '',
        'What is to happen with its data?',
        '',
      ),
      items: [
        {
          kind: 'list',
          id: 'keep',
          label: 'Data',
          path: 'keep_var',
          options: [
            {
              value: 'keep',
              label: 'Keep it  - database, logs, images and identity stay; the rest is new',
              ...(refusal === null ? {} : { refused: [refusal] }),
            },
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
