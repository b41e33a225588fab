/** Prometheus text: only the lines asked for. A value that is not a finite number is not known. */

type Labels = Readonly<Record<string, string>>;

function valuesOf(text: string, name: string, labels: Labels): number[] {
  const out: number[] = [];
  for (const [, given = '', value = ''] of text.matchAll(new RegExp(`^${name}(?:\\{([^}]*)\\})? (\\S+)`, 'gm'))) {
    const matches = Object.entries(labels).every(([k, v]) => given.includes(`${k}="${v}"`));
    const number = Number(value);
    if (matches && value !== '' && Number.isFinite(number)) out.push(number);
  }
  return out;
}

/** Sum of a metric over all label sets that hold `labels`; null when it is not there at all. */
export function metric(text: string, name: string, labels: Labels = {}): number | null {
  const values = valuesOf(text, name, labels);
  return values.length === 0 ? null : values.reduce((a, b) => a + b, 0);
}

/** The greatest of them. */
export function metricMax(text: string, name: string, labels: Labels = {}): number | null {
  const values = valuesOf(text, name, labels);
  return values.length === 0 ? null : Math.max(...values);
}

/** How fast a counter grows, per second, between two samples; null on the first one and when it went back. */
export class Rate {
  #last: { readonly atMs: number; readonly value: number } | null = null;

  add(value: number | null, nowMs: number): number | null {
    const last = this.#last;
    this.#last = value === null ? null : { atMs: nowMs, value };
    if (value === null || last === null || value < last.value || nowMs <= last.atMs) return null;
    return Math.round((10_000 * (value - last.value)) / (nowMs - last.atMs)) / 10;
  }
}

/** How much a counter grew within a window, from samples; a counter that went back starts anew. */
export class Growth {
  readonly #windowMs: number;
  readonly #samples: { readonly atMs: number; readonly value: number }[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** null until there are two samples. */
  add(value: number | null, nowMs: number): number | null {
    if (value === null) return null;
    const last = this.#samples.at(-1);
    if (last && value < last.value) this.#samples.length = 0;
    this.#samples.push({ atMs: nowMs, value });
    while (this.#samples.length > 2 && (this.#samples[1]?.atMs ?? nowMs) <= nowMs - this.#windowMs) this.#samples.shift();
    const first = this.#samples[0];
    return this.#samples.length < 2 || !first ? null : value - first.value;
  }
}
