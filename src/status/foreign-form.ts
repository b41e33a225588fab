/** Data of another supervisor brought into the form of ours, where the same is said in another form. Pure; it judges nothing. */
import { isRecord } from '#model/json.ts';
import type { SectionName } from '#model/status.ts';

/** Lists that our sections keep under a name; another server may send the list alone, or under the name that most sections use. */
const LIST_NAMES: Partial<Readonly<Record<SectionName, string>>> = { disks: 'mounts', nodes: 'list', pods: 'list', events: 'recent' };

function withList(name: SectionName, data: unknown): unknown {
  const key = LIST_NAMES[name];
  if (key !== undefined && Array.isArray(data)) return { [key]: data };
  if (!isRecord(data) || !Array.isArray(data['list'])) return data;
  if (name === 'certs') return data['list'];
  return key === undefined || data[key] !== undefined ? data : { ...data, [key]: data['list'] };
}

const mapped = (value: unknown, change: (v: unknown) => unknown): unknown =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, change(v)])) : value;

const mappedList = (value: unknown, change: (v: Record<string, unknown>) => unknown): unknown =>
  Array.isArray(value) ? value.map((v) => (isRecord(v) ? change(v) : v)) : value;

/** Limits and shares of something else than a whole: those of a process count processors. */
const FREE_SHARES: readonly string[] = ['warn_pct', 'crit_pct', 'some_pct', 'mem_full_pct', 'top_cpu'];
const isShare = (key: string): boolean => key === 'pct' || key.endsWith('_pct');

/** No reading is below nothing, and no share above the whole: the first is not known, the second is all of it. */
function inRange(key: string, value: unknown): unknown {
  if (typeof value === 'number') {
    if (!isShare(key) && !key.endsWith('_bytes')) return value;
    if (value < 0) return null;
    return isShare(key) ? Math.min(100, value) : value;
  }
  if (Array.isArray(value)) return value.map((v) => inRange('', v));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, FREE_SHARES.includes(k) ? v : inRange(k, v)]));
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** By the limits that stand beside it, or the usual ones; the share that counts is the worse of bytes and files. */
function withDiskSeverity(d: Record<string, unknown>): Record<string, unknown> {
  const limits = { ...d, warn_pct: numberOf(d['warn_pct']) ?? 80, crit_pct: numberOf(d['crit_pct']) ?? 90 };
  if (typeof d['severity'] === 'string') return limits;
  const used = numberOf(d['used_bytes']);
  const free = numberOf(d['avail_bytes']);
  const whole = used !== null && free !== null ? used + free : (numberOf(d['total_bytes']) ?? 0);
  const pct = numberOf(d['used_pct']) ?? (used === null || whole <= 0 ? null : (100 * used) / whole);
  if (pct === null) return { ...limits, severity: 'unknown' };
  return { ...limits, severity: pct >= limits.crit_pct ? 'critical' : pct >= limits.warn_pct ? 'warning' : 'ok' };
}

/** Members that an array of n works with, by its level. */
function minimumOf(level: unknown, n: number): number {
  if (level === 'raid1') return 1;
  if (level === 'raid6') return n - 2;
  return level === 'raid4' || level === 'raid5' || level === 'raid10' ? n - 1 : n;
}

function withArraySeverity(a: Record<string, unknown>): Record<string, unknown> {
  if (typeof a['severity'] === 'string') return a;
  const [n, inSync] = [numberOf(a['members_expected']), numberOf(a['members_in_sync'])];
  if (a['state'] === 'clean' || a['state'] === 'syncing') return { ...a, severity: 'ok' };
  if (a['state'] === 'failed') return { ...a, severity: 'critical' };
  if (a['state'] !== 'degraded') return { ...a, severity: 'unknown' };
  const isLast = n === null || inSync === null || inSync <= (numberOf(a['min_working']) ?? minimumOf(a['level'], n));
  return { ...a, severity: isLast ? 'critical' : 'warning' };
}

const DEFAULT_CHECK_TTL_S = 900;
function webui(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { ports, ttl_s: ttl } = value;
  return {
    ...value,
    ports: mapped(ports ?? {}, (v) => (typeof v === 'string' ? v : String(v))),
    ttl_s: typeof ttl === 'number' && ttl > 0 ? ttl : DEFAULT_CHECK_TTL_S,
  };
}

const FORMS: Partial<Readonly<Record<SectionName, (data: Record<string, unknown>) => Record<string, unknown>>>> = {
  // Who counts nothing has left nothing out.
  pods: (d) => ({ ...d, truncated_count: d['truncated_count'] ?? 0 }),
  firewall: (d) => ({ ...d, webui: webui(d['webui']) }),
  disks: (d) => ({ ...d, mounts: mappedList(d['mounts'], withDiskSeverity) }),
  storage: (d) => ({ ...d, arrays: mappedList(d['arrays'], withArraySeverity) }),
  // A word of ours; a truth value where only two of the three are known.
  nodes: (d) => ({ ...d, list: mappedList(d['list'], (n) => ({ ...n, ready: String(n['ready'] ?? 'unknown') })) }),
  // One time for all of them, or one beside each.
  network: (d) => {
    const { connectivity } = d;
    const at = isRecord(connectivity) ? (connectivity['checked_at'] ?? '') : '';
    return { ...d, connectivity: mapped(connectivity, (v) => (typeof v === 'boolean' ? { ok: v, checked_at: at } : v)) };
  },
};

/** @param data as it was received, of any type */
export function inOurForm(name: SectionName, data: unknown): unknown {
  const listed = inRange('', withList(name, data));
  const form = FORMS[name];
  return form && isRecord(listed) ? form(listed) : listed;
}
