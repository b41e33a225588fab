/**
 * What another supervisor may leave out, since it follows from the rest: shares, ages, the words of a finding. Ours sends all of
 * it. Pure; anything that does not follow stays null.
 */
import type { SectionData, SectionName } from '#model/status.ts';
import type { Pod } from '#model/status-cluster.ts';
import type { Disk, MdArray, MultipathMap } from '#model/status-sections.ts';

/** Of what an unprivileged writer could ever use, as `df` counts; of the whole where nobody says what is available. */
function usedPct({ used_bytes: used, avail_bytes: available, total_bytes: total }: Disk): number | null {
  const whole = used !== null && available !== null ? used + available : total;
  return used === null || whole === null || whole <= 0 ? null : Math.round((1000 * used) / whole) / 10;
}

function arrayFinding(a: MdArray): string {
  const label = `${a.friendly ?? a.name} ${a.level}`;
  if (a.array_state === 'inactive') return `${label} FAILED to assemble`;
  const count = `${a.members_in_sync ?? '?'}/${a.members_expected ?? '?'}`;
  const pct = a.sync?.pct;
  if (a.state === 'failed') return `${label} FAILED ${count}`;
  if (a.state === 'degraded') return `${label} DEGRADED ${count}${pct === null || pct === undefined ? '' : ` ${Math.floor(pct)}%`}`;
  return `${label} state unknown`;
}

const pathsFinding = (m: MultipathMap): string => `${m.name} mpath ${Math.max(0, m.paths_total - m.paths_faulted)}/${m.paths_total} paths`;

/** A critical pod that runs can only be one that starts again and again. */
const podCode = (p: Pod): string | null =>
  p.severity_code ?? (p.severity === 'critical' && p.state === 'Running' && p.restarts > 0 ? 'flapping' : null);

/** By the limits that come with the readings, whether the server has compared them or not. */
function breaches({ cpu, memory, some_pct, mem_full_pct, breach }: SectionData['psi']): SectionData['psi']['breach'] {
  const over = (value: number | undefined, limit: number): boolean => value !== undefined && value >= limit;
  const found = [
    ...(over(cpu?.some?.avg300, some_pct) ? (['cpu_some'] as const) : []),
    ...(over(memory?.some?.avg300, some_pct) ? (['memory_some'] as const) : []),
    ...(over(memory?.full?.avg300, mem_full_pct) ? (['memory_full'] as const) : []),
  ];
  return [...new Set([...breach, ...found])];
}

const secondsBetween = (from: string | null, to: string): number | null => {
  const seconds = (Date.parse(to) - Date.parse(from ?? '')) / 1000;
  return Number.isFinite(seconds) ? Math.round(seconds) : null;
};

type Completer<K extends SectionName> = (data: SectionData[K], now: string) => SectionData[K];

const COMPLETERS: { readonly [K in SectionName]?: Completer<K> } = {
  psi: (d) => ({ ...d, breach: breaches(d) }),
  disks: (d) => ({ ...d, mounts: d.mounts.map((m) => ({ ...m, used_pct: m.used_pct ?? usedPct(m) })) }),
  storage: (d) => ({
    ...d,
    arrays: d.arrays.map((a) => (a.finding === null && a.severity !== 'ok' ? { ...a, finding: arrayFinding(a) } : a)),
    multipath: d.multipath.map((m) => (m.finding === null && m.severity !== 'neutral' ? { ...m, finding: pathsFinding(m) } : m)),
  }),
  firewall: (d, now) => ({ ...d, webui: { ...d.webui, age_s: d.webui.age_s ?? secondsBetween(d.webui.checked_at, now) } }),
  slots: (d) => ({ ...d, is_trial: d.is_trial ?? (d.booted === null || d.durable === null ? null : d.booted !== d.durable) }),
  upgrade: (d) => ({
    ...d,
    pct: d.pct ?? (d.bytes_done !== null && d.bytes_total ? Math.min(100, (100 * d.bytes_done) / d.bytes_total) : null),
  }),
  pods: (d) => ({ ...d, list: d.list.map((p) => ({ ...p, severity_code: podCode(p) })) }),
};

/** @param now the server's clock when it sent the data */
export function complete<K extends SectionName>(name: K, data: SectionData[K], now: string): SectionData[K] {
  const completer = COMPLETERS[name] as Completer<K> | undefined;
  return completer ? completer(data, now) : data;
}
