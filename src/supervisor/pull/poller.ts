/** Asks the panel for the configuration, again and again, one request at a time. See docs/panel-api.md. */
import type { IdentityPort, PanelReply } from '#model/pull.ts';
import { messageOf } from '#system/complain.ts';
import type { ConfigStore } from '../apply/store.ts';
import type { Kind } from '../kinds/kind.ts';
import { delayMs, failuresAfter, firstDelayMs, intervalMs, reportDelayAfterOutageMs } from './backoff.ts';
import { isoAt, Loop, type PullClock } from './clock.ts';
import { type Received, receive, tagToSend } from './receive.ts';
import { garbled, type Row, rowOfFault, rowOfStatus, UNASKED_304 } from './responses.ts';
import { retryAfterMs } from './retry-after.ts';

export interface PollFacts {
  /** Of the last answer; null when it was one of the good ones, or nothing has been asked. */
  readonly code: string | null;
  readonly message: string | null;
  readonly failures: number;
  readonly lastStatus: number | null;
  readonly lastContactAt: string | null;
  readonly nextPollAt: string | null;
  /** The panel has nothing for this box at present. */
  readonly isUnassigned: boolean;
  /** The number of the version stayed and its content changed. */
  readonly isVersionReused: boolean;
  readonly polls: number;
}

export interface PollContext {
  readonly identity: IdentityPort;
  readonly store: ConfigStore;
  readonly kind: Kind;
  readonly agentVersion: string;
  readonly clock: PullClock;
  /** Something new was stored. */
  readonly onStored: () => void;
  /** What was sent is not taken; the same refusal is told once. */
  readonly onRefused: (message: string) => void;
  /** After every request. `reportDelayMs`: how long a report should wait, because a whole fleet has just found its panel again. */
  readonly onPolled: (reportDelayMs: number) => void;
}

const NOTHING_YET: PollFacts = {
  code: null,
  message: null,
  failures: 0,
  lastStatus: null,
  lastContactAt: null,
  nextPollAt: null,
  isUnassigned: false,
  isVersionReused: false,
  polls: 0,
};

/** The disk did not take it: ours to mend, and it is asked for again. */
const notKept = (error: unknown): Row => ({
  ...garbled(''),
  code: 'POL-DISK',
  message: `the configuration cannot be stored: ${messageOf(error)}`,
});

const GONE_FOR_SURE = 2;
const isRefusal = (reply: PanelReply): boolean => reply.kind === 'reply' && [401, 403, 404].includes(reply.status);

export class Poller {
  readonly #context: PollContext;
  readonly #loop: Loop;
  #facts = NOTHING_YET;
  #refusal = '';
  #isTagForgotten = false;
  #goneCount = 0;
  #isIdle = false;

  constructor(context: PollContext) {
    this.#context = context;
    this.#loop = new Loop(context.clock);
  }

  facts(): PollFacts {
    return this.#facts;
  }

  start(): void {
    const { identity } = this.#context;
    // Only who waits for an identity is woken: a strike must not become a request.
    const stopListening = identity.onChange(() => {
      if (this.#isIdle && identity.credential() !== null) this.#loop.nap.wake();
    });
    this.#loop.start(() => this.#rounds(), stopListening);
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  #intervalMs(): number {
    const { store } = this.#context;
    return intervalMs((store.fetched ?? store.applied)?.envelope.poll_seconds);
  }

  async #rounds(): Promise<void> {
    const { identity, clock } = this.#context;
    await this.#loop.nap.sleep(firstDelayMs(this.#intervalMs(), clock.random));
    while (!this.#loop.isEnding) {
      const [bearer, deviceId] = [identity.credential(), identity.deviceId()];
      if (bearer === null || deviceId === null) {
        this.#facts = { ...this.#facts, nextPollAt: null };
        this.#isIdle = true;
        await this.#loop.nap.sleep(null);
        this.#isIdle = false;
        continue;
      }
      const tag = this.#isTagForgotten ? null : tagToSend(this.#context.store, deviceId, this.#context.agentVersion);
      const reply = await identity.ask(
        {
          method: 'GET',
          path: `/v1/${this.#context.kind.kind}/config`,
          bearer,
          headers: { accept: 'application/json', 'accept-encoding': 'identity', ...(tag === null ? {} : { 'if-none-match': tag }) },
        },
        this.#loop.signal,
      );
      if (this.#loop.isEnding) return;
      await this.#loop.nap.sleep(await this.#take(reply, deviceId, tag !== null));
    }
  }

  /** Gives the milliseconds until the next request. */
  async #take(reply: PanelReply, deviceId: string, hadTag: boolean): Promise<number> {
    const { identity, clock } = this.#context;
    const before = this.#facts;
    const row = await this.#judge(reply, deviceId, hadTag);
    if (reply.kind === 'reply') await identity.noteStatus(reply.status);
    const isSuccess = row.meaning !== 'failure';
    const failures = failuresAfter(before.failures, isSuccess);
    const state = identity.state();
    // Known from before a restart: not asked twice again.
    this.#goneCount = row.pace !== 'gone' ? 0 : state === 'retired' ? GONE_FOR_SURE : this.#goneCount + 1;
    if (row.forgetsTag) this.#isTagForgotten = true;
    else if (row.meaning === 'new') this.#isTagForgotten = false;
    const asked = row.honoursRetryAfter && reply.kind === 'reply' ? retryAfterMs(reply.headers['retry-after'], clock.wallMs()) : null;
    // A device that is refused for good does not begin at the shortest wait again after every restart.
    const pace = row.pace === 'backoff' && state === 'revoked' && isRefusal(reply) ? 'cap' : row.pace;
    const wait = { pace, failures, goneCount: this.#goneCount, intervalMs: this.#intervalMs(), retryAfterMs: asked };
    const ms = delayMs(wait, clock.random);
    const wallMs = clock.wallMs();
    this.#facts = {
      ...this.#facts,
      code: row.code,
      message: reply.kind === 'failed' ? `${row.message} (${reply.message})` : row.message,
      failures,
      lastStatus: reply.kind === 'reply' ? reply.status : null,
      lastContactAt: reply.kind === 'reply' ? isoAt(wallMs) : before.lastContactAt,
      nextPollAt: isoAt(wallMs + ms),
      isUnassigned: isSuccess ? row.meaning === 'unassigned' : before.isUnassigned,
      polls: before.polls + 1,
    };
    this.#context.onPolled(isSuccess ? reportDelayAfterOutageMs(before.failures, clock.random) : 0);
    return ms;
  }

  async #judge(reply: PanelReply, deviceId: string, hadTag: boolean): Promise<Row> {
    if (reply.kind === 'failed') return rowOfFault(reply.fault);
    const row = rowOfStatus(reply.status);
    if (row.meaning === 'unchanged' && !hadTag) return UNASKED_304;
    if (row.meaning !== 'new') return row;
    try {
      const received = await receive({ ...this.#context, deviceId, wallMs: this.#context.clock.wallMs }, reply.headers, reply.body);
      return this.#received(received, row);
    } catch (error) {
      return notKept(error);
    }
  }

  #received(received: Received, row: Row): Row {
    switch (received.kind) {
      case 'garbled':
        return garbled(received.why);
      case 'stored':
        this.#refusal = '';
        this.#facts = { ...this.#facts, isVersionReused: received.isReused };
        this.#context.onStored();
        return row;
      case 'refused':
        if (received.message !== this.#refusal) this.#context.onRefused(received.message);
        this.#refusal = received.message;
        return row;
      case 'known':
        return row;
    }
  }
}
