/**
 * Standings on the disk, beside identity.json: a restart must forget neither a strike nor that this box is retired. In a file of
 * its own, so that a refusal never means writing the secrets anew, and an older program reads the identity as before.
 */
import { parseJson } from '#model/json.ts';
import { int, map, obj, oneOf, opt, readShape, type Static, text } from '#model/shape.ts';
import { CLEAN, type Standing } from './strikes.ts';

const RECORD = obj({
  strikes: int,
  /** From the first strike to the writing, in time that this program ran: a clock that was set, or a long sleep, adds nothing. */
  struck_for_ms: int,
  gone: int,
  gone_for_ms: int,
  revocations: int,
  revocation: opt(text),
  verdict: oneOf('accepted', 'revoked', 'retired'),
});
type Record = Static<typeof RECORD>;

const BOOK = map(RECORD);
/** The identity, the one under way, and one to spare. */
const MAX_ENTRIES = 3;
/** The first strike of a start counts as this long after the ones before it, whatever lies between. */
const forMs = (count: number, firstMs: number, nowMs: number): number => (count === 0 ? 0 : Math.max(0, Math.round(nowMs - firstMs)));

const recordOf = (s: Standing, nowMs: number): Record => ({
  strikes: s.strikes,
  struck_for_ms: forMs(s.strikes, s.firstStrikeMs, nowMs),
  gone: s.gone,
  gone_for_ms: forMs(s.gone, s.firstGoneMs, nowMs),
  revocations: s.revocations,
  revocation: s.revocation,
  verdict: s.verdict,
});

const VERDICTS: readonly string[] = ['accepted', 'revoked', 'retired'];

const standingOf = (r: Record, nowMs: number): Standing => ({
  strikes: r.strikes,
  firstStrikeMs: nowMs - r.struck_for_ms,
  gone: r.gone,
  firstGoneMs: nowMs - r.gone_for_ms,
  revocations: r.revocations,
  revocation: r.revocation,
  verdict: VERDICTS.includes(r.verdict) ? r.verdict : 'accepted',
});

export interface StandingFile {
  /** Null: there is none. */
  readonly load: () => Promise<string | null>;
  /** Null removes it. */
  readonly save: (content: string | null) => Promise<void>;
}

export class StandingBook {
  readonly #file: StandingFile;
  #entries: Readonly<globalThis.Record<string, Record>> = {};

  constructor(file: StandingFile) {
    this.#file = file;
  }

  /** A file that cannot be read counts as none: the panel will say again what it said. */
  async load(): Promise<void> {
    const read = readShape(BOOK, parseJson((await this.#file.load()) ?? '{}'));
    this.#entries = read.ok ? read.value : {};
  }

  /** @param nowMs monotonic */
  of(enrollmentId: string, nowMs: number): Standing {
    const record = this.#entries[enrollmentId];
    return record === undefined ? CLEAN : standingOf(record, nowMs);
  }

  /** Resolves when it is on the disk. @throws what the disk says; it counts in memory all the same */
  async put(enrollmentId: string, standing: Standing, nowMs: number): Promise<void> {
    const { [enrollmentId]: _, ...others } = this.#entries;
    const kept = Object.entries(others).slice(-(MAX_ENTRIES - 1));
    if (standing !== CLEAN) kept.push([enrollmentId, recordOf(standing, nowMs)]);
    this.#entries = Object.fromEntries(kept);
    await this.#file.save(kept.length === 0 ? null : `${JSON.stringify(this.#entries, null, 1)}\n`);
  }
}
