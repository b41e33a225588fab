/** What the supervisor knows now: one value per section, judged after every change. Knows no socket and no clock of its own. */
import { SECTION_NAMES, type Section, type SectionData, type SectionName, type Sections, type Verdict } from '#model/status.ts';
import { viewOf } from './freshness.ts';
import { EMPTY_MEMORY, judgeStatus, type VerdictMemory } from './verdict.ts';

export interface Clock {
  /** Wall clock, RFC 3339 UTC. */
  now(): string;
  /** Monotonic milliseconds. */
  monoMs(): number;
}

/** What a collector found. `unavailable` keeps the last data, with its age. */
export type Observation<T> =
  | { readonly state: 'ok'; readonly data: T }
  | { readonly state: 'not_applicable' }
  | { readonly state: 'unavailable'; readonly code: string; readonly msg: string };

export interface SectionInfo {
  readonly ttlMs: number;
  readonly source: string;
}

interface Entry {
  readonly info: SectionInfo;
  readonly state: Section<unknown>['state'];
  readonly error: Section<unknown>['error'];
  readonly data: unknown;
  readonly observedAt: string | null;
  readonly observedMonoMs: number | null;
  /** JSON of state, error and data, to tell a change from the same again. */
  readonly fingerprint: string;
}

/** `changed`: new content. `observed`: seen again, the same. */
export interface Change {
  readonly changed: ReadonlySet<SectionName>;
  readonly observed: ReadonlySet<SectionName>;
  readonly verdictChanged: boolean;
}

const fingerprintOf = (state: string, error: unknown, data: unknown): string => JSON.stringify([state, error, data]);

/** The verdict without its time, which changes on every judgement. */
const verdictKey = (v: Verdict): string => JSON.stringify([v.level, v.reasons, v.unknown_sections]);

/** The newest reading of each section, with its age; tells its listeners what changed, and what was only seen again. */
export class StatusStore {
  readonly #clock: Clock;
  readonly #entries = new Map<SectionName, Entry>();
  readonly #listeners = new Set<(change: Change) => void>();
  #memory: VerdictMemory;
  #verdict: Verdict;
  #version = 0;

  constructor(clock: Clock, sections: Readonly<Partial<Record<SectionName, SectionInfo>>>, memory: VerdictMemory = EMPTY_MEMORY) {
    this.#clock = clock;
    this.#memory = memory;
    for (const name of SECTION_NAMES) {
      const info = sections[name];
      if (!info) continue;
      const fingerprint = fingerprintOf('unknown', null, null);
      this.#entries.set(name, { info, state: 'unknown', error: null, data: null, observedAt: null, observedMonoMs: null, fingerprint });
    }
    this.#verdict = this.#judge();
  }

  /** Counts observations; what an ETag is made of. */
  get version(): number {
    return this.#version;
  }

  get verdict(): Verdict {
    return this.#verdict;
  }

  get memory(): VerdictMemory {
    return this.#memory;
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  observe<K extends SectionName>(name: K, seen: Observation<SectionData[K]>): void {
    const before = this.#entries.get(name);
    if (!before) throw new Error(`section ${name} was not announced`);
    const isData = seen.state === 'ok';
    const data = isData ? seen.data : seen.state === 'unavailable' ? before.data : null;
    const error = seen.state === 'unavailable' ? { code: seen.code, msg: seen.msg } : null;
    const fingerprint = fingerprintOf(seen.state, error, data);
    const hasTime = seen.state !== 'unavailable';
    this.#entries.set(name, {
      info: before.info,
      state: seen.state,
      error,
      data,
      observedAt: hasTime ? this.#clock.now() : before.observedAt,
      observedMonoMs: hasTime ? this.#clock.monoMs() : before.observedMonoMs,
      fingerprint,
    });
    this.#version += 1;
    const changed = fingerprint !== before.fingerprint;
    this.#emit(changed ? [name] : [], changed ? [] : [name]);
  }

  /** Judges again without a new observation: readings age, and conditions come due. */
  tick(): void {
    this.#emit([], []);
  }

  #judge(): Verdict {
    const view = viewOf(this.sections(SECTION_NAMES), () => 0);
    const { verdict, memory } = judgeStatus({ view, now: this.#clock.now(), nowMs: this.#clock.monoMs(), memory: this.#memory });
    this.#memory = memory;
    return verdict;
  }

  #emit(changed: readonly SectionName[], observed: readonly SectionName[]): void {
    const before = verdictKey(this.#verdict);
    this.#verdict = this.#judge();
    const verdictChanged = verdictKey(this.#verdict) !== before;
    if (verdictChanged) this.#version += 1;
    if (changed.length + observed.length === 0 && !verdictChanged) return;
    const change: Change = { changed: new Set(changed), observed: new Set(observed), verdictChanged };
    for (const listener of this.#listeners) listener(change);
  }

  /** The named sections as they are sent, with their age now. */
  sections(names: Iterable<SectionName>): Sections {
    const nowMs = this.#clock.monoMs();
    const out: Record<string, Section<unknown>> = {};
    for (const name of names) {
      const e = this.#entries.get(name);
      if (!e) continue;
      out[name] = {
        state: e.state,
        observed_at: e.observedAt,
        age_ms: e.observedMonoMs === null ? null : Math.max(0, Math.round(nowMs - e.observedMonoMs)),
        ttl_ms: e.info.ttlMs,
        source: e.info.source,
        error: e.error,
        data: e.data,
      };
    }
    return out as Sections;
  }
}
