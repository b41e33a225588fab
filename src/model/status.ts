/** What the supervisor serves and the console shows (ruling R36; sections and staleness: console inventory 7.3-7.4). */

export type SectionState = 'ok' | 'unknown' | 'unavailable' | 'not_applicable';

export interface Section<T> {
  readonly state: SectionState;
  /** RFC 3339 UTC of the observation that `data` holds; null when never observed. */
  readonly observed_at: string | null;
  /** Age at the time of sending, milliseconds; the receiver adds its own monotonic time. */
  readonly age_ms: number | null;
  readonly ttl_ms: number;
  readonly source: string;
  readonly error: { readonly code: string; readonly msg: string } | null;
  /** null: not known. A null field inside: not recorded, never zero. */
  readonly data: T | null;
}

export type Level = 'CRITICAL' | 'DEGRADED' | 'UNKNOWN' | 'HEALTHY';

export interface VerdictReason {
  readonly code: string;
  readonly level: Exclude<Level, 'HEALTHY'>;
  readonly subject: string | null;
  readonly text: string;
  /** RFC 3339 UTC. */
  readonly since: string;
  readonly section: string;
  /** The key that helps, e.g. `F7`. */
  readonly action_hint: string | null;
}

export interface Verdict {
  readonly level: Level;
  readonly reasons: readonly VerdictReason[];
  readonly unknown_sections: readonly string[];
  readonly computed_at: string;
}
