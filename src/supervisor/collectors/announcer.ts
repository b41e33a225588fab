/** Which node answers for the virtual address: what MetalLB records of it, else what it last said in an event. */
import { isRecord, parseJson } from '#model/json.ts';
import type { Cluster, KubeEvent, KubeService } from '../kube/cluster.ts';
import { NAMESPACE } from './application.ts';

const PATH = '/apis/metallb.io/v1beta1/servicel2statuses';
const ASK_MS = 2000;

const textOf = (v: unknown): string | null => (typeof v === 'string' && v !== '' ? v : null);

/** The node in a list of MetalLB's layer 2 states, for the service; null when there is none or there are several. */
export function nodeInStates(body: string, namespace: string, service: string): string | null {
  const v = parseJson(body);
  const items = isRecord(v) && Array.isArray(v['items']) ? v['items'].filter(isRecord) : [];
  const nodes = items.flatMap((i) => {
    const s = i['status'];
    return isRecord(s) && s['serviceName'] === service && s['serviceNamespace'] === namespace ? [textOf(s['node'])] : [];
  });
  return nodes.length === 1 ? (nodes[0] ?? null) : null;
}

/** The newest `nodeAssigned` of the service; events last an hour. */
export function nodeInEvents(events: readonly KubeEvent[], namespace: string, service: string): string | null {
  const own = events.filter(
    (e) =>
      e.reason === 'nodeAssigned' &&
      e.involvedObject?.kind === 'Service' &&
      e.involvedObject.name === service &&
      e.involvedObject.namespace === namespace,
  );
  const at = (e: KubeEvent): string => e.lastTimestamp ?? e.eventTime ?? '';
  const newest = own.reduce<KubeEvent | null>((best, e) => (best === null || at(e) > at(best) ? e : best), null);
  return /announcing from node "([^"]+)"/.exec(newest?.message ?? '')?.[1] ?? null;
}

export const isFrontend = (s: KubeService): boolean =>
  s.metadata?.namespace === NAMESPACE && s.metadata.labels?.['app.kubernetes.io/component'] === 'frontend';

/** Keeps what was found last, since an event is gone after an hour; not for a node that is gone. */
export class Announcer {
  readonly #cluster: Cluster;
  #node: string | null = null;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** null: not known. */
  get node(): string | null {
    return this.#node;
  }

  async look(): Promise<void> {
    const [services, events, nodes] = [this.#cluster.services(), this.#cluster.events(), this.#cluster.nodes()];
    const service = services.state === 'known' ? services.items.find((s) => isFrontend(s) && s.status?.loadBalancer?.ingress) : undefined;
    const name = service?.metadata?.name;
    if (name === undefined) {
      this.#node = null;
      return;
    }
    const reply = await this.#cluster.ask(PATH, ASK_MS).catch(() => null);
    const recorded = reply?.status === 200 ? nodeInStates(reply.body, NAMESPACE, name) : null;
    const said = events.state === 'known' ? nodeInEvents(events.items, NAMESPACE, name) : null;
    this.#node = recorded ?? said ?? this.#node;
    const isGone = nodes.state === 'known' && !nodes.items.some((n) => n.metadata?.name === this.#node);
    if (isGone) this.#node = null;
  }
}
