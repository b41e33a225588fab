/** The one verdict on a box (ruling R29): pure, shared by the supervisor, the console without a supervisor, and the tests. */
import { LEVELS, type Level, type SectionName, type Verdict, type VerdictReason } from '#model/status.ts';
import type { View } from './freshness.ts';
import { CLUSTER_RULES } from './verdict-cluster.ts';
import { HOST_RULES } from './verdict-host.ts';
import { type Candidate, CODE_ORDER } from './verdict-rule.ts';
import { unknownSections } from './verdict-unknown.ts';

/** When each condition was first seen, by `code|subject`. Handed from one call to the next. */
export interface VerdictMemory {
  readonly seen: Readonly<Record<string, { readonly since: string; readonly sinceMs: number; readonly last: VerdictReason | null }>>;
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
}

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
  const candidates: Candidate[] = [...HOST_RULES, ...CLUSTER_RULES].flatMap((rule) => rule({ view, now }));
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

  const seen: Record<string, VerdictMemory['seen'][string]> = {};
  const reasons: VerdictReason[] = [];
  for (const c of candidates) {
    const key = keyOf(c);
    if (seen[key]) continue;
    const before = memory.seen[key];
    const since = c.since ?? before?.since ?? now;
    const sinceMs = before?.sinceMs ?? nowMs;
    const due = nowMs - sinceMs >= (c.holdMs ?? 0);
    const reason = due ? toReason(c, since) : null;
    seen[key] = { since, sinceMs, last: reason };
    if (reason) reasons.push(reason);
  }
  for (const r of heldReasons(view, memory, new Set(Object.keys(seen)))) {
    const key = keyOf(r);
    const before = memory.seen[key];
    if (before) seen[key] = before;
    reasons.push(r);
  }
  reasons.sort(compareReasons);
  const level: Level = reasons[0]?.level ?? 'HEALTHY';
  return {
    verdict: { level, reasons, unknown_sections: unknown.map((u) => u.name), computed_at: now },
    memory: { seen },
  };
}

/**
 * A verdict that came some time ago, in the light of how old its sections are now: what has gone stale since is UNKNOWN.
 * For readers of a supervisor that has fallen silent; its last HEALTHY must not stand for ever.
 */
export function agedVerdict(verdict: Verdict, view: View, now: string): Verdict {
  const known = new Set(verdict.unknown_sections);
  const fresh = unknownSections(view, false).filter((u) => !known.has(u.name) && view[u.name] !== undefined);
  if (fresh.length === 0) return verdict;
  const reasons = [...verdict.reasons, ...fresh.map((u) => toReason(u.candidate, now))].sort(compareReasons);
  return {
    level: reasons[0]?.level ?? 'HEALTHY',
    reasons,
    unknown_sections: [...verdict.unknown_sections, ...fresh.map((u) => u.name)],
    computed_at: verdict.computed_at,
  };
}
