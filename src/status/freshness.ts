/** How old a section's data is, and what that means (console inventory 7.3). Wall clocks are never compared. */
import type { Section, SectionData, SectionName, Sections } from '#model/status.ts';

/**
 * - `fresh`: no older than its time to live
 * - `stale`: up to three times that; shown dimmed with its age, keeps an alarm, cannot be healthy
 * - `expired`: older; shown as `?`
 * - `unknown`: never observed
 * - `unavailable`: the probe failed; `data` may hold the last reading
 * - `not_applicable`: the feature is absent here
 */
export type Freshness = 'fresh' | 'stale' | 'expired' | 'unknown' | 'unavailable' | 'not_applicable';

export interface Reading<T> {
  readonly freshness: Freshness;
  /** Milliseconds since `data` was observed; null when there never was any. */
  readonly ageMs: number | null;
  readonly data: T | null;
  readonly error: string | null;
}

export type View = { readonly [K in SectionName]?: Reading<SectionData[K]> };

export const STALE_FACTOR = 3;
/** A server may promise less than this, not more: no reading of a running machine is good for hours. */
const MAX_TTL_MS = 3_600_000;

function freshnessOf(section: Section<unknown>, ageMs: number | null): Freshness {
  const ttlMs = Math.min(section.ttl_ms, MAX_TTL_MS);
  switch (section.state) {
    case 'not_applicable':
    case 'unknown':
    case 'unavailable':
      return section.state;
    case 'ok':
      if (section.error !== null) return 'unavailable';
      if (section.data === null || ageMs === null || !(ageMs >= 0)) return 'unknown';
      if (ageMs <= ttlMs) return 'fresh';
      return ageMs <= STALE_FACTOR * ttlMs ? 'stale' : 'expired';
    default:
      // A word of a later protocol: we do not know what it means, and say so.
      return 'unknown';
  }
}

/** `elapsedMs`: monotonic time since the section was received. */
export function readingOf<T>(section: Section<T>, elapsedMs: number): Reading<T> {
  const ageMs = section.age_ms === null ? null : section.age_ms + Math.max(0, elapsedMs);
  return {
    freshness: freshnessOf(section, ageMs),
    ageMs,
    data: section.state === 'not_applicable' ? null : section.data,
    error: section.error?.msg ?? null,
  };
}

/** The view of every section, `elapsedMs` after each was received. */
export function viewOf(sections: Sections, elapsedMs: (name: SectionName) => number): View {
  const out: Record<string, Reading<unknown>> = {};
  for (const [name, section] of Object.entries(sections)) {
    if (section) out[name] = readingOf<unknown>(section as Section<unknown>, elapsedMs(name as SectionName));
  }
  return out as View;
}
