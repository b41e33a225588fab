/** The web-UI self-check that a host timer writes: would a new connection from outside get in? */
import type { SectionData } from '#model/status.ts';
import type { HostView } from '#system/observe.ts';
import { type Collector, notApplicable, ok } from '../collector.ts';

const SELF_CHECK = '/run/spatiumddi/webui-selfcheck.json';
const DEFAULT_TTL_S = 900;
const STATES = ['open', 'scoped', 'blocked', 'indeterminate'] as const;

type Webui = SectionData['firewall']['webui'];

const NEVER: Webui = {
  status: 'never',
  detail: null,
  ports: {},
  checked_at: null,
  age_s: null,
  ttl_s: DEFAULT_TTL_S,
  consecutive_indeterminate: 0,
};

/** Anything malformed counts as never checked. */
export function parseSelfCheck(text: string | null, nowMs: number): Webui {
  if (text === null) return NEVER;
  let v: unknown;
  try {
    v = JSON.parse(text);
  } catch {
    return NEVER;
  }
  if (typeof v !== 'object' || v === null) return NEVER;
  const r = v as Record<string, unknown>;
  const status = STATES.find((s) => s === r['status']);
  const checkedAt = typeof r['checked_at'] === 'number' && Number.isFinite(r['checked_at']) ? r['checked_at'] : null;
  if (!status || checkedAt === null) return NEVER;
  const ttl = typeof r['ttl_s'] === 'number' && r['ttl_s'] > 0 ? r['ttl_s'] : DEFAULT_TTL_S;
  const ports = typeof r['ports'] === 'object' && r['ports'] !== null ? Object.entries(r['ports']) : [];
  return {
    status,
    detail: typeof r['detail'] === 'string' ? r['detail'] : null,
    ports: Object.fromEntries(ports.map(([k, p]) => [k, String(p)])),
    checked_at: new Date(checkedAt * 1000).toISOString(),
    age_s: Math.round(nowMs / 1000 - checkedAt),
    ttl_s: ttl,
    consecutive_indeterminate: typeof r['consecutive_indeterminate'] === 'number' ? Math.trunc(r['consecutive_indeterminate']) : 0,
  };
}

export function firewallCollector(host: HostView, wallMs: () => number): Collector<'firewall'> {
  return {
    name: 'firewall',
    periodMs: 5000,
    timeLimitMs: 2000,
    ttlMs: 15_000,
    source: SELF_CHECK,
    async collect() {
      const webui = parseSelfCheck(await host.text(SELF_CHECK), wallMs());
      if (webui.status === 'never') return notApplicable;
      return ok({
        webui,
        apply: { status: 'unknown', reason: null, hash: null, at: null },
        drift: null,
        ssh_scoped: null,
        web_scoped: null,
        lockout_risk: 'unknown',
      });
    },
  };
}
