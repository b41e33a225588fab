/** The product's pods on this node, followed for the log of the box: new ones are taken up, a stream that ends is opened again where it was. */
import type { LogRing } from '#status/log-ring.ts';
import { plainText } from '#status/sanitise.ts';
import { NAMESPACE } from '../collectors/application.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { KubePod } from '../kube/pod-facts.ts';
import { readAppLine } from './app-line.ts';

const LOOK_MS = 5_000;
/** Connections to the API that this may take. */
const MAX_STREAMS = 32;
const RETRY_MIN_MS = 5_000;
const RETRY_MAX_MS = 120_000;
/** Lines of before we came; the rest of them is a key away on the page of the pod. */
const TAIL_LINES = 4;
/** As the kubelet writes it: always nine digits, so that texts compare as times. */
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z/;

interface Stream {
  readonly key: string;
  readonly path: string;
  readonly unit: string;
  /** null: it has ended and waits for its next try. */
  open: { stop(): void } | null;
  lastAt: string | null;
  delayMs: number;
  dueMs: number;
}

/** Containers that have a log now, with the name that a person knows them by. */
export function logsOf(pods: readonly KubePod[], node: string): { readonly key: string; readonly path: string; readonly unit: string }[] {
  return pods.flatMap((p) => {
    const { name, namespace, labels } = p.metadata ?? {};
    if (name === undefined || namespace !== NAMESPACE || p.spec?.nodeName !== node) return [];
    const component = labels?.['app.kubernetes.io/component'] ?? labels?.['app.kubernetes.io/name'] ?? name;
    const running = (p.status?.containerStatuses ?? []).filter((c) => c.state?.running && c.name !== undefined);
    return running.map((c) => {
      const path = `/api/v1/namespaces/${NAMESPACE}/pods/${encodeURIComponent(name)}/log?container=${encodeURIComponent(c.name ?? '')}`;
      // A container that was started again has a new log.
      return { key: `${name}/${c.name}/${c.restartCount ?? 0}`, path, unit: plainText(component) };
    });
  });
}

export interface AppLogOptions {
  readonly cluster: Pick<Cluster, 'connection' | 'pods'>;
  readonly ring: LogRing;
  readonly node: () => Promise<string>;
  readonly now: () => string;
  readonly monoMs: () => number;
  readonly lookMs?: number;
}

export class AppLog {
  readonly #options: AppLogOptions;
  readonly #streams = new Map<string, Stream>();
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(options: AppLogOptions) {
    this.#options = options;
  }

  /** Looks now, and then every few seconds. */
  async start(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    await this.#look().catch(() => undefined);
    if (!this.#stopped) this.#timer = setTimeout(() => void this.start(), this.#options.lookMs ?? LOOK_MS);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    for (const s of this.#streams.values()) s.open?.stop();
    this.#streams.clear();
  }

  async #look(): Promise<void> {
    const pods = this.#options.cluster.pods();
    if (pods.state === 'absent') return this.#keepOnly(new Set());
    // While the API does not answer, what is open stays open.
    if (pods.state !== 'known') return;
    const node = await this.#options.node();
    if (this.#stopped) return;
    const wanted = logsOf(pods.items, node);
    this.#keepOnly(new Set(wanted.map((w) => w.key)));
    for (const w of wanted) {
      const known = this.#streams.get(w.key);
      if (known === undefined && this.#streams.size >= MAX_STREAMS) continue;
      const stream = known ?? { ...w, open: null, lastAt: null, delayMs: RETRY_MIN_MS, dueMs: 0 };
      this.#streams.set(w.key, stream);
      if (stream.open === null && this.#options.monoMs() >= stream.dueMs) this.#follow(stream);
    }
  }

  #keepOnly(keys: ReadonlySet<string>): void {
    for (const [key, stream] of this.#streams) {
      if (keys.has(key)) continue;
      this.#streams.delete(key);
      stream.open?.stop();
    }
  }

  #follow(stream: Stream): void {
    const reach = this.#options.cluster.connection();
    if (!reach.ok) return;
    const from = stream.lastAt === null ? `tailLines=${TAIL_LINES}` : `sinceTime=${encodeURIComponent(stream.lastAt)}`;
    const shownAt = stream.lastAt;
    let ended = false;
    const open = reach.api.lines(
      `${stream.path}&follow=true&timestamps=true&${from}`,
      (line) => this.#take(stream, line, shownAt),
      () => {
        ended = true;
        stream.open = null;
        stream.dueMs = this.#options.monoMs() + stream.delayMs;
        stream.delayMs = Math.min(RETRY_MAX_MS, stream.delayMs * 2);
      },
    );
    if (!ended) stream.open = open;
  }

  #take(stream: Stream, raw: string, shownAt: string | null): void {
    stream.delayMs = RETRY_MIN_MS;
    const time = TIME.exec(raw)?.[0];
    // `sinceTime` counts whole seconds, so a stream that is opened again begins with lines that were shown.
    if (time !== undefined && shownAt !== null && time <= shownAt) return;
    stream.lastAt = time ?? stream.lastAt;
    const line = readAppLine(raw);
    if (line) this.#options.ring.add({ at: line.at ?? this.#options.now(), src: 'app', unit: stream.unit, sev: line.sev, text: line.text });
  }
}
