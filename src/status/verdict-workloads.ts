/** Verdict rules about the product itself on its cluster: API, database, load balancer. */
import { type Candidate, FLAP_MS, type Rule, type RuleInput } from './verdict-rule.ts';

const MINUTE_MS = 60_000;
const base = { subject: null, hint: 'F7' } as const;

/** Replicas that are a minute behind, and connections nearly used up, for minutes and not for a moment. */
const LAG_S = 60;
const CONNECTIONS_SHARE = 0.9;

function api({ view }: RuleInput): Candidate[] {
  const a = view.api?.data;
  const at = { ...base, level: 'DEGRADED', section: 'api', clearMs: FLAP_MS } as const;
  if (!a?.present) return [];
  if (a.ready === 'unreachable' || view.api?.freshness === 'unavailable')
    return [{ ...at, code: 'api.unreachable', text: 'api unreachable' }];
  return a.ready === 'degraded' ? [{ ...at, code: 'api.degraded', text: 'api degraded' }] : [];
}

function platform({ view }: RuleInput): Candidate[] {
  const failing = (view.platform?.data?.checks ?? []).filter((c) => c.state === 'failing');
  if (failing.length === 0) return [];
  const text = `api: ${failing.map((c) => c.name).join(', ')} down`;
  return [{ ...base, code: 'platform.failing', level: 'DEGRADED', text, section: 'platform', clearMs: FLAP_MS }];
}

function postgres({ view }: RuleInput): Candidate[] {
  const p = view.postgres?.data;
  if (!p?.present) return [];
  const at = { ...base, level: 'DEGRADED', section: 'postgres' } as const;
  const out: Candidate[] = [];
  // A switch of the primary takes seconds.
  if (p.primary_pod === null)
    out.push({ ...at, code: 'postgres.no_primary', text: 'database has no primary', holdMs: MINUTE_MS, clearMs: FLAP_MS });
  if ((p.backends_waiting ?? 0) > 0)
    out.push({ ...at, code: 'postgres.waiting', text: 'database: connections wait for locks', holdMs: 5 * MINUTE_MS });
  if ((p.replica_lag_s ?? 0) >= LAG_S)
    out.push({ ...at, code: 'postgres.lag', text: 'database: a replica is more than a minute behind', holdMs: 5 * MINUTE_MS });
  const used = (p.backends_active ?? 0) + (p.backends_idle ?? 0);
  if (p.max_connections !== null && used >= CONNECTIONS_SHARE * p.max_connections)
    out.push({
      ...at,
      code: 'postgres.connections',
      text: `database: ${used} of ${p.max_connections} connections used`,
      holdMs: 2 * MINUTE_MS,
    });
  return out;
}

function loadbalancer({ view }: RuleInput): Candidate[] {
  const lb = view.loadbalancer?.data;
  if (!lb?.vip_assigned) return [];
  // A new version goes from speaker to speaker.
  const at = { ...base, level: 'DEGRADED', section: 'loadbalancer', holdMs: MINUTE_MS, clearMs: FLAP_MS } as const;
  const out: Candidate[] = [];
  if (lb.speakers_total !== null && lb.speakers_ready !== null && lb.speakers_ready < lb.speakers_total) {
    const down = lb.speakers_total - lb.speakers_ready;
    out.push({ ...at, code: 'lb.speakers', text: `metallb ${down}/${lb.speakers_total} speaker down` });
  }
  if (lb.vip_reachable === false) out.push({ ...at, code: 'lb.vip', text: 'virtual address does not answer' });
  return out;
}

export const WORKLOAD_RULES: readonly Rule[] = [api, platform, postgres, loadbalancer];
