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

const FORMS: Partial<Readonly<Record<SectionName, (data: Record<string, unknown>) => Record<string, unknown>>>> = {
  // Who counts nothing has left nothing out.
  pods: (d) => ({ ...d, truncated_count: d['truncated_count'] ?? 0 }),
  firewall: (d) =>
    isRecord(d['webui'])
      ? { ...d, webui: { ...d['webui'], ports: mapped(d['webui']['ports'] ?? {}, (v) => (typeof v === 'string' ? v : String(v))) } }
      : d,
  // One time for all of them, or one beside each.
  network: (d) => {
    const { connectivity } = d;
    const at = isRecord(connectivity) ? (connectivity['checked_at'] ?? '') : '';
    return { ...d, connectivity: mapped(connectivity, (v) => (typeof v === 'boolean' ? { ok: v, checked_at: at } : v)) };
  },
};

/** @param data as it was received, of any type */
export function inOurForm(name: SectionName, data: unknown): unknown {
  const listed = withList(name, data);
  const form = FORMS[name];
  return form && isRecord(listed) ? form(listed) : listed;
}
