/** A reader of the status socket that never gives up and never blocks. */

import { parseJson } from '#model/json.ts';
import { readShape } from '#model/shape.ts';
import { LOG_LINE, type LogLine } from '#model/status.ts';
import { applyFrame, type ClientModel, EMPTY_MODEL } from './client-model.ts';
import { type LogFlow, logFlow } from './log-flow.ts';
import { type Pull, pull } from './pull.ts';
import { plainJson } from './sanitise.ts';

/** No frame for this long: the link is dead, whatever the kernel says. */
const SILENCE_MS = 15_000;
const BACKOFF_MIN_MS = 500;
const BACKOFF_MAX_MS = 5_000;

export type Link =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** `since` is wall clock (for people), `sinceMs` monotonic. */
  | { readonly state: 'lost'; readonly since: string; readonly sinceMs: number; readonly why: string };

export interface StatusClientOptions {
  readonly socket: string;
  readonly monoMs: () => number;
  readonly now: () => string;
  readonly onModel: (model: ClientModel) => void;
  readonly onLink: (link: Link) => void;
  readonly onLog?: (line: LogLine) => void;
  /** Smallest time between two patches that we want to see. */
  readonly minIntervalMs?: number;
  readonly silenceMs?: number;
  readonly backoffMinMs?: number;
  readonly random?: () => number;
}

/** Requests that each begin anew when they end, after growing pauses with some jitter, until all are stopped. */
class Pulls {
  readonly #minMs: number;
  readonly #random: () => number;
  /** Requests under way and pauses between two. */
  readonly #running = new Set<{ stop(): void }>();
  #isStopped = false;

  constructor(minMs: number, random: () => number) {
    this.#minMs = minMs;
    this.#random = random;
  }

  /** `start` says with `ended` whether its request had worked: then the next pause is the shortest again. */
  keep(start: (ended: (worked: boolean) => void) => Pull): void {
    let delayMs = this.#minMs;
    const again = (): void => {
      if (this.#isStopped) return;
      const pulling = start((worked) => {
        this.#running.delete(pulling);
        if (this.#isStopped) return;
        if (worked) delayMs = this.#minMs;
        this.#pause(delayMs * (0.75 + this.#random() / 2), again);
        delayMs = Math.min(BACKOFF_MAX_MS, delayMs * 2);
      });
      this.#running.add(pulling);
    };
    again();
  }

  #pause(delayMs: number, then: () => void): void {
    const timer = setTimeout(() => {
      this.#running.delete(pause);
      then();
    }, delayMs);
    const pause = { stop: () => clearTimeout(timer) };
    this.#running.add(pause);
  }

  stop(): void {
    this.#isStopped = true;
    for (const one of [...this.#running]) one.stop();
    this.#running.clear();
  }
}

/** Follows the status, and the log if asked, until stopped. */
export function followStatus(options: StatusClientOptions): { stop(): void } {
  const { socket, monoMs } = options;
  const silenceMs = options.silenceMs ?? SILENCE_MS;
  const pulls = new Pulls(options.backoffMinMs ?? BACKOFF_MIN_MS, options.random ?? Math.random);

  let lost: Extract<Link, { state: 'lost' }> | null = null;
  options.onLink({ state: 'connecting' });
  pulls.keep((ended) => {
    let model = EMPTY_MODEL;
    let worked = false;
    return pull(
      socket,
      `/v1/stream?min_interval_ms=${options.minIntervalMs ?? 500}`,
      silenceMs,
      (line) => {
        const applied = applyFrame(model, parseJson(line), monoMs());
        if (!applied.ok) return applied.why;
        model = applied.model;
        if (!worked && model.seq !== null) {
          worked = true;
          lost = null;
          options.onLink({ state: 'live' });
        }
        options.onModel(model);
        return null;
      },
      (why) => {
        lost = lost === null || worked ? { state: 'lost', since: options.now(), sinceMs: monoMs(), why } : { ...lost, why };
        options.onLink(lost);
        ended(worked);
      },
    );
  });

  const { onLog } = options;
  // One for all connections: what waits is shown though its connection has ended. The backlog comes at once.
  const flow = onLog ? logFlow({ perS: 2 * LOG_LINES_PER_S, burst: BACKLOG_LINES, monoMs }, onLog) : null;
  const seenLines = new Map<number, string>();
  if (flow) pulls.keep((ended) => followLog(seenLines, socket, silenceMs, flow, ended));
  return {
    stop: () => {
      pulls.stop();
      flow?.clear();
    },
  };
}

/** What a console can show; asked of the server, and kept to here, for a server that does not keep to it. */
const LOG_LINES_PER_S = 20;
/** What the server sends at first. */
const BACKLOG_LINES = 200;

/** Lines seen last, so that what a new connection repeats is not shown twice. A restarted server counts anew: id and text decide. */
const REMEMBERED_LINES = 512;
function followLog(
  seenLines: Map<number, string>,
  socket: string,
  silenceMs: number,
  flow: LogFlow,
  ended: (worked: boolean) => void,
): Pull {
  let worked = false;
  const onLine = (line: string): string | null => {
    const value = parseJson(line);
    // A line that is not shown today may be of a later protocol; one that is no JSON is of none.
    if (value === undefined) return 'not a log';
    worked = true;
    const entry = readShape(LOG_LINE, plainJson(value));
    if (!entry.ok) return null;
    const key = `${entry.value.at} ${entry.value.text}`;
    if (seenLines.get(entry.value.id) === key) return null;
    seenLines.set(entry.value.id, key);
    for (const id of seenLines.keys()) {
      if (seenLines.size <= REMEMBERED_LINES) break;
      seenLines.delete(id);
    }
    flow.add(entry.value);
    return null;
  };
  return pull(socket, `/v1/log?follow=1&max_lines_per_s=${LOG_LINES_PER_S}`, silenceMs, onLine, () => ended(worked));
}
