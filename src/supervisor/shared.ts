/** One question, several askers: two sections made from the same document cost one request. */

/** Asks at most once in `maxAgeMs`; whoever comes meanwhile gets the same answer, or the same failure. */
export function shared<T>(maxAgeMs: number, monoMs: () => number, work: () => Promise<T>): () => Promise<T> {
  let last: { readonly atMs: number; readonly answer: Promise<T> } | null = null;
  return () => {
    const nowMs = monoMs();
    if (last === null || nowMs - last.atMs >= maxAgeMs) last = { atMs: nowMs, answer: work() };
    return last.answer;
  };
}
