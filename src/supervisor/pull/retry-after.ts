/** The Retry-After header: RFC 9110 section 10.2.3, read narrowly. */

const MIN_MS = 1000;
const MAX_MS = 3_600_000;

/** `Date.parse` alone makes dates of "-1" and "1.5". */
const IMF_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds to wait, 1 s to 1 h; null when the header is missing or is no delay.
 * `wallMs` is the wall clock, for the form with a date.
 */
export function retryAfterMs(header: string | undefined, wallMs: number): number | null {
  const text = header?.trim() ?? '';
  const wanted = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : IMF_DATE.test(text) ? Date.parse(text) - wallMs : Number.NaN;
  return Number.isNaN(wanted) ? null : Math.min(MAX_MS, Math.max(MIN_MS, wanted));
}
