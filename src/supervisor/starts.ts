/** Starts of a service: of this supervisor, how often it had to be in a day; of any, what its manager's count says. */
import { parseJson } from '#model/json.ts';
import { list, obj, readShape, text, time } from '#model/shape.ts';
import { readTextIfExists, writeAtomic } from '#system/files.ts';

const SAVED = obj({ boot_id: text, starts: list(time) });
const DAY_MS = 86_400_000;
/** More than this in a day is a loop, and the exact number no longer matters. */
const MAX_STARTS = 500;

/** Notes a start; gives how many there were before it within a day, null when that is not known. Never fails: it is only a number. */
export async function noteStart(file: string, bootId: string, now: string): Promise<number | null> {
  try {
    const found = parseJson((await readTextIfExists(file)) ?? 'null');
    const saved = readShape(SAVED, found);
    const before = saved.ok && saved.value.boot_id === bootId ? saved.value.starts : [];
    const recent = before.filter((at) => Date.parse(now) - Date.parse(at) < DAY_MS);
    await writeAtomic(file, JSON.stringify({ boot_id: bootId, starts: [...recent, now].slice(-MAX_STARTS) }), { mode: 0o600 });
    return found === undefined ? null : recent.length;
  } catch {
    return null;
  }
}

/** In words, what a service manager did since it had counted `before` starts of its own; null: nothing, or nobody counts. */
export function startedAnew(before: number | null, now: number | null): string | null {
  if (before === null || now === null || now <= before) return null;
  return now - before === 1 ? 'it ended and was started again' : `it ends again and again, started anew ${now - before} times`;
}
