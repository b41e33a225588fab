/** The one verdict on a box: pure, shared by the supervisor, the console without a supervisor, and the tests. */
import { LEVELS, type Level, type SectionName, type Verdict, type VerdictReason } from '#model/status.ts';
import type { View } from './freshness.ts';
import { CLUSTER_RULES } from './verdict-cluster.ts';
import { HOST_RULES } from './verdict-host.ts';
import { pull } from './verdict-pull.ts';
import { type Candidate, CODE_ORDER, type Rule } from './verdict-rule.ts';
import { STORAGE_RULES } from './verdict-storage.ts';
import { unknownSections } from './verdict-unknown.ts';
import { WORKLOAD_RULES } from './verdict-workloads.ts';

/** One condition that was seen: when first, what was reported of it, and for one that comes and goes, since when it is gone. */
export interface Remembered {
  readonly since: string;
  readonly sinceMs: number;
  readonly last: VerdictReason | null;
  readonly clearMs?: number | null;
  readonly goneMs?: number | null;
}

/** Conditions by `code|subject`. Handed from one call to the next. */
export interface VerdictMemory {
  readonly seen: Readonly<Record<string, Remembered>>;
}

export const EMPTY_MEMORY: VerdictMemory = { seen: {} };

export interface VerdictInput {
  readonly view: View;
  /** RFC 3339 UTC. */
  readonly now: string;
  /** Monotonic milliseconds, for conditions that must hold for a while. */
  readonly nowMs: number;
  readonly memory: VerdictMemory;
  /** Set when the console judges alone: since when the supervisor has not answered. */
  readonly localOnlySince?: string;
  /** Nobody has watched it before: what is wrong now counts, for how long already cannot be told. */
  readonly isFirstLook?: boolean;
}

const RULES: readonly Rule[] = [...STORAGE_RULES, ...HOST_RULES, ...CLUSTER_RULES, ...WORKLOAD_RULES, pull];

const keyOf = (c: { code: string; subject: string | null }): string => `${c.code}|${c.subject ?? ''}`;

const rank = (r: VerdictReason): number => {
  const i = CODE_ORDER.indexOf(r.code);
  return i < 0 ? CODE_ORDER.length : i;
};

function compareReasons(a: VerdictReason, b: VerdictReason): number {
  return (
    LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level) ||
    rank(a) - rank(b) ||
    (a.since < b.since ? -1 : a.since > b.since ? 1 : 0) ||
    (a.subject ?? '').localeCompare(b.subject ?? '')
  );
}

/** A reading that disappears is not a recovery: alarms of a section without data stay until data says otherwise. */
function heldReasons(view: View, memory: VerdictMemory, present: ReadonlySet<string>): VerdictReason[] {
  const held: VerdictReason[] = [];
  for (const [key, { last }] of Object.entries(memory.seen)) {
    if (!last || present.has(key) || last.level === 'UNKNOWN') continue;
    const reading = view[last.section as SectionName];
    if (reading && reading.data === null && reading.freshness !== 'not_applicable') held.push(last);
  }
  return held;
}

/** Conditions that ended a moment ago and may be back the next: nobody is helped by an alarm that blinks. */
function lingering(view: View, memory: VerdictMemory, present: ReadonlySet<string>, nowMs: number): [string, Remembered][] {
  return Object.entries(memory.seen).flatMap(([key, m]): [string, Remembered][] => {
    if (present.has(key) || !m.clearMs) return [];
    const section = m.last?.section as SectionName | undefined;
    if (section !== undefined && view[section]?.freshness === 'not_applicable') return [];
    const goneMs = m.goneMs ?? nowMs;
    return nowMs - goneMs < m.clearMs ? [[key, { ...m, goneMs }]] : [];
  });
}

/** The source says itself that it has not lasted long enough. */
function isKnownYoung({ since, holdMs }: Candidate, now: string): boolean {
  const ageMs = Date.parse(now) - Date.parse(since ?? '');
  return ageMs >= 0 && ageMs < (holdMs ?? 0);
}

function toReason(c: Candidate, since: string): VerdictReason {
  return { code: c.code, level: c.level, subject: c.subject, text: c.text, since, section: c.section, action_hint: c.hint };
}

/**
 * Judges a view. Every reason comes out, worst first: level, then the fixed order of codes, then the oldest.
 * With nothing known the level is UNKNOWN, never HEALTHY.
 */
export function judgeStatus(input: VerdictInput): { readonly verdict: Verdict; readonly memory: VerdictMemory } {
  const { view, now, nowMs, memory } = input;
  const localOnly = input.localOnlySince !== undefined;
  const unknown = unknownSections(view, localOnly);
  const candidates: Candidate[] = RULES.flatMap((rule) => rule({ view, now }));
  if (localOnly) {
    candidates.push({
      code: 'supervisor.unreachable',
      level: 'UNKNOWN',
      subject: null,
      text: 'supervisor not available - local data only',
      section: 'supervisor',
      hint: null,
      since: input.localOnlySince,
    });
  }
  candidates.push(...unknown.map((u) => u.candidate));

  const seen: Record<string, Remembered> = {};
  const reasons: VerdictReason[] = [];
  for (const c of candidates) {
    const key = keyOf(c);
    const before = memory.seen[key];
    if (seen[key] || (c.onlyHeld && !before?.last)) continue;
    const since = c.since ?? before?.since ?? now;
    const sinceMs = before?.sinceMs ?? nowMs;
    const due = nowMs - sinceMs >= (c.holdMs ?? 0) || (input.isFirstLook === true && !isKnownYoung(c, now));
    const reason = due ? toReason(c, since) : null;
    seen[key] = { since, sinceMs, last: reason, clearMs: c.clearMs ?? null };
    if (reason) reasons.push(reason);
  }
  for (const r of heldReasons(view, memory, new Set(Object.keys(seen)))) {
    const key = keyOf(r);
    const before = memory.seen[key];
    if (before) seen[key] = before;
    reasons.push(r);
  }
  for (const [key, remembered] of lingering(view, memory, new Set(Object.keys(seen)), nowMs)) {
    seen[key] = remembered;
    if (remembered.last) reasons.push(remembered.last);
  }
  reasons.sort(compareReasons);
  const level: Level = reasons[0]?.level ?? 'HEALTHY';
  return {
    verdict: { level, reasons, unknown_sections: unknown.map((u) => u.name), computed_at: now },
    memory: { seen },
  };
}

const worse = (a: Level, b: Level): Level => (LEVELS.indexOf(a) <= LEVELS.indexOf(b) ? a : b);

const ODD_VERDICT: Candidate = {
  code: 'supervisor.no_verdict',
  level: 'UNKNOWN',
  subject: null,
  text: 'the supervisor sent a verdict that cannot be read',
  section: 'supervisor',
  hint: null,
};

/** Stands for one that could not be read. @param now the server's clock; empty: it tells none */
export const unreadableVerdict = (now: string): Verdict => ({
  level: 'UNKNOWN',
  reasons: [toReason(ODD_VERDICT, now)],
  unknown_sections: [],
  computed_at: now,
});

const isLevel = (level: string): level is Level => (LEVELS as readonly string[]).includes(level);

/** A level that this program does not know says nothing: it counts as UNKNOWN, and a verdict of that level gets a reason. */
function inKnownLevels(received: Verdict, now: string): Verdict {
  const reasons = received.reasons.map((r) => (isLevel(r.level) ? r : { ...r, level: 'UNKNOWN' as const }));
  if (isLevel(received.level)) return { ...received, reasons };
  const strange = toReason({ ...ODD_VERDICT, text: 'the supervisor sent a verdict of a kind that is not known here' }, now);
  return { ...received, level: 'UNKNOWN', reasons: [...reasons, strange].sort(compareReasons) };
}

/**
 * What a reader shows: the server's verdict and our own over the same sections as old as they are now, the worse of the
 * two, with the reasons of both; our own alone when it judges nothing itself. A server that is silent, broken or of another
 * make cannot make a box look healthy. `input.now` is the server's clock.
 */
export function readerVerdict(sent: Verdict | null, input: VerdictInput): { readonly verdict: Verdict; readonly memory: VerdictMemory } {
  if (sent === null) return judgeStatus({ ...input, isFirstLook: true });
  const { verdict: own, memory } = judgeStatus(input);
  const received = inKnownLevels(sent, input.now);
  const said = new Set(received.reasons.map(keyOf));
  const missing = own.reasons.filter((r) => !said.has(keyOf(r)));
  // Its own order inside a level is kept; the worst come first in any case.
  const byLevel = (a: VerdictReason, b: VerdictReason): number => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level);
  const reasons = [...received.reasons, ...missing].sort(missing.length === 0 ? byLevel : compareReasons);
  const level = reasons.reduce((l, r) => worse(l, r.level), worse(received.level, own.level));
  const unknown = [...new Set([...received.unknown_sections, ...own.unknown_sections])];
  return { verdict: { level, reasons, unknown_sections: unknown, computed_at: received.computed_at }, memory };
}
