/** Sections made from what the cluster's watches hold. They ask nothing themselves. */

import type { SectionData } from '#model/status.ts';
import type { Pod } from '#model/status-cluster.ts';
import { type Collector, notApplicable, ok } from '#status/collector.ts';
import { plainText } from '#status/sanitise.ts';
import type { Observation } from '#status/store.ts';
import type { Cluster, KubeEvent, Objects } from '../kube/cluster.ts';
import { nodeFacts } from '../kube/node-facts.ts';
import { type KubePod, podFacts, restartsOf } from '../kube/pod-facts.ts';
import { RestartHistory } from '../kube/restart-history.ts';
import type { NodeUsage } from '../kube/usage-facts.ts';

const MAX_PODS = 500;
const MAX_EVENTS = 20;

function observed<T, D>(objects: Objects<T>, make: (items: readonly T[]) => D): Observation<D> {
  switch (objects.state) {
    case 'absent':
      return notApplicable;
    case 'failed':
      return { state: 'unavailable', code: 'k3s', msg: objects.why };
    case 'known':
      return ok(make(objects.items));
  }
}

const RANK: Readonly<Record<Pod['severity'], number>> = { critical: 0, pending: 1, warning: 2, ok: 3 };

/** Worst first, so that a short list shows what matters. */
export const byUrgency = (a: Pod, b: Pod): number => RANK[a.severity] - RANK[b.severity] || a.short.localeCompare(b.short);

export function podsData(list: readonly Pod[]): SectionData['pods'] {
  const live = list.filter((p) => p.state !== 'Succeeded' && p.state !== 'Completed');
  const sorted = [...live].sort(byUrgency);
  return {
    list: sorted.slice(0, MAX_PODS),
    counts: {
      total: list.length,
      ready: live.filter((p) => p.total > 0 && p.ready === p.total).length,
      pending: live.filter((p) => p.severity === 'pending').length,
      failed: live.filter((p) => p.severity === 'critical').length,
      succeeded: list.length - live.length,
    },
    complete: true,
    truncated_count: Math.max(0, sorted.length - MAX_PODS),
  };
}

/** `wallMs` for ages of what the API dates, `monoMs` for what is counted here. */
export function podsCollector(cluster: Cluster, wallMs: () => number, monoMs: () => number = wallMs): Collector<'pods'> {
  const history = new RestartHistory();
  const keyOf = (p: KubePod): string => `${p.metadata?.namespace ?? 'default'}/${p.metadata?.name ?? '?'}`;
  return {
    name: 'pods',
    periodMs: 2000,
    timeLimitMs: 2000,
    ttlMs: 5000,
    source: 'k3s API, watch of pods',
    collect: async () =>
      observed(cluster.pods(), (pods) => {
        const nowMs = monoMs();
        history.update(
          pods.map((p) => ({ key: keyOf(p), restarts: restartsOf(p) })),
          nowMs,
        );
        return podsData(
          pods.map((p) => {
            const key = keyOf(p);
            return podFacts(p, wallMs(), { restarts1h: history.lastHour(key, nowMs), watchedMs: history.watchedMs(key, nowMs) });
          }),
        );
      }),
  };
}

export function nodesCollector(
  cluster: Cluster,
  hostname: () => Promise<string>,
  usageOf: (node: string) => NodeUsage | null = () => null,
): Collector<'nodes'> {
  return {
    name: 'nodes',
    periodMs: 2000,
    timeLimitMs: 2000,
    ttlMs: 10_000,
    source: 'k3s API, watch of nodes',
    async collect() {
      const local = await hostname();
      const pods = cluster.pods();
      const countOn = (node: string): number | null =>
        pods.state === 'known' ? pods.items.filter((p) => p.spec?.nodeName === node).length : null;
      return observed(cluster.nodes(), (nodes) => ({
        list: nodes.map((n) => {
          const name = n.metadata?.name ?? '';
          return nodeFacts(n, local, countOn(name), usageOf(name));
        }),
        complete: true,
        expected_count: null,
      }));
    },
  };
}

const atOf = (e: KubeEvent): string | null => e.lastTimestamp ?? e.eventTime ?? e.metadata?.creationTimestamp ?? null;

export function eventsCollector(cluster: Cluster): Collector<'events'> {
  return {
    name: 'events',
    periodMs: 5000,
    timeLimitMs: 2000,
    ttlMs: 15_000,
    source: 'k3s API, watch of events',
    collect: async () =>
      observed(cluster.events(), (events) => ({
        recent: events
          .filter((e) => e.type === 'Warning')
          .sort((a, b) => (atOf(b) ?? '').localeCompare(atOf(a) ?? ''))
          .slice(0, MAX_EVENTS)
          .map((e) => ({
            at: atOf(e),
            type: e.type ?? 'Warning',
            reason: e.reason ?? '?',
            object: `${e.involvedObject?.kind ?? '?'}/${e.involvedObject?.name ?? '?'}`,
            ns: e.involvedObject?.namespace ?? null,
            count: e.count ?? null,
            text: plainText(e.message ?? ''),
          })),
        complete: true,
      })),
  };
}
