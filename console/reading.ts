/** Four things that must look different: known, stale, unknown, and not applicable. */
import * as fmt from '#status/format.ts';
import type { Reading } from '#status/freshness.ts';
import { type Line, type Span, span, type Tone } from './style.ts';

/** Steps in which an age below a minute is told: many sections that grow old together must not cost a slow line bytes every second. */
const AGE_STEP_MS = 5000;

/** How old a reading is: `15s`, `4m`. Never more than it is. */
const readingAge = (ms: number | null): string => fmt.age(ms === null || ms >= 60_000 ? ms : Math.floor(ms / AGE_STEP_MS) * AGE_STEP_MS);

/** Value of a section that may be shown, with the mark that its age asks for. */
export interface Shown<T> {
  readonly data: T;
  readonly stale: boolean;
  /** ` (10s old)` after a stale value, empty after a fresh one. */
  readonly mark: string;
}

/** The data when it can still be shown; null when the panel has to say why not. */
export function shown<T>(r: Reading<T> | undefined): Shown<T> | null {
  if (!r || r.data === null) return null;
  switch (r.freshness) {
    case 'fresh':
      return { data: r.data, stale: false, mark: '' };
    case 'stale':
      return { data: r.data, stale: true, mark: ` (${readingAge(r.ageMs)} old)` };
    case 'unavailable':
      return { data: r.data, stale: true, mark: ` (${readingAge(r.ageMs)} old, ${r.error ?? 'cannot be read'})` };
    case 'expired':
    case 'unknown':
    case 'not_applicable':
      return null;
  }
}

/** What stands where a section cannot be shown. */
export function missing(r: Reading<unknown> | undefined): Span {
  if (!r) return span('?  not reported', 'quiet');
  switch (r.freshness) {
    case 'not_applicable':
      return span('-', 'quiet');
    case 'expired':
      return span(`?  last reading ${readingAge(r.ageMs)} ago`, 'warn');
    case 'unavailable':
      return span(`?  ${r.error ?? 'cannot be read'}`, 'warn');
    case 'unknown':
    case 'fresh':
    case 'stale':
      return span('?  not known yet', 'quiet');
  }
}

/** A stale value loses its colour, so that it cannot pass for a live one. */
export const toneOf = (s: { readonly stale: boolean }, tone: Tone): Tone => (s.stale ? 'quiet' : tone);

/** Sent by the supervisor, and not to say that there is no such thing: what is not known of it is said. */
export const isExpected = <T>(r: Reading<T> | undefined): r is Reading<T> => r !== undefined && r.freshness !== 'not_applicable';

export const label = (text: string): Span => span(text, 'quiet');

/** Label, then the section's line or why there is none. */
export function labelled<T>(name: string, r: Reading<T> | undefined, show: (s: Shown<T>) => Line): Line {
  const s = shown(r);
  return s === null ? [label(`${name} `), missing(r)] : [label(`${name} `), ...show(s), ...(s.mark ? [span(s.mark, 'quiet')] : [])];
}
