/** The last half hour of a few numbers, one sample every five seconds. A time without readings stays a gap. */
import type { View } from '#status/freshness.ts';
import { shown } from './reading.ts';

export const SAMPLE_MS = 5_000;
const KEPT = 360;

export interface Series {
  readonly cpuPct: readonly (number | null)[];
  readonly memoryPct: readonly (number | null)[];
  /** The worst of processor, memory and disks, over 10 s. */
  readonly pressurePct: readonly (number | null)[];
  /** The fullest file system. */
  readonly diskPct: readonly (number | null)[];
  readonly networkBytesPerS: readonly (number | null)[];
}

export const NO_SERIES: Series = { cpuPct: [], memoryPct: [], pressurePct: [], diskPct: [], networkBytesPerS: [] };

type Sample = { readonly [K in keyof Series]: number | null };

/** The largest of those that are known; null when none is. */
function most(values: readonly (number | null | undefined)[]): number | null {
  const known = values.filter((v): v is number => typeof v === 'number');
  return known.length === 0 ? null : Math.max(...known);
}

/** Only fresh readings count: a stale one repeated would draw a calm line that nobody measured. */
function sampleOf(view: View): Sample {
  const fresh = <T>(r: Parameters<typeof shown<T>>[0]): T | null => {
    const s = shown(r);
    return s && !s.stale ? s.data : null;
  };
  const v = fresh(view.vitals);
  const psi = fresh(view.psi);
  const rates = (fresh(view.network)?.interfaces ?? []).map((i) =>
    i.rx_bytes_per_s === null || i.tx_bytes_per_s === null ? null : i.rx_bytes_per_s + i.tx_bytes_per_s,
  );
  const known = rates.filter((r): r is number => r !== null);
  return {
    cpuPct: v?.cpu_pct ?? null,
    memoryPct: v && v.mem_used_bytes !== null && v.mem_total_bytes > 0 ? (100 * v.mem_used_bytes) / v.mem_total_bytes : null,
    pressurePct: most([psi?.cpu?.some?.avg10, psi?.memory?.some?.avg10, psi?.io?.some?.avg10]),
    diskPct: most((fresh(view.disks)?.mounts ?? []).map((m) => m.used_pct)),
    networkBytesPerS: known.length === 0 ? null : known.reduce((a, b) => a + b, 0),
  };
}

const NAMES = ['cpuPct', 'memoryPct', 'pressurePct', 'diskPct', 'networkBytesPerS'] as const;

const mean = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((v): v is number => v !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length;
};

export class History {
  #series: Series = NO_SERIES;
  #pending: Sample[] = [];
  #slot: number | null = null;

  get series(): Series {
    return this.#series;
  }

  /** Called every second or so; `nowMs` is monotonic. */
  add(view: View, nowMs: number): void {
    const slot = Math.floor(nowMs / SAMPLE_MS);
    this.#slot ??= slot;
    if (slot !== this.#slot) {
      const gap = Math.min(KEPT, slot - this.#slot - 1);
      const next: Record<string, readonly (number | null)[]> = {};
      for (const name of NAMES) {
        const value = mean(this.#pending.map((s) => s[name]));
        next[name] = [...this.#series[name], value, ...Array.from({ length: gap }, () => null)].slice(-KEPT);
      }
      this.#series = next as unknown as Series;
      this.#pending = [];
      this.#slot = slot;
    }
    this.#pending.push(sampleOf(view));
  }
}
