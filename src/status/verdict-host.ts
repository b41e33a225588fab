/** Verdict rules about the host itself. */
import { type Candidate, FLAP_MS, type Rule, type RuleInput } from './verdict-rule.ts';

const MINUTE_MS = 60_000;
/** A cable that is being moved. */
const LINK_MS = 10_000;
/** Two checks: between writing a change and loading it the two differ. */
const DRIFT_MS = 6 * MINUTE_MS;
const LOOP_STALE_MS = 300_000;
const CERT_WARN_DAYS = 14;
const RESTARTS_A_DAY = 5;
const MANY_FAILURES = 3;

/** As much is coloured red; the text holds no figure that moves. */
const MEMORY_PCT = 95;
const MEMORY_CALM_PCT = 92;

/** An average that has been over its limit is over it until it is well below. */
const CALM_SHARE = 0.8;

function psi({ view }: RuleInput): Candidate[] {
  const p = view.psi?.data;
  if (!p) return [];
  const kinds = [
    ['cpu_some', 'CPU pressure', p.cpu?.some, p.some_pct],
    ['memory_some', 'memory pressure', p.memory?.some, p.some_pct],
    ['memory_full', 'memory stalls', p.memory?.full, p.mem_full_pct],
  ] as const;
  return kinds.flatMap(([kind, words, value, limitPct]): Candidate[] => {
    const isOver = p.breach.includes(kind);
    if (!isOver && !(value && value.avg300 >= CALM_SHARE * limitPct)) return [];
    const shown = value ? ` ${value.avg300.toFixed(value.avg300 < 10 ? 1 : 0)}% over 5 min` : '';
    const reason = { code: `psi.${kind}`, level: 'DEGRADED', subject: kind, text: `${words}${shown}`, section: 'psi', hint: 'F2' } as const;
    return [isOver ? reason : { ...reason, onlyHeld: true }];
  });
}

/** What can be had without swapping; where the kernel reports no pressure, this is all that tells. */
function memory({ view }: RuleInput): Candidate[] {
  const v = view.vitals?.data;
  if (!v || v.mem_used_bytes === null || v.mem_total_bytes <= 0) return [];
  const usedPct = (100 * v.mem_used_bytes) / v.mem_total_bytes;
  if (usedPct < MEMORY_CALM_PCT) return [];
  const text = `memory ${MEMORY_PCT}% used or more`;
  const reason = { code: 'memory.low', level: 'DEGRADED', subject: null, text, section: 'vitals', hint: 'F2' } as const;
  return [{ ...reason, holdMs: 5 * MINUTE_MS, onlyHeld: usedPct < MEMORY_PCT }];
}

/** A box on its way is no fault, and nobody can say yet that it is well. */
function firstBoot({ view }: RuleInput): Candidate[] {
  const f = view.meta?.data?.first_boot;
  if (!f) return [];
  const base = { subject: null, section: 'meta', hint: 'F6' } as const;
  return f.failed
    ? [{ ...base, code: 'boot.first_failed', level: 'CRITICAL', text: `first boot failed at ${f.step}` }]
    : [{ ...base, code: 'boot.first', level: 'UNKNOWN', text: `first boot: ${f.step}` }];
}

function slots({ view }: RuleInput): Candidate[] {
  const s = view.slots?.data;
  if (!s?.available || s.is_trial !== true) return [];
  const back = s.durable ? ` to slot ${s.durable === 'slot_a' ? 'A' : 'B'}` : '';
  return [
    {
      code: 'slots.trial',
      level: 'DEGRADED',
      subject: s.booted,
      text: `trial boot - a reboot goes back${back}`,
      section: 'slots',
      hint: 'F7',
    },
  ];
}

function power({ view }: RuleInput): Candidate[] {
  return (view.power?.data?.pending ?? []).map((p) => ({
    code: 'power.pending',
    level: 'DEGRADED',
    subject: p.id,
    text: `${p.kind === 'reboot' ? 'reboot' : 'power off'} pending (${p.origin.replace('_', ' ')})`,
    section: 'power',
    hint: 'F5',
    since: p.requested_at ?? undefined,
  }));
}

function supervisor({ view, now }: RuleInput): Candidate[] {
  const s = view.supervisor?.data;
  if (!s) return [];
  const base = { section: 'supervisor', subject: null, hint: 'F6' } as const;
  const out: Candidate[] = [];
  if (s.restart_cap_hit || s.watchdog.state === 'cap_hit')
    out.push({ ...base, code: 'supervisor.cap_hit', level: 'CRITICAL', text: 'supervisor restarts stopped - needs a person' });
  const idleMs = Date.parse(now) - Date.parse(s.loop_last_at);
  if (s.watchdog.state === 'stale' || idleMs >= LOOP_STALE_MS)
    out.push({ ...base, code: 'supervisor.stale', level: 'DEGRADED', text: 'supervisor loop stale' });
  if ((s.restarts_24h ?? 0) >= RESTARTS_A_DAY)
    out.push({
      ...base,
      code: 'supervisor.restarts',
      level: 'DEGRADED',
      text: `supervisor started ${s.restarts_24h} times again within a day`,
    });
  for (const r of s.role_services) {
    if (r.state !== 'unhealthy' && r.state !== 'missing') continue;
    out.push({
      ...base,
      subject: r.name,
      code: 'supervisor.service',
      level: 'DEGRADED',
      text: `service ${r.name} ${r.state}`,
      since: r.since ?? undefined,
      holdMs: MINUTE_MS,
      clearMs: FLAP_MS,
    });
  }
  return out;
}

function network({ view }: RuleInput): Candidate[] {
  const n = view.network?.data;
  if (!n) return [];
  const out: Candidate[] = [];
  if (n.mtu?.boot_id_matches && n.mtu.status === 'dropped')
    out.push({
      code: 'network.mtu_refused',
      level: 'DEGRADED',
      subject: n.mtu.interface,
      text: `MTU ${n.mtu.requested ?? '?'} refused`,
      section: 'network',
      hint: 'F4',
    });
  const at = { level: 'DEGRADED', subject: null, section: 'network', hint: 'F4', clearMs: LINK_MS } as const;
  if (n.connectivity?.gateway?.ok === false)
    out.push({ ...at, code: 'network.gateway', text: `gateway ${n.gateway4 ?? '?'} does not answer`, holdMs: MINUTE_MS });
  if (n.connectivity?.dns?.ok === false) out.push({ ...at, code: 'network.dns', text: 'no name server answers', holdMs: MINUTE_MS });
  const wired = n.interfaces.filter((i) => i.kind !== 'other');
  if (wired.length > 0 && wired.every((i) => i.carrier === false || !i.up))
    out.push({
      code: 'network.no_link',
      level: 'DEGRADED',
      subject: null,
      text: 'no network link',
      section: 'network',
      hint: 'F4',
      holdMs: LINK_MS,
      clearMs: LINK_MS,
    });
  return out;
}

function firewall({ view }: RuleInput): Candidate[] {
  const f = view.firewall?.data;
  if (!f) return [];
  const out: Candidate[] = [];
  if (webuiBlocked(f.webui)) {
    const port = f.webui.ports['443'] === 'blocked' || Object.keys(f.webui.ports).length === 0 ? '443' : Object.keys(f.webui.ports)[0];
    out.push({
      code: 'webui.blocked',
      level: 'CRITICAL',
      subject: null,
      text: `Web UI blocked by firewall (tcp/${port})`,
      section: 'firewall',
      hint: 'F10',
    });
  }
  if (f.apply.status === 'refused' || f.apply.status === 'failed')
    out.push({
      code: 'firewall.refused',
      level: 'DEGRADED',
      subject: null,
      text: `firewall change ${f.apply.status}${f.apply.reason ? `: ${f.apply.reason}` : ''}`,
      section: 'firewall',
      hint: 'F7',
    });
  if (f.drift === true)
    out.push({
      code: 'firewall.drift',
      level: 'DEGRADED',
      subject: null,
      text: 'firewall rules in the kernel are not those of /etc/nftables.conf',
      section: 'firewall',
      hint: 'F7',
      holdMs: DRIFT_MS,
    });
  return out;
}

/** A self-check counts only while it is younger than its own time to live. */
export function webuiBlocked(w: { readonly status: string; readonly age_s: number | null; readonly ttl_s: number }): boolean {
  return w.status === 'blocked' && w.age_s !== null && w.age_s >= 0 && w.age_s <= w.ttl_s;
}

function hostConfig({ view }: RuleInput): Candidate[] {
  const h = view.host_config?.data;
  if (!h) return [];
  const base = { section: 'host_config', hint: 'F7' } as const;
  const out: Candidate[] = [];
  for (const p of h.planes) {
    if (p.state === 'failing')
      out.push({ ...base, code: 'host_config.failing', level: 'CRITICAL', subject: p.name, text: `host config failing: ${p.name}` });
    // Every normal change passes through here for some seconds, so it counts only when it lasts.
    if (p.state === 'retrying')
      out.push({
        ...base,
        code: 'host_config.retrying',
        level: 'DEGRADED',
        subject: p.name,
        text: `host config retrying: ${p.name}`,
        holdMs: MINUTE_MS,
        since: p.since ?? undefined,
      });
  }
  const failed = h.patches.filter((p) => !p.ok);
  for (const p of failed) {
    const text = `host config failing: patch:${p.id}`;
    out.push({ ...base, code: 'host_config.failing', level: 'CRITICAL', subject: `patch:${p.id}`, text });
  }
  if (h.last_reconcile_ok === false && out.length === 0)
    out.push({
      ...base,
      code: 'host_config.failing',
      level: 'CRITICAL',
      subject: 'patch:reconcile',
      text: 'host config failing: patch:reconcile',
    });
  return out;
}

function identity({ view }: RuleInput): Candidate[] {
  return (view.identity?.data?.config_errors ?? []).map((text) => ({
    code: 'identity.config',
    level: 'UNKNOWN',
    subject: text,
    text,
    section: 'identity',
    hint: null,
  }));
}

function clock({ view }: RuleInput): Candidate[] {
  if (view.time?.data?.synced !== false) return [];
  return [
    {
      code: 'time.unsynced',
      level: 'DEGRADED',
      subject: null,
      text: 'clock not synchronised',
      section: 'time',
      hint: null,
      holdMs: 15 * MINUTE_MS,
    },
  ];
}

function certs({ view }: RuleInput): Candidate[] {
  return (view.certs?.data ?? []).flatMap((c): Candidate[] => {
    const base = { subject: c.name, section: 'certs', hint: 'F7' } as const;
    if (c.days_left === null) return [{ ...base, code: 'cert.unknown', level: 'UNKNOWN', text: `certificate ${c.name} cannot be read` }];
    if (c.days_left > CERT_WARN_DAYS) return [];
    if (c.days_left < 0)
      return [
        {
          ...base,
          code: 'cert.expired',
          level: c.severity === 'critical' ? 'CRITICAL' : 'DEGRADED',
          text: `certificate ${c.name} expired`,
          since: c.not_after ?? undefined,
        },
      ];
    const text = `certificate ${c.name} expires in ${Math.floor(c.days_left)} d`;
    return [{ ...base, code: 'cert.expiring', level: 'DEGRADED', text }];
  });
}

function upgrade({ view }: RuleInput): Candidate[] {
  const u = view.upgrade?.data;
  const isFailed = u?.state === 'failed' || (u?.state === 'idle' && u.recent_failures_1h >= MANY_FAILURES);
  if (!u || !isFailed) return [];
  const times = u.recent_failures_1h > 1 ? ` (${u.recent_failures_1h}x)` : '';
  const text = `upgrade failed${times}${u.error ? `: ${u.error}` : ''}`;
  return [{ code: 'upgrade.failed', level: 'DEGRADED', subject: u.target_slot, text, section: 'upgrade', hint: 'F7' }];
}

export const HOST_RULES: readonly Rule[] = [
  psi,
  memory,
  firstBoot,
  slots,
  power,
  supervisor,
  network,
  firewall,
  hostConfig,
  clock,
  identity,
  certs,
  upgrade,
];
