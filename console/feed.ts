/** Where the facts come from: the supervisor while it answers, this machine's own files while it does not. */
import type { LogLine, Verdict } from '#model/status.ts';
import { SECTION_NAMES } from '#model/status.ts';
import { followStatus, type Link } from '#status/client.ts';
import { type ClientModel, clientVerdict, clientView, EMPTY_MODEL } from '#status/client-model.ts';
import { type View, viewOf } from '#status/freshness.ts';
import { hostView, localCollectors } from '#status/local-facts.ts';
import { type Schedule, startSchedule } from '#status/schedule.ts';
import { type Clock, StatusStore } from '#status/store.ts';
import { EMPTY_MEMORY, judgeStatus, type VerdictMemory } from '#status/verdict.ts';

/** A supervisor that has not answered this long after the start is not there. */
const PATIENCE_MS = 2000;

export interface FeedOptions {
  readonly socket: string;
  readonly clock: Clock;
  /** Something that should be seen soon changed: the link, the level. */
  readonly onUrgent: () => void;
  /** Left out: the log is not followed. */
  readonly onLog?: (line: LogLine) => void;
}

export interface Facts {
  readonly link: Link;
  readonly view: View;
  readonly verdict: Verdict | null;
}

interface Local {
  readonly store: StatusStore;
  readonly schedule: Schedule;
}

export class Feed {
  readonly #clock: Clock;
  readonly #onUrgent: () => void;
  readonly #client: { stop(): void };
  readonly #startedMs: number;
  readonly #startedAt: string;
  #model: ClientModel = EMPTY_MODEL;
  #link: Link = { state: 'connecting' };
  #local: Local | null = null;
  #memory: VerdictMemory = EMPTY_MEMORY;
  #readerMemory: VerdictMemory = EMPTY_MEMORY;

  constructor(options: FeedOptions) {
    this.#clock = options.clock;
    this.#onUrgent = options.onUrgent;
    this.#startedMs = options.clock.monoMs();
    this.#startedAt = options.clock.now();
    this.#client = followStatus({
      socket: options.socket,
      monoMs: () => options.clock.monoMs(),
      now: () => options.clock.now(),
      minIntervalMs: 1000,
      ...(options.onLog ? { onLog: options.onLog } : {}),
      onLink: (link) => this.#onLink(link),
      onModel: (model) => this.#onModel(model),
    });
  }

  #onLink(link: Link): void {
    const changed = link.state !== this.#link.state;
    this.#link = link;
    if (link.state === 'live') this.#stopLocal();
    if (link.state === 'lost') this.#startLocal();
    if (changed) this.#onUrgent();
  }

  #onModel(model: ClientModel): void {
    // Sections of another supervisor process are not continued.
    const level = this.#model.verdict?.level;
    if (model.instance !== this.#model.instance) this.#readerMemory = EMPTY_MEMORY;
    this.#model = model;
    if (model.verdict?.level !== level) this.#onUrgent();
  }

  #startLocal(): void {
    if (this.#local) return;
    const collectors = localCollectors(hostView(), this.#clock);
    const store = new StatusStore(this.#clock, Object.fromEntries(collectors.map((c) => [c.name, { ttlMs: c.ttlMs, source: c.source }])));
    this.#local = { store, schedule: startSchedule(collectors, store, this.#clock) };
    store.onChange((change) => change.verdictChanged && this.#onUrgent());
  }

  #stopLocal(): void {
    this.#local?.schedule.stop();
    this.#local = null;
    this.#memory = EMPTY_MEMORY;
  }

  /** What is known at this moment. Cheap, never waits. */
  facts(): Facts {
    const nowMs = this.#clock.monoMs();
    if (this.#link.state === 'connecting' && nowMs - this.#startedMs > PATIENCE_MS) this.#startLocal();
    const remote = clientView(this.#model, nowMs);
    if (!this.#local) {
      if (this.#model.seq === null) return { link: this.#link, view: remote, verdict: null };
      const { verdict, memory } = clientVerdict(this.#model, nowMs, this.#readerMemory);
      this.#readerMemory = memory;
      return { link: this.#link, view: remote, verdict };
    }
    const own = viewOf(this.#local.store.sections(SECTION_NAMES), () => 0);
    const since = this.#link.state === 'lost' ? this.#link.since : this.#startedAt;
    const judged = judgeStatus({ view: own, now: this.#clock.now(), nowMs, memory: this.#memory, localOnlySince: since });
    this.#memory = judged.memory;
    return { link: this.#link, view: { ...remote, ...own }, verdict: judged.verdict };
  }

  stop(): void {
    this.#client.stop();
    this.#stopLocal();
  }
}
