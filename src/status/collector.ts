/** A collector looks at one thing and says what it saw. It decides nothing. */
import type { SectionData, SectionName } from '#model/status.ts';
import type { Observation } from './store.ts';

export interface Collector<K extends SectionName = SectionName> {
  readonly name: K;
  /** Pause between the start of two looks, milliseconds. */
  readonly periodMs: number;
  /** A look that takes longer is reported as unavailable, and none is started beside it. */
  readonly timeLimitMs: number;
  readonly ttlMs: number;
  /** What is read, for people. */
  readonly source: string;
  collect(): Promise<Observation<SectionData[K]>>;
}

/** Keeps the section name and its data type together while letting collectors of different sections share a list. */
export type AnyCollector = { [K in SectionName]: Collector<K> }[SectionName];

export const ok = <T>(data: T): Observation<T> => ({ state: 'ok', data });
export const notApplicable: Observation<never> = { state: 'not_applicable' };

/** A whole number, or null for anything else: unknown is never zero. */
export function intOf(text: string | null | undefined): number | null {
  const t = text?.trim() ?? '';
  const n = Number(t);
  return /^-?\d+$/.test(t) && Number.isSafeInteger(n) ? n : null;
}

/** RFC 3339, UTC, of milliseconds since 1970. */
export const isoOf = (ms: number): string => new Date(ms).toISOString();

/** Seconds since boot of the kernel, from /proc/uptime. */
export const parseUptime = (text: string | null): number | null => {
  const m = /^(\d+(?:\.\d+)?)/.exec(text ?? '');
  return m ? Number(m[1]) : null;
};
