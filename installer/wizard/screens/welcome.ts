import { newDraft } from '#installer/wizard/draft.ts';
import { lines } from '#installer/wizard/screens/helpers.ts';
import type { ScreenDefinition, WizardState } from '#installer/wizard/types.ts';

const machineLine = (state: WizardState): string => {
  const { product, cpuCount, memoryBytes, firmware, architecture } = state.machine;
  const name = [product?.vendor, product?.name].filter((part) => part).join(' ') || 'Unnamed machine';
  const cpus = cpuCount === null ? 'CPUs not known' : `${cpuCount} CPU${cpuCount === 1 ? '' : 's'}`;
  const memory = memoryBytes === null ? 'memory not known' : `${Math.round(memoryBytes / 1024 ** 3)} GiB memory`;
  return `${name}: ${cpus}, ${memory}, ${firmware === 'uefi' ? 'UEFI' : 'BIOS'}, ${architecture}.`;
};

export const welcomeScreen: ScreenDefinition = {
  id: 'welcome',
  title: 'Welcome',
  name: 'Welcome',
  keys: [],
  applies: () => true,
  isAnswered: () => true,
  open: () => newDraft({ go: 'start' }, 'go'),
  body: (state) => ({
    intro: lines(
      `This installs ${state.surroundings.product} ${state.surroundings.version} on this machine.`,
      '',
      machineLine(state),
      '',
      'You will be asked for the keyboard, the role, the disk, a host name, an administrator, SSH keys, the network, the time zone and time servers. ' +
        'Nothing is written before you have typed the end of the serial number of the disk, or what else tells it apart, and chosen Install on the last screen.',
      ...(state.mode === 'rehearse' ? ['', 'This is a rehearsal: it ends with the plan, and touches nothing.'] : []),
      ...(state.preset.size > 0 ? ['', `An answer file has answered ${state.preset.size} of the questions; only the rest is asked.`] : []),
      '',
    ),
    items: [
      {
        kind: 'list',
        id: 'go',
        label: 'What next',
        path: null,
        options: [
          { value: 'start', label: 'Start' },
          { value: 'leave', label: state.surroundings.leavesTo === 'shell' ? 'Leave for a root shell' : 'Leave the installer' },
        ],
      },
    ],
    aside: [],
  }),
  commit: (answers) => answers,
  effects: (_state, draft) => (draft.values['go'] === 'leave' ? [{ type: 'finish', outcome: 'left' }] : []),
  help: () => 'Start asks the questions one screen at a time. Leave ends the installer and changes nothing.',
  summary: () => '',
};
