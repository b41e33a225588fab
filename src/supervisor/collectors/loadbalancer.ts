/** MetalLB: are all its speakers ready, is there a virtual address, and does it answer. */
import type { SectionData } from '#model/status.ts';
import { type Collector, notApplicable, ok } from '#status/collector.ts';
import type { Cluster, KubeService } from '../kube/cluster.ts';
import type { KubeNode } from '../kube/node-facts.ts';
import type { KubePod } from '../kube/pod-facts.ts';
import { type Announcer, isFrontend } from './announcer.ts';
import { connectTime } from './fleet.ts';

const METALLB = 'metallb-system';
const CONNECT_MS = 1500;
const HTTPS = 443;

type Vip = NonNullable<SectionData['network']['vip']>;

/** Addresses that k3s's own load balancer hands out are those of the nodes: not virtual. */
function nodeAddresses(nodes: readonly KubeNode[]): ReadonlySet<string> {
  return new Set(nodes.flatMap((n) => (n.status?.addresses ?? []).map((a) => a.address ?? '')));
}

/** The virtual addresses of the web UI; null when it has none. */
function vipOf(services: readonly KubeService[], nodes: readonly KubeNode[], announcing: string | null = null): Vip | null {
  const own = nodeAddresses(nodes);
  const ips = services
    .filter(isFrontend)
    .flatMap((s) => s.status?.loadBalancer?.ingress ?? [])
    .map((i) => i.ip)
    .filter((ip): ip is string => ip !== undefined && !own.has(ip));
  if (ips.length === 0) return null;
  return { v4: ips.find((ip) => !ip.includes(':')) ?? null, v6: ips.find((ip) => ip.includes(':')) ?? null, announcing_node: announcing };
}

/** The same from what the cluster's watches hold now. */
export function clusterVip(cluster: Cluster, announcing: string | null = null): Vip | null {
  const [services, nodes] = [cluster.services(), cluster.nodes()];
  return services.state === 'known' && nodes.state === 'known' ? vipOf(services.items, nodes.items, announcing) : null;
}

const isReady = (p: KubePod): boolean => {
  const all = p.status?.containerStatuses ?? [];
  return all.length > 0 && all.every((c) => c.ready === true);
};

const speakersOf = (pods: readonly KubePod[]): KubePod[] =>
  pods.filter(
    (p) => p.metadata?.namespace === METALLB && /(^|-)speaker-/.test(p.metadata.name ?? '') && p.metadata.deletionTimestamp === undefined,
  );

/** `connect` gives milliseconds, or null when nothing answered. */
export function loadbalancerCollector(
  cluster: Cluster,
  announcer: Announcer,
  connect: typeof connectTime = connectTime,
): Collector<'loadbalancer'> {
  return {
    name: 'loadbalancer',
    periodMs: 10_000,
    timeLimitMs: 4000,
    ttlMs: 20_000,
    source: 'k3s API, watches of pods and services; TCP connect to the virtual address',
    async collect() {
      const [pods, services] = [cluster.pods(), cluster.services()];
      if (pods.state === 'absent' || services.state === 'absent') return notApplicable;
      if (pods.state === 'failed') return { state: 'unavailable', code: 'k3s', msg: pods.why };
      if (services.state === 'failed') return { state: 'unavailable', code: 'k3s', msg: services.why };
      const isPresent = pods.items.some((p) => p.metadata?.namespace === METALLB);
      const vip = clusterVip(cluster);
      if (!isPresent && vip === null) return notApplicable;
      if (isPresent) await announcer.look();
      const speakers = speakersOf(pods.items);
      const address = vip?.v4 ?? vip?.v6 ?? null;
      return ok({
        metallb_present: isPresent,
        speakers_ready: isPresent ? speakers.filter(isReady).length : null,
        speakers_total: isPresent ? speakers.length : null,
        vip_assigned: vip !== null,
        vip_reachable: address === null ? null : (await connect(address, HTTPS, CONNECT_MS)) !== null,
      });
    },
  };
}
