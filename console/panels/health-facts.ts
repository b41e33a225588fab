/** What is known beyond the first page, a title and a few rows a subject. What nobody recorded says so, since none and not known are two things. */
import type { SectionData } from '#model/status.ts';
import * as fmt from '#status/format.ts';
import { plainText } from '#status/sanitise.ts';
import { localTimeOf } from '../clock.ts';
import { type Shown, shown } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { timezoneOf } from './header.ts';

export interface FactGroup {
  readonly title: string;
  readonly rows: readonly (readonly [string, string])[];
}

type Row = readonly [string, string];

const yesNo = (v: boolean | null, yes: string, no: string, unknown = 'not known'): string => (v === null ? unknown : v ? yes : no);
const ago = (at: string | null, s: ScreenState, never = 'not known'): string =>
  at === null ? never : `${fmt.age(Math.max(0, s.wallMs - Date.parse(at)))} ago`;
const joined = (...parts: readonly (string | null | false)[]): string =>
  parts.filter((p) => p !== null && p !== false && p !== '').join(', ');

function machine(s: ScreenState): Row[] {
  const rows: Row[] = [];
  const identity = shown(s.view.identity)?.data;
  const power = shown(s.view.power)?.data;
  const vitals = shown(s.view.vitals)?.data;
  const first = shown(s.view.meta)?.data.first_boot;
  const images = shown(s.view.k3s)?.data.image_import;
  if (identity) {
    rows.push(['hardware', joined([identity.vendor, identity.product].filter(Boolean).join(' '), identity.machine_uuid) || 'not known']);
    rows.push(['system', joined(identity.os_release, `Linux ${identity.kernel}`)]);
    if (identity.appliance_id !== null) rows.push(['appliance', identity.appliance_id]);
    if (identity.console_mode_pending !== null) rows.push(['console mode', `${identity.console_mode_pending} after the next boot`]);
  }
  if (power) {
    rows.push(['last end', power.last_reboot_reason ?? 'not recorded']);
    if (power.needs_reboot) rows.push(['reboot needed', power.reasons.join(', ') || 'no reason was given']);
  }
  const top = vitals?.top_cpu?.map((p) => `${plainText(p.comm)} ${Math.round(p.pct)}%`).join(', ');
  if (vitals) rows.push(['busiest', top === undefined ? 'not known' : top || 'nothing above 1%']);
  if (first) rows.push(['first boot', `${first.failed ? 'FAILED at ' : ''}${first.step}${first.log_hint ? ` (${first.log_hint})` : ''}`]);
  if (images) rows.push(['images', `${images.done} of ${images.total ?? '?'} imported`]);
  return rows;
}

const VERSION_WORDS: Readonly<Record<string, string>> = {
  unstamped: 'holds no version',
  unreadable: 'version cannot be read',
  unknown: 'version not known',
};

function slots(s: ScreenState): Row[] {
  const d = shown(s.view.slots)?.data;
  if (!d) return [];
  const row = (name: 'slot_a' | 'slot_b', letter: string): Row => {
    const x = d.slots[name];
    const runs = d.booted === name && 'runs';
    const kept = d.durable === name && 'kept';
    const next = d.next_once === name && 'next boot, once';
    return [`slot ${letter}`, joined(x.version ?? VERSION_WORDS[x.version_state] ?? x.version_state, x.kernel, runs, kept, next)];
  };
  const rows: Row[] = [row('slot_a', 'A'), row('slot_b', 'B')];
  if (d.rollback_safe === false) rows.push(['going back', d.rollback_note ?? 'not safe']);
  const menu = yesNo(d.esp_schema_current, 'as this version writes it', 'of an older version: spatium slot render writes it anew');
  rows.push(['boot menu', menu]);
  const esp = shown(s.view.storage)?.data.second_esp;
  if (esp)
    rows.push(['second ESP', esp.present ? yesNo(esp.in_sync, 'in step with the first', 'NOT in step with the first') : 'NOT there']);
  const up = shown(s.view.upgrade)?.data;
  if (up && up.state !== 'idle') {
    const bytes = up.bytes_total === null ? null : `${fmt.bytes(up.bytes_done)} of ${fmt.bytes(up.bytes_total)}`;
    rows.push(['upgrade', joined(up.state.replaceAll('_', ' '), up.detail, bytes, up.error, `started ${ago(up.started_at, s)}`)]);
  }
  return rows;
}

function etcd(s: ScreenState): Row[] {
  const d = shown(s.view.etcd)?.data;
  if (d?.backend !== 'etcd') return [];
  const inAll = `${fmt.bytes(d.db_in_use_bytes)} in use, ${fmt.bytes(d.db_size_bytes)} on disk, ${fmt.bytes(d.quota_bytes)} at most`;
  const kept = d.snapshots_count === null ? 'not known' : d.snapshots_count === 0 ? 'NONE' : `${d.snapshots_count} kept`;
  const rows: Row[] = [
    [
      'members',
      `${d.members_healthy ?? '?'} of ${d.members_total ?? '?'} healthy, ${yesNo(d.is_leader, 'this one leads', 'another one leads', 'leader ?')}`,
    ],
    ['size', inAll],
    ['snapshots', d.snapshots_count ? `${kept}, last ${ago(d.last_snapshot_at, s)}` : kept],
    [
      'failed writes',
      d.failed_proposals_15m === null
        ? 'not known'
        : `${d.failed_proposals_15m} in 15 min, leader changed ${d.leader_changes_1h ?? '?'} times in 1 h`,
    ],
    ['alarms', d.alarms === null ? 'not known' : d.alarms.join(', ') || 'none'],
  ];
  if (d.restore.state !== 'none')
    rows.push(['restore', joined(d.restore.state, d.restore.reason, d.restore.since && ago(d.restore.since, s))]);
  return rows;
}

type Pairing = SectionData['pairing'];

/** How often it was tried and what came back; never a code, token or key. */
function pairingRows(x: Shown<Pairing>, s: ScreenState): Row[] {
  const d = x.data;
  if (!d.applicable) return [];
  const tried =
    d.attempts === null
      ? 'not known here: another agent pairs this box'
      : d.attempts === 0
        ? 'not yet'
        : `${d.attempts} times, last ${ago(d.last_attempt_at, s)}`;
  const rows: Row[] = [['tried', d.retry_at === null ? tried : `${tried}; again at ${localTimeOf(d.retry_at, timezoneOf(s)).time}`]];
  rows.push(['code', d.code_present ? 'there, not used up' : 'none on this box']);
  if (d.last_error !== null)
    rows.push([
      'last error',
      joined(d.last_error.code, d.last_error.http_status !== null && `HTTP ${d.last_error.http_status}`, d.last_error.msg),
    ]);
  if (d.approved_at !== null) rows.push(['approved', ago(d.approved_at, s)]);
  if (d.revocation !== null && d.revocation.strikes > 0)
    rows.push(['revocation', joined(`${d.revocation.strikes} of 2 refusals`, d.revocation.header)]);
  rows.push([
    'pinned key',
    yesNo(
      d.pin_mismatch,
      'NOT the one that is shown now',
      yesNo(d.pinned, 'matches', 'none yet'),
      yesNo(d.pinned, 'there, not compared yet', 'none yet'),
    ),
  ]);
  if (d.cert_not_after !== null) rows.push(['certificate', `until ${d.cert_not_after.slice(0, 10)}`]);
  return rows;
}

function controlPlane(s: ScreenState): Row[] {
  const pairing = shown(s.view.pairing);
  const d = shown(s.view.control_plane)?.data;
  const rows: Row[] = [];
  if (d) {
    rows.push(['address', joined(d.url ?? 'none set', d.resolved_addrs?.join(' ') ?? null)]);
    const tls = d.tls_ok === null ? null : d.tls_ok ? 'certificate fits' : 'certificate does NOT fit';
    const http = d.http_ok === null ? null : d.http_ok ? 'answers' : 'does NOT answer';
    rows.push([
      'connection',
      joined(yesNo(d.tcp_ok, `reachable in ${d.rtt_ms ?? '?'} ms`, `UNREACHABLE, ${d.consecutive_failures} times in a row`), tls, http),
    ]);
    rows.push(['heartbeat', ago(d.last_heartbeat_at, s, 'none known')]);
  }
  return pairing ? [...rows, ...pairingRows(pairing, s)] : rows;
}

function network(s: ScreenState): Row[] {
  const d = shown(s.view.network)?.data;
  if (!d) return [];
  const rows = d.interfaces.map((i): Row => {
    const speed = i.speed_mbps === null ? null : `${i.speed_mbps} Mbit/s`;
    const link = i.carrier === false || !i.up ? 'no link' : speed;
    return [i.name, joined(i.kind, i.mac, link, i.mtu === null ? null : `MTU ${i.mtu}`)];
  });
  const modes = joined(d.mode4 && `IPv4 ${d.mode4}`, d.mode6 && `IPv6 ${d.mode6}`);
  if (modes !== '') rows.push(['mode', modes]);
  const reach = d.connectivity;
  if (reach) {
    const told = (name: string, p: typeof reach.dns): string =>
      `${name} ${p === null ? 'not known' : p.ok ? 'answers' : 'does NOT answer'}`;
    rows.push([
      'reached',
      joined(d.gateway4 !== null && told('gateway', reach.gateway), d.dns_servers.length > 0 && told('DNS', reach.dns)),
    ]);
  }
  for (const e of d.adopt?.drift ?? [])
    rows.push(['edit not kept', `${e.key}: ${e.state || '(not set)'} -> ${e.live || '(not set)'}; F10 Keep network edit`]);
  if (d.adopt && d.adopt.unadoptable.length > 0) rows.push(['cannot be kept', d.adopt.unadoptable.join(', ')]);
  if (d.adopt && d.adopt.extra_profiles.length > 0) rows.push(['own profiles', d.adopt.extra_profiles.join(', ')]);
  return rows;
}

function firewall(s: ScreenState): Row[] {
  const d = shown(s.view.firewall)?.data;
  if (!d) return [];
  const ports = Object.entries(d.webui.ports).map(([port, word]) => `tcp/${port} ${word}`);
  const checked = d.webui.age_s === null ? 'never checked' : `checked ${fmt.age(d.webui.age_s * 1000)} ago`;
  const rows: Row[] = [['web UI', joined(...(ports.length === 0 ? [d.webui.status] : ports), d.webui.detail, checked)]];
  rows.push(['SSH', yesNo(d.ssh_scoped, 'closed to some sources', 'open')]);
  rows.push([
    'locked out',
    d.lockout_risk === 'console_only' ? 'a wrong source address leaves this console only' : d.lockout_risk === 'none' ? 'no' : 'not known',
  ]);
  rows.push([
    'last change',
    joined(d.apply.status === 'unknown' ? 'not known' : d.apply.status, d.apply.reason, d.apply.at && ago(d.apply.at, s)),
  ]);
  rows.push(['kernel rules', yesNo(d.drift, 'NOT those of /etc/nftables.conf', 'those of /etc/nftables.conf', 'not compared')]);
  return rows;
}

function clock(s: ScreenState): Row[] {
  const t = shown(s.view.time)?.data;
  if (!t) return [];
  const offset = t.offset_ms === null ? null : `${t.offset_ms.toFixed(1)} ms off`;
  const stratum = t.stratum === null ? null : `stratum ${t.stratum}`;
  return [
    [
      'clock',
      joined(
        yesNo(t.synced, 'synchronised', 'NOT synchronised'),
        t.source,
        offset,
        stratum,
        t.last_sync_at && `last ${ago(t.last_sync_at, s)}`,
      ),
    ],
  ];
}

function certificates(s: ScreenState): Row[] {
  const list = shown(s.view.certs)?.data ?? [];
  return [...list]
    .sort((a, b) => (a.days_left ?? -1) - (b.days_left ?? -1))
    .map((c): Row => {
      if (c.days_left === null || c.not_after === null) return [c.name, 'cannot be read'];
      const days = Math.floor(c.days_left);
      return [c.name, `${days < 0 ? 'EXPIRED' : 'until'} ${c.not_after.slice(0, 10)}${days < 0 ? '' : ` (${days} d)`}`];
    });
}

function supervisor(s: ScreenState): Row[] {
  const d = shown(s.view.supervisor)?.data;
  if (!d) return [];
  const late = Object.entries(d.collectors_late ?? {}).filter(([, times]) => Number(times) > 0);
  const rows: Row[] = [
    ['supervisor', joined(`version ${d.version}`, `process ${d.pid}`, `started again ${d.restarts_24h ?? '?'} times in 24 h`)],
  ];
  if (d.roles_assigned !== null) rows.push(['roles', d.roles_assigned.join(', ') || 'none']);
  for (const r of d.role_services) rows.push([r.name, joined(r.state, r.since && `since ${ago(r.since, s)}`, r.message)]);
  if (d.triggers_pending.length > 0) rows.push(['waiting', d.triggers_pending.join(', ')]);
  if (late.length > 0) rows.push(['slow probes', late.map(([name, times]) => `${name} ${times}`).join(', ')]);
  return rows;
}

/** Groups that have something to say, in the order an operator needs them. */
export function factGroups(s: ScreenState): FactGroup[] {
  const groups: FactGroup[] = [
    { title: 'Machine', rows: [...machine(s), ...clock(s)] },
    { title: 'Slots', rows: slots(s) },
    { title: 'etcd', rows: etcd(s) },
    { title: 'Control plane', rows: controlPlane(s) },
    { title: 'Network', rows: network(s) },
    { title: 'Firewall', rows: firewall(s) },
    { title: 'Certificates', rows: certificates(s) },
    { title: 'Supervisor', rows: supervisor(s) },
  ];
  return groups.filter((g) => g.rows.length > 0);
}
