/** What pods and nodes use: the metrics API of the cluster, or this node's kubelet where that is not installed. */
import { type Collector, notApplicable, ok } from '#status/collector.ts';
import type { Cluster } from '../kube/cluster.ts';
import { fromKubelet, fromMetricsApi, type Measured, type NodeUsage, nodeIndex, usageData } from '../kube/usage-facts.ts';

const METRICS = '/apis/metrics.k8s.io/v1beta1';
const ASK_MS = 4000;
/** The API answers these where no metrics server is installed or running. */
const NO_METRICS_SERVER = new Set([404, 503]);

export interface UsageCollector extends Collector<'usage'> {
  /** What was measured last for a node; null when that is not known. */
  ofNode(name: string): NodeUsage | null;
}

export function usageCollector(cluster: Cluster, hostname: () => Promise<string>): UsageCollector {
  let last: Measured | null = null;

  const measure = async (local: string): Promise<Measured | null> => {
    const [pods, nodes] = await Promise.all([cluster.ask(`${METRICS}/pods`, ASK_MS), cluster.ask(`${METRICS}/nodes`, ASK_MS)]);
    if (pods === null || nodes === null) return null;
    const watched = cluster.pods();
    if (pods.status === 200 && nodes.status === 200)
      return fromMetricsApi(pods.body, nodes.body, nodeIndex(watched.state === 'known' ? watched.items : []));
    if (!NO_METRICS_SERVER.has(pods.status)) throw new Error(`the metrics API answers ${pods.status}`);
    const summary = await cluster.ask(`/api/v1/nodes/${encodeURIComponent(local)}/proxy/stats/summary`, ASK_MS);
    if (summary?.status !== 200) throw new Error(`no metrics server, and the kubelet answers ${summary?.status ?? 'nothing'}`);
    return fromKubelet(summary.body);
  };

  return {
    name: 'usage',
    periodMs: 15_000,
    timeLimitMs: 10_000,
    ttlMs: 30_000,
    source: `k3s API, ${METRICS}`,
    async collect() {
      last = null;
      const local = await hostname();
      const measured = await measure(local);
      if (measured === null) return notApplicable;
      last = measured;
      const nodes = cluster.nodes();
      const node = nodes.state === 'known' ? (nodes.items.find((n) => n.metadata?.name === local) ?? null) : null;
      return ok(usageData(measured, local, node));
    },
    ofNode: (name) => last?.nodes.find((n) => n.name === name) ?? null,
  };
}
