/** CPU and memory of pods and nodes, from the metrics API or from one kubelet's own summary. Pure. */
import type { SectionData } from '#model/status.ts';
import { type KubeNode, quantity } from './node-facts.ts';
import type { KubePod } from './pod-facts.ts';

type Usage = SectionData['usage'];
type PodUsage = Usage['pods'][number];

/** Pods that are sent, by CPU. */
const TOP_PODS = 50;

/** What one node uses, in cores and bytes; `fsPct` of its root file system. */
export interface NodeUsage {
  readonly name: string;
  readonly cpuCores: number | null;
  readonly memBytes: number | null;
  readonly fsPct: number | null;
}

export interface Measured {
  readonly pods: readonly PodUsage[];
  readonly nodes: readonly NodeUsage[];
  readonly source: NonNullable<Usage['source']>;
}

interface Metadata {
  readonly name?: string;
  readonly namespace?: string;
}
interface Amounts {
  readonly cpu?: string;
  readonly memory?: string;
}
interface List<T> {
  readonly items?: readonly T[];
}

/** Sum of what is known; null when nothing is. */
function total(values: readonly (number | null)[]): number | null {
  const known = values.filter((v): v is number => v !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}

/** Documents of `metrics.k8s.io/v1beta1`: PodMetricsList and NodeMetricsList. */
export function fromMetricsApi(podList: string, nodeList: string, nodeOf: (ns: string, name: string) => string | null): Measured {
  const pods = JSON.parse(podList) as List<{ metadata?: Metadata; containers?: readonly { usage?: Amounts }[] }>;
  const nodes = JSON.parse(nodeList) as List<{ metadata?: Metadata; usage?: Amounts }>;
  return {
    source: 'metrics',
    pods: (pods.items ?? []).map((p) => {
      const [ns, name] = [p.metadata?.namespace ?? 'default', p.metadata?.name ?? '?'];
      const used = (p.containers ?? []).map((c) => c.usage);
      return {
        ns,
        name,
        node: nodeOf(ns, name),
        cpu_cores: total(used.map((u) => quantity(u?.cpu))),
        mem_bytes: total(used.map((u) => quantity(u?.memory))),
      };
    }),
    nodes: (nodes.items ?? []).map((n) => ({
      name: n.metadata?.name ?? '?',
      cpuCores: quantity(n.usage?.cpu),
      memBytes: quantity(n.usage?.memory),
      fsPct: null,
    })),
  };
}

interface KubeletSummary {
  readonly node?: { readonly nodeName?: string; readonly fs?: { readonly usedBytes?: number; readonly capacityBytes?: number } } & Counters;
  readonly pods?: readonly ({ readonly podRef?: Metadata } & Counters)[];
}
interface Counters {
  readonly cpu?: { readonly usageNanoCores?: number };
  readonly memory?: { readonly workingSetBytes?: number };
}

const cores = (c: Counters | undefined): number | null => (c?.cpu?.usageNanoCores === undefined ? null : c.cpu.usageNanoCores / 1e9);
const bytes = (c: Counters | undefined): number | null => c?.memory?.workingSetBytes ?? null;
const share = (used: number | null | undefined, of: number | null | undefined): number | null =>
  typeof used === 'number' && typeof of === 'number' && of > 0 ? Math.round((1000 * used) / of) / 10 : null;

/** `stats/summary` of one kubelet: this node's pods only. A counter that is missing is not zero. */
export function fromKubelet(summary: string): Measured {
  const s = JSON.parse(summary) as KubeletSummary;
  const node = s.node?.nodeName ?? '?';
  return {
    source: 'kubelet_proxy',
    pods: (s.pods ?? []).map((p) => ({
      ns: p.podRef?.namespace ?? 'default',
      name: p.podRef?.name ?? '?',
      node,
      cpu_cores: cores(p),
      mem_bytes: bytes(p),
    })),
    nodes: [
      { name: node, cpuCores: cores(s.node), memBytes: bytes(s.node), fsPct: share(s.node?.fs?.usedBytes, s.node?.fs?.capacityBytes) },
    ],
  };
}

const greatest = (values: readonly (number | null)[]): number | null =>
  values.reduce<number | null>((a, b) => (b === null || (a !== null && a >= b) ? a : b), null);

/** The section: the busiest pods, and how much of this node is used, of its whole capacity. */
export function usageData(m: Measured, local: string, localNode: KubeNode | null): Usage {
  const here = m.nodes.find((n) => n.name === local) ?? null;
  const capacity = localNode?.status?.capacity;
  const pods = [...m.pods].sort(
    (a, b) => (b.cpu_cores ?? -1) - (a.cpu_cores ?? -1) || (b.mem_bytes ?? -1) - (a.mem_bytes ?? -1) || a.name.localeCompare(b.name),
  );
  return {
    pods: pods.slice(0, TOP_PODS),
    node_cpu_pct: share(here?.cpuCores, quantity(capacity?.['cpu'])),
    node_mem_pct: share(here?.memBytes, quantity(capacity?.['memory'])),
    node_fs_pct: here?.fsPct ?? null,
    source: m.source,
    max_cpu_cores: greatest(m.pods.map((p) => p.cpu_cores)),
    max_mem_bytes: greatest(m.pods.map((p) => p.mem_bytes)),
  };
}

/** Node of a pod, from the watched pods. */
export function nodeIndex(pods: readonly KubePod[]): (ns: string, name: string) => string | null {
  const at = new Map(pods.map((p) => [`${p.metadata?.namespace}/${p.metadata?.name}`, p.spec?.nodeName ?? null]));
  return (ns, name) => at.get(`${ns}/${name}`) ?? null;
}
