/** The screens after Install: progress, failure, done. */

import { draftValue, newDraft } from '#installer/wizard/draft.ts';
import type { Effect } from '#installer/wizard/effects.ts';
import { isControlPlane, lines, plainLine } from '#installer/wizard/screens/helpers.ts';
import type { BodyLine, Option, RunView, ScreenDefinition, WizardState } from '#installer/wizard/types.ts';
import { readAfterInstall } from '#rules/choices.ts';

const NEVER_WALKED = {
  keys: [],
  applies: () => false,
  isAnswered: () => true,
  commit: (answers: WizardState['answers']) => answers,
} as const;

const LOG_DIR = '/var/log/spatiumddi/install/';

function timeText(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

function rateText(run: RunView): string {
  const parts = [
    run.bytesPerSecond === null ? null : `${(run.bytesPerSecond / 1e6).toFixed(1)} MB/s`,
    run.secondsLeft === null ? null : `about ${timeText(run.secondsLeft)} left`,
    run.detail,
  ];
  return parts.filter((part) => part !== null).join(', ');
}

export const progressScreen: ScreenDefinition = {
  ...NEVER_WALKED,
  id: 'progress',
  title: 'Installing',
  name: 'Progress',
  open: () => newDraft({}, ''),
  body: ({ run }) => ({
    intro: [{ text: run?.stepTitle || 'Starting', tone: 'title' }, plainLine(run ? rateText(run) : ''), plainLine('')],
    progress: run?.fraction ?? 0,
    items: [],
    aside: [plainLine(''), ...(run?.log ?? []).map((text): BodyLine => ({ text, tone: 'quiet' }))],
  }),
  help: () => 'The disk is being written. Leave the power on; the log below says what is done.',
  summary: () => '',
};

function failureLines(state: WizardState): readonly BodyLine[] {
  const failure = state.run?.failure;
  if (!failure) return [{ text: 'The installation ended without saying why.', tone: 'error' }];
  return [
    { text: failure.message, tone: 'error' },
    plainLine(failure.nothingWritten ? 'Nothing was written to the disk.' : 'The disk has been written to in part; it does not start yet.'),
    ...(failure.command === null ? [] : [plainLine(`Command: ${failure.command}`)]),
    ...failure.output.slice(-6).map((text): BodyLine => ({ text: `  ${text}`, tone: 'quiet' })),
    plainLine(''),
  ];
}

/** A medium that is left without a shell has nothing more to offer than a restart, so that is the choice there. */
function waysOut({ surroundings: { leavesTo = 'caller' } }: WizardState): readonly Option[] {
  const restart: Option = { value: 'restart', label: 'Restart the machine' };
  switch (leavesTo) {
    case 'caller':
      return [{ value: 'leave', label: 'Leave the installer' }];
    case 'shell':
      return [{ value: 'leave', label: 'Leave for a root shell on every console' }, restart];
    case 'nothing':
      return [restart];
  }
}

const failedOptions = (state: WizardState): readonly Option[] => [
  { value: 'retry', label: state.isContinued ? 'Try again where it stopped' : 'Try again from the first step' },
  { value: 'change', label: state.isContinued ? 'Start over with the same answers' : 'Change an answer' },
  { value: 'logs', label: 'Save the logs' },
  ...waysOut(state),
];

const FAILED_EFFECTS: Readonly<Record<string, readonly Effect[]>> = {
  logs: [{ type: 'save-logs' }],
  leave: [{ type: 'finish', outcome: 'failed' }],
  restart: [{ type: 'finish', outcome: 'restart' }],
};

export const failedScreen: ScreenDefinition = {
  ...NEVER_WALKED,
  id: 'failed',
  title: 'The installation failed',
  name: 'Failed',
  open: () => newDraft({ next: 'change' }, 'next'),
  body: (state) => ({
    intro: failureLines(state),
    items: [{ kind: 'list', id: 'next', label: 'What next', path: null, options: failedOptions(state) }],
    aside: [],
  }),
  effects: (state, draft) => {
    const next = draftValue(draft, 'next');
    if (next === 'retry') return [{ type: state.isContinued ? 'continue' : 'install' }];
    return FAILED_EFFECTS[next] ?? [];
  },
  turn: (state, draft) => (draftValue(draft, 'next') === 'change' ? { ...state, isContinued: false } : state),
  busy: (draft) => (draftValue(draft, 'next') === 'logs' ? 'Looking for a place to save the logs to...' : null),
  help: () => 'Each step can be repeated, so trying again is safe. The logs hold no password and no pairing code.',
  summary: () => '',
};

function nextSteps(state: WizardState): readonly string[] {
  const { network, hostname } = state.answers;
  const address = network?.ip?.split('/')[0];
  if (isControlPlane(state.answers)) {
    return [
      address === undefined
        ? `Then open https:// and the address that ${hostname ?? 'it'} shows on its console; DHCP may give another one than now.`
        : `Then open https://${address}/ and log in as admin, password admin; it must be changed at once.`,
    ];
  }
  return ['This node has no web interface. Approve it on the control plane under Appliance, Fleet, Approvals.'];
}

export const doneScreen: ScreenDefinition = {
  ...NEVER_WALKED,
  id: 'done',
  title: 'Installed',
  name: 'Done',
  open: () => newDraft({ next: 'restart' }, 'next'),
  body: (state) => {
    const finished = state.run?.finished;
    const failed = finished?.checks.filter((check) => !check.ok) ?? [];
    const isPowerOff = readAfterInstall(state.answers.after_install ?? 'reboot').value === 'poweroff';
    return {
      intro: [
        ...failed.map((check): BodyLine => ({ text: `Check failed: ${check.name}: ${check.detail}`, tone: 'error' })),
        ...(finished?.warnings ?? []).map((text): BodyLine => ({ text: `Note: ${text}`, tone: 'warning' })),
        ...(failed.length === 0 ? [{ text: `All ${finished?.checks.length ?? 0} checks passed.`, tone: 'good' } as const] : []),
        ...lines(
          '',
          'Take the installation medium out now.',
          'The first start takes 2 to 5 minutes; nothing is downloaded.',
          ...nextSteps(state),
          '',
          `Logs are kept on the disk in ${LOG_DIR}; the answers, without secrets, in /var/lib/spatium-state/spatium-preseed.yaml.`,
          '',
        ),
      ],
      items: [
        {
          kind: 'list',
          id: 'next',
          label: 'What next',
          path: null,
          options: [{ value: 'restart', label: isPowerOff ? 'Power off' : 'Restart' }],
        },
      ],
      aside: [],
    };
  },
  effects: () => [{ type: 'finish', outcome: 'installed' }],
  help: () => 'The machine starts from its disk next. Take the medium out first, or the installer starts again.',
  summary: () => '',
};
