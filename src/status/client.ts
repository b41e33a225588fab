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

/** Follows the status, and the log if asked, until stopped. Reconnects with growing pauses and some jitter. */
export function followStatus(options: StatusClientOptions): { stop(): void } {
  const { socket, monoMs } = options;
  const random = options.random ?? Math.random;
  const silenceMs = options.silenceMs ?? SILENCE_MS;
  const minMs = options.backoffMinMs ?? BACKOFF_MIN_MS;
  let stopped = false;
  const running = new Set<{ stop(): void }>();

  const loop = (start: (ended: (worked: boolean) => void) => Pull): void => {
    let delayMs = minMs;
    const again = (): void => {
      if (stopped) return;
      const pulling = start((worked) => {
        running.delete(pulling);
        if (stopped) return;
        if (worked) delayMs = minMs;
        const timer = setTimeout(
          () => {
            running.delete(pause);
            again();
          },
          delayMs * (0.75 + random() / 2),
        );
        const pause = { stop: () => clearTimeout(timer) };
        running.add(pause);
        delayMs = Math.min(BACKOFF_MAX_MS, delayMs * 2);
      });
      running.add(pulling);
    };
    again();
  };

  let lost: Extract<Link, { state: 'lost' }> | null = null;
  options.onLink({ state: 'connecting' });
  loop((ended) => {
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
  if (flow) loop((ended) => followLog(seenLines, socket, silenceMs, flow, ended));
  return {
    stop: () => {
      stopped = true;
      flow?.clear();
      for (const r of [...running]) r.stop();
      running.clear();
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
