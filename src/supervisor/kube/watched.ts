/** One kind of object, listed once and then watched: the cost of a quiet cluster is nothing. */
import { messageOf } from '#system/complain.ts';
import type { KubeApi } from './api.ts';

export interface KubeMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly kind?: string; readonly name?: string }[];
}

export interface KubeObject {
  readonly metadata?: KubeMeta;
}

interface ListReply<T> {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly items?: readonly T[];
}

const RETRY_MIN_MS = 1_000;
const RETRY_MAX_MS = 30_000;
/** The server ends a watch by itself after this; then it is opened again from where it was. */
const WATCH_SECONDS = 300;

const keyOf = (o: KubeObject): string => o.metadata?.uid ?? `${o.metadata?.namespace ?? ''}/${o.metadata?.name ?? ''}`;

export class Watched<T extends KubeObject> {
  readonly #api: KubeApi;
  readonly #path: string;
  readonly #items = new Map<string, T>();
  #version: string | null = null;
  #error: string | null = null;
  #stopped = false;
  #delayMs = RETRY_MIN_MS;
  #timer: NodeJS.Timeout | null = null;
  #watch: { stop(): void } | null = null;

  constructor(api: KubeApi, path: string) {
    this.#api = api;
    this.#path = path;
    void this.#list();
  }

  /** The objects, or why they are not known. A watch that was lost keeps them while it is being renewed. */
  read(): { readonly items: readonly T[] | null; readonly error: string | null } {
    return { items: this.#version === null ? null : [...this.#items.values()], error: this.#error };
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer) clearTimeout(this.#timer);
    this.#watch?.stop();
  }

  #again(work: () => void): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(work, this.#delayMs);
    this.#delayMs = Math.min(RETRY_MAX_MS, this.#delayMs * 2);
  }

  async #list(): Promise<void> {
    try {
      const { status, body } = await this.#api.get(this.#path);
      if (status !== 200) throw new Error(`the API answers ${status}`);
      const list = JSON.parse(body) as ListReply<T>;
      if (!Array.isArray(list.items)) throw new Error('the API sent no list');
      this.#items.clear();
      for (const item of list.items) this.#items.set(keyOf(item), item);
      this.#version = list.metadata?.resourceVersion ?? '';
      this.#error = null;
      this.#delayMs = RETRY_MIN_MS;
      this.#follow();
    } catch (error) {
      this.#error = messageOf(error);
      this.#again(() => void this.#list());
    }
  }

  #follow(): void {
    if (this.#stopped) return;
    const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=${WATCH_SECONDS}&resourceVersion=${this.#version ?? ''}`;
    let gone = false;
    this.#watch = this.#api.lines(
      `${this.#path}?${query}`,
      (line) => {
        if (!this.#take(line)) {
          gone = true;
          this.#watch?.stop();
        }
      },
      (why) => {
        if (this.#stopped) return;
        if (gone) this.#again(() => void this.#list());
        else if (why === 'the watch ended') this.#follow();
        else {
          this.#error = why;
          this.#again(() => void this.#list());
        }
      },
    );
  }

  /** False when the server no longer knows where we were: list again. */
  #take(line: string): boolean {
    let event: { type?: string; object?: T };
    try {
      event = JSON.parse(line);
    } catch {
      return false;
    }
    const { type, object } = event;
    if (type === 'ERROR' || !object) return false;
    this.#delayMs = RETRY_MIN_MS;
    this.#error = null;
    this.#version = object.metadata?.resourceVersion ?? this.#version;
    if (type === 'DELETED') this.#items.delete(keyOf(object));
    else if (type === 'ADDED' || type === 'MODIFIED') this.#items.set(keyOf(object), object);
    return true;
  }
}
