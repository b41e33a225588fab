/** Words after the question mark. A name that is not known is skipped, for later versions; a value that cannot be meant is refused. */

/** A word that is wrong must not look like a quiet log: `sev=error` would match no line. */
const WANTED: Readonly<Record<string, { readonly pattern: RegExp; readonly words: string }>> = {
  min_interval_ms: { pattern: /^\d{1,15}$/, words: 'a whole number' },
  since_id: { pattern: /^\d{1,15}$/, words: 'a whole number' },
  limit: { pattern: /^\d{1,15}$/, words: 'a whole number' },
  max_lines_per_s: { pattern: /^\d{1,15}$/, words: 'a whole number' },
  follow: { pattern: /^[01]$/, words: '0 or 1' },
  sev: { pattern: /^(err|warn|info|debug)$/, words: 'err, warn, info or debug (once each)' },
};
const SHOWN_CHARS = 40;

/** What is wrong with a query and what is wanted instead; null when nothing is. */
export function faultOf(query: URLSearchParams): string | null {
  for (const [name, value] of query) {
    const wanted = Object.hasOwn(WANTED, name) ? WANTED[name] : undefined;
    if (wanted && !wanted.pattern.test(value)) return `${name}=${value.slice(0, SHOWN_CHARS)}: ${wanted.words} is wanted`;
  }
  return null;
}

/** A whole number of a query that `faultOf` found nothing wrong with, clamped; the default when it is absent. */
export function numberOf(query: URLSearchParams, name: string, fallback: number, max: number): number {
  const value = query.get(name);
  return value === null ? fallback : Math.min(Number(value), max);
}
