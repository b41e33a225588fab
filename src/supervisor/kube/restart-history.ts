/** Restarts within the last hour, from counters that only ever grow. A lifetime of restarts is not an alarm. */

export const HOUR_MS = 3_600_000;

interface Seen {
  count: number;
  /** When each later restart was noticed. */
  readonly times: number[];
  readonly sinceMs: number;
}

export class RestartHistory {
  readonly #pods = new Map<string, Seen>();

  /** Takes the counters as they are now. Pods that are gone are forgotten. */
  update(pods: readonly { readonly key: string; readonly restarts: number }[], nowMs: number): void {
    const present = new Set(pods.map((p) => p.key));
    for (const key of this.#pods.keys()) if (!present.has(key)) this.#pods.delete(key);
    for (const { key, restarts } of pods) {
      const seen = this.#pods.get(key);
      if (!seen) {
        this.#pods.set(key, { count: restarts, times: [], sinceMs: nowMs });
        continue;
      }
      for (let i = seen.count; i < restarts; i += 1) seen.times.push(nowMs);
      seen.count = restarts;
      while ((seen.times[0] ?? nowMs) < nowMs - HOUR_MS) seen.times.shift();
    }
  }

  /** For how long a pod has been watched; 0 for one never seen. */
  watchedMs(key: string, nowMs: number): number {
    return nowMs - (this.#pods.get(key)?.sinceMs ?? nowMs);
  }

  /** null for a pod never seen. What happened before we watched is not counted. */
  lastHour(key: string, nowMs: number): number | null {
    const seen = this.#pods.get(key);
    return seen ? seen.times.filter((t) => t >= nowMs - HOUR_MS).length : null;
  }
}
