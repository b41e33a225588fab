import type { ScreenId } from '#installer/wizard/types.ts';

/** A line of a test or a probe, with its verdict. */
export interface LookupLine {
  readonly name: string;
  readonly state: 'ok' | 'failed' | 'skipped' | 'running';
  readonly detail: string;
}

/** The reply of an outside look-up that a screen asked for, kept per screen. */
export interface Lookup {
  readonly screen: ScreenId;
  /** What was asked, so that an answer to an older question is not taken for the new one. */
  readonly about: string;
  readonly running: boolean;
  readonly lines: readonly LookupLine[];
}
