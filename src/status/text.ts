/** The status as a few lines of plain text. */
import type { SectionData, SectionName, Verdict } from '#model/status.ts';
import * as fmt from './format.ts';
import type { Reading, View } from './freshness.ts';

/** What stands in a line whose section has no data to show. */
function absent(r: Reading<unknown> | undefined): string {
  if (!r) return 'not reported';
  switch (r.freshness) {
    case 'not_applicable':
      return 'not applicable';
    case 'unavailable':
      return `unavailable${r.error ? `: ${r.error}` : ''}`;
    case 'expired':
      return `? (last reading ${fmt.age(r.ageMs)} ago)`;
    case 'unknown':
    case 'fresh':
    case 'stale':
      return 'unknown';
  }
}

function line<K extends SectionName>(
  view: View,
  name: K,
  title: string,
  show: (data: NonNullable<NonNullable<View[K]>['data']>) => string,
): string {
  const r = view[name] as Reading<unknown> | undefined;
  const usable = r && r.data !== null && (r.freshness === 'fresh' || r.freshness === 'stale');
  const text = usable ? show(r.data as NonNullable<NonNullable<View[K]>['data']>) : absent(r);
  const mark = r?.freshness === 'stale' ? ` (${fmt.age(r.ageMs)} old)` : '';
  return `${title.padEnd(9)} ${text}${mark}\n`;
}

const or = (v: string | null | undefined): string => v ?? '?';

/** A line only where the section applies: a box without k3s has no such things. */
const where: typeof line = (view, name, title, show) =>
  view[name] && view[name]?.freshness !== 'not_applicable' ? line(view, name, title, show) : '';

function databaseText(d: SectionData['postgres']): string {
  const used = d.backends_active === null || d.backends_idle === null ? '?' : String(d.backends_active + d.backends_idle);
  const lag = d.replica_lag_s === null ? '' : `, slowest ${d.replica_lag_s.toFixed(1)} s behind`;
  return `primary ${or(d.primary_pod)}, ${used} of ${d.max_connections ?? '?'} connections, ${d.replicas_streaming ?? '?'} replicas${lag}`;
}

/** The one that ends first, and those that cannot be read. */
function certsText(d: SectionData['certs']): string {
  const first = [...d].filter((c) => c.days_left !== null).sort((a, b) => (a.days_left ?? 0) - (b.days_left ?? 0))[0];
  const unread = d.filter((c) => c.days_left === null).map((c) => c.name);
  const ends = first ? `${first.name} ends first, in ${first.days_left} d` : 'none can be read';
  return `${ends}${first && unread.length > 0 ? `; cannot be read: ${unread.join(', ')}` : ''}`;
}

/** Who the box is to its panel, what it runs, and what it could not run. */
function pullText(d: SectionData['pull']): string {
  const runs = d.applied_version === null ? 'nothing applied' : `runs configuration ${d.applied_version}`;
  const fetched = d.fetched_version !== null && d.fetched_version !== d.applied_version ? `, fetched ${d.fetched_version}` : '';
  const failed = d.failed === null ? '' : `, ${d.failed.version} failed in ${d.failed.phase}`;
  const contact = d.consecutive_failures > 0 ? `, ${d.consecutive_failures} polls failed` : '';
  const version = d.update === null ? '' : `, version ${d.update.running}`;
  return `${d.kind} of ${d.panel}, ${d.identity.replaceAll('_', ' ')}, ${runs}${fetched}${failed}${contact}${version}`;
}

/** Verdict first, every reason on its own line, then the facts. `wallMs`: the time now, to leave today's date out. */
export function statusText(view: View, verdict: Verdict | null, wallMs: number): string {
  const reasons = (verdict?.reasons ?? []).map((r) => `  ${r.level.padEnd(8)} ${r.text} (since ${fmt.moment(r.since, wallMs)})\n`).join('');
  return [
    `${verdict?.level ?? 'UNKNOWN'}\n${reasons}`,
    line(
      view,
      'identity',
      'host',
      (d) => `${d.hostname}, ${d.role ?? 'role not set'}, version ${or(d.appliance_version)}, ${d.os_release}`,
    ),
    line(view, 'network', 'network', (d) => {
      const addrs = d.interfaces.flatMap((i) => i.addrs.filter((a) => a.scope === 'global').map((a) => `${i.name} ${a.addr}/${a.prefix}`));
      return `${addrs.join(', ') || 'no address'}; gateway ${d.gateway4 ?? d.gateway6 ?? 'none'}`;
    }),
    line(view, 'vitals', 'vitals', (d) => {
      const memory = `memory ${fmt.bytes(d.mem_used_bytes)} of ${fmt.bytes(d.mem_total_bytes)}`;
      return `CPU ${fmt.percent(d.cpu_pct)} of ${d.cpu_cores}, load ${or(d.load1?.toFixed(2))}, ${memory}`;
    }),
    line(view, 'psi', 'pressure', (d) => {
      const some = (p: typeof d.cpu): string => (p?.some ? `${p.some.avg300.toFixed(1)}%` : 'not reported');
      return `cpu ${some(d.cpu)}, memory ${some(d.memory)}, io ${some(d.io)} (5 min)`;
    }),
    line(view, 'disks', 'disks', (d) =>
      d.mounts.map((m) => `${m.mount} ${fmt.percent(m.used_pct)} of ${fmt.bytes(m.total_bytes)}`).join(', '),
    ),
    line(view, 'storage', 'arrays', (d) =>
      [...d.arrays, ...d.multipath].map((a) => a.finding ?? `${a.name} ${'level' in a ? 'ok' : 'no finding'}`).join(', '),
    ),
    line(view, 'slots', 'slots', (d) => `running ${or(d.booted)}, kept ${or(d.durable)}${d.next_once ? `, next ${d.next_once}` : ''}`),
    line(view, 'k3s', 'k3s', (d) => `${d.unit_state}, readiness ${d.readyz}, ${or(d.version)}`),
    where(view, 'nodes', 'nodes', (d) => `${d.list.filter((n) => n.ready === 'true').length} of ${d.list.length} ready`),
    where(view, 'pods', 'pods', (d) => `${d.counts.ready} of ${d.counts.total - d.counts.succeeded} ready, ${d.counts.failed} failing`),
    where(view, 'api', 'API', (d) => `${d.ready}, ${d.requests_per_s === null ? 'requests not known' : `${d.requests_per_s} requests/s`}`),
    where(view, 'postgres', 'database', databaseText),
    where(view, 'loadbalancer', 'balancer', (d) =>
      d.vip_assigned
        ? `virtual address ${d.vip_reachable === null ? 'assigned' : d.vip_reachable ? 'answers' : 'does NOT answer'}`
        : 'no virtual address',
    ),
    where(view, 'certs', 'certs', certsText),
    where(view, 'pull', 'panel', pullText),
    line(view, 'power', 'power', (d) => {
      const pending = d.pending.map((p) => `${p.kind} pending (${p.origin})`).join(', ') || 'nothing pending';
      return `${pending}; last end ${d.last_reboot_reason ?? 'not recorded'}`;
    }),
    line(view, 'time', 'clock', (d) => (d.synced === null ? 'synchronisation not known' : d.synced ? 'synchronised' : 'NOT synchronised')),
  ].join('');
}
