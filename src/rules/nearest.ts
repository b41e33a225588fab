/** "Did you mean": the closest of some names by edit distance. */

/** Damerau-Levenshtein (restricted), giving up beyond `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1);
      next.push(best);
    }
    if (Math.min(...next) > limit) return limit + 1;
    before = row;
    row = next;
  }
  return row[b.length]!;
}

/** The one closest name, letter case aside; null when none is close, or when two are equally close. */
export function nearest(text: string, names: readonly string[]): string | null {
  const limit = text.length < 5 ? 1 : text.length < 12 ? 2 : 3;
  const wanted = text.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | null = null;
  let isTie = false;
  for (const name of names) {
    const distance = editDistance(wanted, name.toLowerCase(), limit);
    if (distance > limit || (best && distance > best.distance)) continue;
    isTie = best !== null && distance === best.distance;
    if (!best || distance < best.distance) best = { name, distance };
  }
  return best && !isTie ? best.name : null;
}
