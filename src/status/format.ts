/** Numbers and times as people read them. Unknown is never a number. */

const UNITS = ['B', 'K', 'M', 'G', 'T', 'P'] as const;

/** `7.8G`; four figures at most. */
export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return '?';
  let v = value;
  let unit = 0;
  while (v >= 999.5 && unit < UNITS.length - 1) {
    v /= 1024;
    unit += 1;
  }
  return `${unit === 0 || v >= 99.95 ? Math.round(v) : v.toFixed(1)}${UNITS[unit]}`;
}

/** `41%`, cut, not rounded: 89.9 is not yet 90. */
export function percent(value: number | null | undefined): string {
  return value === null || value === undefined ? '?' : `${Math.floor(value)}%`;
}

/** `15:55 UTC`, with its date when that is not today's (in UTC). `nowMs` is the wall clock. */
export function moment(iso: string, nowMs: number): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return '?';
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const time = `${new Date(at).toISOString().slice(11, 16)} UTC`;
  return dayOf(at) === dayOf(nowMs) ? time : `${dayOf(at)} ${time}`;
}

/** `12s`, `4m`, `7h`, `3d`. */
export function age(ms: number | null): string {
  if (ms === null || Number.isNaN(ms)) return '?';
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m`;
  if (s < 48 * 3600) return `${Math.floor(s / 3600)}h`;
  return s < 730 * 86_400 ? `${Math.floor(s / 86_400)}d` : `${Math.floor(s / (365 * 86_400))}y`;
}

/** `3d 04h`, `7h 12m`, `12m`. */
export function uptime(ms: number): string {
  if (Number.isNaN(ms)) return '?';
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const pad = (v: number): string => String(v).padStart(2, '0');
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours}h ${pad(minutes % 60)}m` : `${Math.floor(hours / 24)}d ${pad(hours % 24)}h`;
}
