/** The connection to the cluster of this box: opened when k3s has written its kubeconfig, renewed when that changes. */

import type { SectionData } from '#model/status.ts';
import { messageOf } from '#system/complain.ts';
import type { HostView } from '#system/observe.ts';
import type { TextReply } from '../http-text.ts';
import { type KubeApi, kubeApi } from './api.ts';
import { parseKubeconfig } from './kubeconfig.ts';
import type { KubeNode } from './node-facts.ts';
import type { KubePod } from './pod-facts.ts';
import { type KubeObject, Watched } from './watched.ts';

export const K3S_BINARY = '/usr/local/bin/k3s';
export const KUBECONFIG = '/etc/rancher/k3s/k3s.yaml';
const POLL_MS = 5_000;
const READYZ_MS = 2_000;

export interface KubeEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly namespace?: string };
}

export interface KubeService extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly ports?: readonly { readonly name?: string; readonly port?: number }[];
  };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] } };
}

export type Readiness = Pick<SectionData['k3s'], 'readyz' | 'readyz_failed_checks'>;

const NOT_KNOWN: Readiness = { readyz: 'unknown', readyz_failed_checks: null };

/** Names of the checks that a verbose readiness answer marks as failed. */
export const failedChecks = (body: string): string[] => [...body.matchAll(/^\[-\]([\w./-]+)/gm)].map((m) => m[1] as string);

interface Open {
  readonly mark: string;
  readonly api: KubeApi;
  readonly pods: Watched<KubePod>;
  readonly nodes: Watched<KubeNode>;
  readonly events: Watched<KubeEvent>;
  readonly services: Watched<KubeService>;
}

export type Objects<T> =
  /** k3s is not installed here. */
  | { readonly state: 'absent' }
  | { readonly state: 'failed'; readonly why: string }
  | { readonly state: 'known'; readonly items: readonly T[] };

export class Cluster {
  readonly #host: HostView;
  #open: Open | null = null;
  #installed: boolean | null = null;
  #readiness: Readiness = NOT_KNOWN;
  #problem: string | null = 'k3s was not looked at yet';
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  constructor(host: HostView) {
    this.#host = host;
  }

  /** Looks now, and then every few seconds. */
  async start(): Promise<void> {
    await this.#poll();
    if (!this.#stopped) this.#timer = setTimeout(() => void this.start(), POLL_MS);
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#close();
  }

  readiness(): Readiness {
    return this.#readiness;
  }

  pods(): Objects<KubePod> {
    return this.#read((o) => o.pods);
  }

  nodes(): Objects<KubeNode> {
    return this.#read((o) => o.nodes);
  }

  events(): Objects<KubeEvent> {
    return this.#read((o) => o.events);
  }

  /** The API for an action, or why there is none. */
  connection(): { readonly ok: true; readonly api: KubeApi } | { readonly ok: false; readonly why: string } {
    if (this.#installed === false) return { ok: false, why: 'k3s is not installed' };
    if (this.#problem !== null || !this.#open) return { ok: false, why: this.#problem ?? 'no connection to k3s' };
    return { ok: true, api: this.#open.api };
  }

  services(): Objects<KubeService> {
    return this.#read((o) => o.services);
  }

  /** One short question to the API; null where k3s is not installed. Throws in words when it cannot be asked. */
  async ask(path: string, timeoutMs?: number): Promise<TextReply | null> {
    if (this.#installed === false) return null;
    if (this.#problem !== null || !this.#open) throw new Error(this.#problem ?? 'no connection to k3s');
    return this.#open.api.get(path, timeoutMs);
  }

  #read<T extends KubeObject>(pick: (open: Open) => Watched<T>): Objects<T> {
    if (this.#installed === false) return { state: 'absent' };
    if (this.#problem !== null || !this.#open) return { state: 'failed', why: this.#problem ?? 'no connection to k3s' };
    const { items, error } = pick(this.#open).read();
    if (items === null || error !== null) return { state: 'failed', why: error ?? 'the first list has not come yet' };
    return { state: 'known', items };
  }

  async #poll(): Promise<void> {
    try {
      this.#installed = await this.#host.exists(K3S_BINARY);
      if (!this.#installed) {
        this.#close();
        this.#readiness = NOT_KNOWN;
        return;
      }
      const text = await this.#host.text(KUBECONFIG);
      if (text === null) {
        this.#close();
        this.#fail('k3s has not written its kubeconfig yet', NOT_KNOWN);
        return;
      }
      this.#ensureOpen(text);
      await this.#askReady();
    } catch (error) {
      this.#fail(messageOf(error), NOT_KNOWN);
    }
  }

  #fail(why: string, readiness: Readiness): void {
    this.#problem = why;
    this.#readiness = readiness;
  }

  #ensureOpen(kubeconfig: string): void {
    if (this.#open?.mark === kubeconfig) return;
    this.#close();
    const api = kubeApi(parseKubeconfig(kubeconfig));
    this.#open = {
      mark: kubeconfig,
      api,
      pods: new Watched<KubePod>(api, '/api/v1/pods'),
      nodes: new Watched<KubeNode>(api, '/api/v1/nodes'),
      events: new Watched<KubeEvent>(api, '/api/v1/events'),
      services: new Watched<KubeService>(api, '/api/v1/services'),
    };
  }

  #close(): void {
    if (!this.#open) return;
    const { api, pods, nodes, events, services } = this.#open;
    for (const w of [pods, nodes, events, services]) w.stop();
    api.close();
    this.#open = null;
  }

  /** A hung API leaves watches open and silent; this question is what tells. */
  async #askReady(): Promise<void> {
    try {
      const reply = await this.#open?.api.get('/readyz?verbose', READYZ_MS);
      if (reply?.status === 200) {
        this.#problem = null;
        this.#readiness = { readyz: 'ok', readyz_failed_checks: [] };
        return;
      }
      // It answers, so what it lists is still true.
      this.#problem = null;
      this.#readiness = { readyz: 'failing', readyz_failed_checks: failedChecks(reply?.body ?? '') };
    } catch {
      this.#fail('the k3s API does not answer', { readyz: 'timeout', readyz_failed_checks: null });
    }
  }
}
