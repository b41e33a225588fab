/** Since when each alarm lasts, kept across a restart of the supervisor within one boot. */

import { parseJson } from '#model/json.ts';
import { map, num, obj, opt, readShape, text, time } from '#model/shape.ts';
import { REASON } from '#model/status.ts';
import { EMPTY_MEMORY, type VerdictMemory } from '#status/verdict.ts';
import { readTextIfExists, writeAtomic } from '#system/files.ts';

const SAVED = obj({ boot_id: text, seen: map(obj({ since: time, sinceMs: num, last: opt(REASON), clearMs: opt(num) })) });

/** Monotonic time starts anew with every process; a condition that was reported has held long enough. */
const LONG_AGO_MS = -1e12;

/** What was saved in this boot; an empty memory for anything else. */
export async function loadMemory(file: string, bootId: string, nowMs: number): Promise<VerdictMemory> {
  const saved = readShape(SAVED, parseJson((await readTextIfExists(file)) ?? 'null'));
  if (!saved.ok || saved.value.boot_id !== bootId) return EMPTY_MEMORY;
  const seen = Object.entries(saved.value.seen).map(([key, s]) => [key, { ...s, sinceMs: s.last === null ? nowMs : LONG_AGO_MS }] as const);
  return { seen: Object.fromEntries(seen) };
}

export const saveMemory = (file: string, bootId: string, memory: VerdictMemory): Promise<void> =>
  writeAtomic(file, JSON.stringify({ boot_id: bootId, seen: memory.seen }), { mode: 0o600 });
