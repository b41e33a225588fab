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

const STALE_FACTOR = 3;
/** How long a reading of each section is good, in seconds (console inventory 7.4). */
const USUAL_TTL_S: Readonly<Record<SectionName, number>> = {
  meta: 15,
  identity: 60,
  network: 10,
  vitals: 3,
  psi: 10,
  disks: 10,
  storage: 30,
  slots: 10,
  upgrade: 30,
  power: 2,
  pairing: 5,
  control_plane: 10,
  pull: 60,
  supervisor: 10,
  k3s: 5,
  nodes: 10,
  etcd: 5,
  pods: 5,
  usage: 15,
  postgres: 10,
  api: 10,
  platform: 10,
  loadbalancer: 10,
  firewall: 15,
  host_config: 10,
  time: 30,
  certs: 3600,
  cluster_ops: 5,
  events: 15,
};
/** A slower server may promise more than the usual, not that minutes-old vitals are fresh. */
const TTL_FACTOR = 6;
const MAX_TTL_MS = 3_600_000;

/** The time to live that a reader believes: what was sent, at most six times the usual and an hour, never below zero. */
export function believedTtlMs(sentMs: number, name: SectionName | null): number {
  const most = name === null ? MAX_TTL_MS : Math.min(MAX_TTL_MS, TTL_FACTOR * 1000 * USUAL_TTL_S[name]);
  return Math.min(Math.max(0, sentMs), most);
}

function freshnessOf(section: Section<unknown>, ageMs: number | null, name: SectionName | null): Freshness {
  const ttlMs = believedTtlMs(section.ttl_ms, name);
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
export function readingOf<T>(section: Section<T>, elapsedMs: number, name: SectionName | null = null): Reading<T> {
  const ageMs = section.age_ms === null ? null : section.age_ms + Math.max(0, elapsedMs);
  return {
    freshness: freshnessOf(section, ageMs, name),
    ageMs,
    data: section.state === 'not_applicable' ? null : section.data,
    error: section.error?.msg ?? null,
  };
}

/** The view of every section, `elapsedMs` after each was received. */
export function viewOf(sections: Sections, elapsedMs: (name: SectionName) => number): View {
  const out: Record<string, Reading<unknown>> = {};
  for (const [name, section] of Object.entries(sections)) {
    const known = name in USUAL_TTL_S ? (name as SectionName) : null;
    if (section) out[name] = readingOf<unknown>(section as Section<unknown>, elapsedMs(name as SectionName), known);
  }
  return out as View;
}
