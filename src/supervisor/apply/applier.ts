/** One apply at a time, the latest intent wins, and what failed is tried again when it is due. See docs/decisions/0012-pull-and-apply.md. */
import type { StoredConfig } from '#model/pull.ts';
import { messageOf } from '#system/complain.ts';
import { dueInMs, type Versions } from './quarantine.ts';
import { type ApplyContext, type ApplyEnd, applyConfig } from './steps.ts';
import type { ConfigStore } from './store.ts';

export type Work =
  | { readonly kind: 'none' }
  | { readonly kind: 'apply'; readonly target: StoredConfig }
  /** Failed, and not due yet; null: never by itself. */
  | { readonly kind: 'parked'; readonly dueInMs: number | null };

/** What is to be done now. Pure. The last good one is never tried again and never parked. */
export function workFor(store: Pick<ConfigStore, 'fetched' | 'applied' | 'quarantine'>, versions: Versions, wallMs: number): Work {
  const { fetched, applied, quarantine } = store;
  if (fetched === null || fetched.sha256 === applied?.sha256) return { kind: 'none' };
  const failed = quarantine.failed?.sha256 === fetched.sha256 ? quarantine.failed : null;
  const waitMs = failed === null ? 0 : dueInMs(failed, versions, wallMs);
  return waitMs === 0 ? { kind: 'apply', target: fetched } : { kind: 'parked', dueInMs: waitMs };
}

export interface ApplierEvents {
  /** At the start and at the end of every apply. */
  readonly onChange: () => void;
  readonly log: (text: string) => void;
  /** A timer; gives the way to stop it. */
  readonly after: (ms: number, work: () => void) => () => void;
}

/** A parked configuration is looked at again at least this often: the daemon may have been updated. */
const LOOK_AGAIN_MS = 600_000;

export class Applier {
  readonly #context: ApplyContext;
  readonly #events: ApplierEvents;
  #running: Promise<void> | null = null;
  #applying: StoredConfig | null = null;
  #cancelTimer: () => void = () => undefined;
  #isStopped = false;
  #isAskedAgain = false;

  constructor(context: ApplyContext, events: ApplierEvents) {
    this.#context = context;
    this.#events = events;
  }

  /** What is being applied at this moment. */
  get applying(): StoredConfig | null {
    return this.#applying;
  }

  /** Looks whether there is something to apply. Call it when something was fetched, and at the start. */
  kick(): void {
    if (this.#isStopped) return;
    this.#isAskedAgain = true;
    if (this.#running !== null) return;
    this.#cancelTimer();
    this.#running = this.#work().finally(() => {
      this.#running = null;
      if (this.#isAskedAgain) this.kick();
    });
  }

  /** Ends after what is being applied has its verdict: to stop between would count as a crash. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#running;
  }

  /** For tests and for whoever wants the verdict: resolves when nothing is being applied. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async #work(): Promise<void> {
    const { store, daemon, agentVersion, wallMs } = this.#context;
    while (!this.#isStopped) {
      this.#isAskedAgain = false;
      const work = workFor(store, { agent: agentVersion, daemon: await daemon.version() }, wallMs());
      if (work.kind === 'none') return;
      if (work.kind === 'parked') {
        this.#cancelTimer = this.#events.after(Math.min(LOOK_AGAIN_MS, work.dueInMs ?? LOOK_AGAIN_MS), () => this.kick());
        return;
      }
      if (await this.#applyOne(work.target)) continue;
      this.#cancelTimer = this.#events.after(LOOK_AGAIN_MS, () => this.kick());
      return;
    }
  }

  /** False when it ended without a verdict, which no configuration may cause: then it is not tried in a loop. */
  async #applyOne(target: StoredConfig): Promise<boolean> {
    const { store } = this.#context;
    this.#applying = target;
    this.#events.onChange();
    let end: ApplyEnd | null = null;
    try {
      end = await applyConfig(this.#context, target, () => this.#isStopped || store.fetched?.sha256 !== target.sha256);
    } catch (error) {
      this.#events.log(`applying version ${target.envelope.version}: ${messageOf(error)}`);
    }
    this.#applying = null;
    const { failed } = store.quarantine;
    const why = end === 'failed' && failed?.sha256 === target.sha256 ? ` (${failed.phase}, ${failed.outcome}): ${failed.message}` : '';
    if (end !== null) this.#events.log(`version ${target.envelope.version} ${end}${why}`);
    this.#events.onChange();
    return end !== null;
  }
}
