import type { WizardOutcome } from '#installer/wizard/types.ts';
import type { NetworkAnswers } from '#model/answers.ts';

/** Work outside the reducer, done through the ports. */
export type Effect =
  | { readonly type: 'rescan' }
  | { readonly type: 'show-plan' }
  | { readonly type: 'light'; readonly kname: string; readonly isOn: boolean }
  | { readonly type: 'apply-keymap'; readonly keymap: string }
  | { readonly type: 'fetch-keys'; readonly url: string }
  | { readonly type: 'probe'; readonly url: string }
  | { readonly type: 'test-network'; readonly network?: NetworkAnswers }
  | { readonly type: 'install' }
  /** Goes on with the unfinished installation. */
  | { readonly type: 'continue' }
  | { readonly type: 'rehearse' }
  | { readonly type: 'save-logs' }
  | { readonly type: 'finish'; readonly outcome: WizardOutcome };
