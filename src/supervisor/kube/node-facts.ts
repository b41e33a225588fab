/** One node of the cluster as the console shows it. Pure. */
import type { ClusterNode } from '#model/status-cluster.ts';
import type { NodeUsage } from './usage-facts.ts';
import type { KubeMeta } from './watched.ts';

export interface KubeNode {
  readonly metadata?: KubeMeta;
  readonly spec?: { readonly unschedulable?: boolean };
  readonly status?: {
    readonly capacity?: Readonly<Record<string, string>>;
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
    readonly conditions?: readonly { readonly type?: string; readonly status?: string; readonly lastTransitionTime?: string }[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
  Ti: 1024 ** 4,
  Pi: 1024 ** 5,
};

/** A Kubernetes quantity: `3800m`, `8131556Ki`, `1e3`. null for anything else, never zero. */
export function quantity(text: string | undefined): number | null {
  const m = /^([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)([a-zA-Z]{0,2})$/.exec(text?.trim() ?? '');
  const factor = m ? FACTORS[m[2] ?? ''] : undefined;
  if (!m || factor === undefined) return null;
  // Dividing keeps 3800m at 3.8 exactly.
  return factor < 1 ? Number(m[1]) / Math.round(1 / factor) : Number(m[1]) * factor;
}

/** Conditions that are bad when true, in words for a narrow column. */
const PRESSURES: Readonly<Record<string, string>> = {
  MemoryPressure: 'memory pressure',
  DiskPressure: 'disk pressure',
  PIDPressure: 'PID pressure',
  NetworkUnavailable: 'network unavailable',
};
const ROLE_LABEL = 'node-role.kubernetes.io/';

export function nodeFacts(n: KubeNode, localName: string, podsCount: number | null, usage: NodeUsage | null = null): ClusterNode {
  const s = n.status ?? {};
  const ready = s.conditions?.find((c) => c.type === 'Ready');
  const pressures = (s.conditions ?? [])
    .filter((c) => c.status === 'True' && PRESSURES[c.type ?? ''])
    .map((c) => PRESSURES[c.type ?? ''] as string);
  const cordoned = n.spec?.unschedulable ?? false;
  const name = n.metadata?.name ?? '?';
  return {
    name,
    local: name === localName,
    ready: ready?.status === 'True' ? 'true' : ready?.status === 'False' ? 'false' : 'unknown',
    since: ready?.lastTransitionTime ?? null,
    roles: Object.keys(n.metadata?.labels ?? {})
      .filter((l) => l.startsWith(ROLE_LABEL))
      .map((l) => l.slice(ROLE_LABEL.length)),
    internal_ips: (s.addresses ?? []).filter((a) => a.type === 'InternalIP').map((a) => a.address ?? '?'),
    version: s.nodeInfo?.kubeletVersion ?? null,
    cordoned,
    conditions: [...(cordoned ? ['cordoned'] : []), ...pressures],
    pods_count: podsCount,
    capacity_cpu_cores: quantity(s.capacity?.['cpu']),
    capacity_mem_bytes: quantity(s.capacity?.['memory']),
    allocatable_cpu_cores: quantity(s.allocatable?.['cpu']),
    allocatable_mem_bytes: quantity(s.allocatable?.['memory']),
    usage_cpu_cores: usage?.cpuCores ?? null,
    usage_mem_bytes: usage?.memBytes ?? null,
    psi_breach: null,
    created_at: n.metadata?.creationTimestamp ?? null,
  };
}
