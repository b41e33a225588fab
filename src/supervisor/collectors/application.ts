/** The product's own API on this cluster: is it ready, what does it depend on, how busy is it. One readiness answer feeds two sections. */
import { isRecord, parseJson } from '#model/json.ts';
import { Secret } from '#model/secret.ts';
import type { SectionData } from '#model/status.ts';
import { type Collector, notApplicable, ok } from '#status/collector.ts';
import { plainText } from '#status/sanitise.ts';
import type { Clock, Observation } from '#status/store.ts';
import { type AskText, httpBase, type TextReply } from '../http-text.ts';
import type { Cluster, KubeService } from '../kube/cluster.ts';
import { metric, Rate } from '../kube/metrics.ts';
import { shared } from '../shared.ts';

export const NAMESPACE = 'spatium';
const ASK_MS = 3000;
const PERIOD_MS = 5000;
const DEFAULT_PORT = 8000;
/** A token that the API refuses is looked up again, but not at every poll. */
const TOKEN_AGAIN_MS = 60_000;
/** One answer that does not come is noise. */
const FAILURES_BEFORE_DOWN = 2;
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets?labelSelector=app.kubernetes.io%2Fname%3Dspatiumddi`;

type Api = SectionData['api'];
type Check = SectionData['platform']['checks'][number];

const GOOD = new Set(['ok', 'up', 'true', 'ready', 'healthy']);

export interface ReadyDocument {
  readonly isOk: boolean;
  readonly checks: readonly Check[];
}

/** A check is a word, a truth value, or an object with a `status`. What cannot be understood is unknown, not failing. */
function checkOf(name: string, value: unknown): Check {
  const inner = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  const word = inner ? (inner['status'] ?? inner['ok']) : value;
  const text = typeof word === 'string' || typeof word === 'boolean' ? plainText(String(word)).trim() : '';
  const said = inner?.['detail'] ?? inner?.['error'];
  const detail = typeof said === 'string' ? plainText(said) : null;
  if (text === '' || text.toLowerCase() === 'unknown') return { name: plainText(name), state: 'unknown', detail };
  const isGood = GOOD.has(text.toLowerCase());
  return { name: plainText(name), state: isGood ? 'ok' : 'failing', detail: detail ?? (isGood ? null : text) };
}

/** `{"status": …, "checks": {name: …}}` with any HTTP status: 503 carries the reason. null for anything else. */
export function parseReady(body: string): ReadyDocument | null {
  const v = parseJson(body);
  if (!isRecord(v)) return null;
  const { status, checks } = v;
  const list = isRecord(checks) ? Object.entries(checks) : [];
  if (typeof status !== 'string' && list.length === 0) return null;
  const parsed = list.map(([name, value]) => checkOf(name, value));
  const isOk = typeof status === 'string' ? GOOD.has(status.toLowerCase()) : parsed.every((c) => c.state !== 'failing');
  return { isOk, checks: parsed };
}

/** Where the API listens inside the cluster; null when there is no such service. */
function apiBase(services: readonly KubeService[]): string | null {
  const service = services.find((s) => s.metadata?.namespace === NAMESPACE && s.metadata.labels?.['app.kubernetes.io/component'] === 'api');
  const ip = service?.spec?.clusterIP;
  if (!ip || ip === 'None') return null;
  const ports = service.spec?.ports ?? [];
  return httpBase(ip, (ports.find((p) => p.name === 'http') ?? ports[0])?.port ?? DEFAULT_PORT);
}

/** The bearer token for the metrics, from the release's secret; asked for again when it was refused. */
class MetricsToken {
  readonly #cluster: Cluster;
  readonly #monoMs: () => number;
  #token: Secret | null = null;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(cluster: Cluster, monoMs: () => number) {
    this.#cluster = cluster;
    this.#monoMs = monoMs;
  }

  get current(): Secret | null {
    return this.#token;
  }

  /** True when there is another token than before. */
  async renew(): Promise<boolean> {
    if (this.#monoMs() - this.#askedMs < TOKEN_AGAIN_MS) return false;
    this.#askedMs = this.#monoMs();
    const reply = await this.#cluster.ask(SECRETS, ASK_MS).catch(() => null);
    if (reply?.status !== 200) return false;
    const list = JSON.parse(reply.body) as { items?: readonly { data?: Readonly<Record<string, string>> }[] };
    const found = list.items?.map((i) => i.data?.['metrics-token']).find((t) => t !== undefined);
    const text = found === undefined ? '' : Buffer.from(found, 'base64').toString('utf8').trim();
    if (text === '' || text === this.#token?.reveal()) return false;
    this.#token = new Secret(text);
    return true;
  }
}

type Metrics = Pick<Api, 'requests_per_s' | 'active' | 'total' | 'metrics_status'>;

async function readMetrics(base: string, ask: AskText, token: MetricsToken): Promise<TextReply | null> {
  const once = (): Promise<TextReply | null> => ask(`${base}/metrics`, { timeoutMs: ASK_MS, bearer: token.current }).catch(() => null);
  const reply = await once();
  return (reply?.status === 401 || reply?.status === 403) && (await token.renew()) ? once() : reply;
}

type Ready = Pick<Api, 'ready' | 'ready_http_status'>;

/** What the answers of the readiness endpoint say, one that is missing among others forgiven. */
class Readiness {
  #failures = 0;
  #last: Ready = { ready: 'unknown', ready_http_status: null };

  after(reply: TextReply | null): Ready {
    this.#failures = reply === null ? this.#failures + 1 : 0;
    if (reply !== null) {
      const document = parseReady(reply.body);
      const isOk = document === null ? reply.status === 200 : document.isOk && reply.status < 400;
      this.#last = { ready: isOk ? 'ok' : 'degraded', ready_http_status: reply.status };
    } else if (this.#failures >= FAILURES_BEFORE_DOWN) this.#last = { ready: 'unreachable', ready_http_status: null };
    return this.#last;
  }
}

export interface ApplicationPorts {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly ask: AskText;
}

/** Sections `api` and `platform`. */
export function applicationCollectors({ cluster, clock, ask }: ApplicationPorts): readonly [Collector<'api'>, Collector<'platform'>] {
  const rate = new Rate();
  const token = new MetricsToken(cluster, clock.monoMs);
  const readiness = new Readiness();

  const base = (): { readonly url: string | null } | Observation<never> => {
    const services = cluster.services();
    if (services.state === 'absent') return notApplicable;
    if (services.state === 'failed') return { state: 'unavailable', code: 'k3s', msg: services.why };
    return { url: apiBase(services.items) };
  };
  const askReady = shared(PERIOD_MS - 500, clock.monoMs, async (): Promise<TextReply | null> => {
    const at = base();
    return 'url' in at && at.url !== null ? ask(`${at.url}/health/ready`, { timeoutMs: ASK_MS }).catch(() => null) : null;
  });

  const metrics = (reply: TextReply | null): Metrics => {
    const isRead = reply?.status === 200;
    const total = isRead ? metric(reply.body, 'spatiumddi_api_requests_total') : null;
    return {
      requests_per_s: rate.add(total, clock.monoMs()),
      active: isRead ? metric(reply.body, 'spatiumddi_api_active_requests') : null,
      total,
      metrics_status: isRead ? 'ok' : reply?.status === 401 || reply?.status === 403 ? 'unauthorized' : 'unreachable',
    };
  };

  const common = { periodMs: PERIOD_MS, timeLimitMs: 12_000, ttlMs: 15_000 } as const;
  return [
    {
      ...common,
      name: 'api',
      source: 'API service of the cluster, /metrics and /health/ready',
      async collect() {
        const at = base();
        if (!('url' in at)) return at;
        if (at.url === null) return notApplicable;
        const [ready, measured] = await Promise.all([askReady(), readMetrics(at.url, ask, token)]);
        const readyNow = readiness.after(ready);
        return ok({ present: true, ...metrics(measured), ...readyNow });
      },
    },
    {
      ...common,
      name: 'platform',
      source: 'API service of the cluster, /health/ready',
      async collect() {
        const at = base();
        if (!('url' in at)) return at;
        if (at.url === null) return notApplicable;
        const reply = await askReady();
        if (reply === null) return { state: 'unavailable', code: 'api', msg: 'the API does not answer' };
        const document = parseReady(reply.body);
        if (document === null) return { state: 'unavailable', code: 'api', msg: `the API answers ${reply.status} without its checks` };
        return ok({ checks: document.checks });
      },
    },
  ];
}
