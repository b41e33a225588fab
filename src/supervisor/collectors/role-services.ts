/** The services that this box was given by its fleet, and whether their pods run here. */
import type { SectionData } from '#model/status.ts';
import { type HostView, parseKeyValues } from '#system/observe.ts';
import type { Objects } from '../kube/cluster.ts';
import { type KubePod, podFacts } from '../kube/pod-facts.ts';
import { AGENT_DIR } from './fleet.ts';

const ROLES_FILE = `${AGENT_DIR}/role-compose.env`;

/** A profile whose service has another name. */
const SERVICE_OF: Readonly<Record<string, string>> = { dhcp: 'dhcp-kea' };

type Service = SectionData['supervisor']['role_services'][number];

/** Profiles the agent wrote down; null when it wrote nothing. */
export async function assignedRoles(host: HostView): Promise<string[] | null> {
  const text = await host.text(ROLES_FILE).catch(() => null);
  if (text === null) return null;
  const words = parseKeyValues(text).get('COMPOSE_PROFILES') ?? '';
  return words.split(',').flatMap((w) => (w.trim() === '' ? [] : [w.trim()]));
}

/** State of one service from the pods of its component on this node. */
export function serviceOf(name: string, pods: readonly KubePod[], node: string, nowMs: number): Service {
  const own = pods.filter((p) => p.metadata?.labels?.['app.kubernetes.io/component'] === name && p.spec?.nodeName === node);
  const facts = own.map((p) => podFacts(p, nowMs, { restarts1h: null }));
  const bad = facts.find((f) => f.severity === 'critical' || f.severity === 'warning');
  const starting = facts.find((f) => f.severity === 'pending' || f.ready < f.total);
  const worst = bad ?? starting ?? facts[0];
  return {
    name,
    state: worst === undefined ? 'missing' : bad ? 'unhealthy' : starting ? 'starting' : 'healthy',
    since: null,
    restarts: worst?.restarts ?? null,
    message: bad || starting ? (worst?.state_reason ?? worst?.state ?? null) : null,
  };
}

/** Empty while the pods are not known: then nothing can be said about any. */
export function roleServices(roles: readonly string[] | null, pods: Objects<KubePod>, node: string, nowMs: number): Service[] {
  if (pods.state !== 'known') return [];
  return (roles ?? []).map((role) => serviceOf(SERVICE_OF[role] ?? role, pods.items, node, nowMs));
}
