/** For a terminal that cannot be addressed: the status as text, whenever the verdict changes and once a minute. */

import { followStatus } from '#status/client.ts';
import { type ClientModel, clientView, EMPTY_MODEL } from '#status/client-model.ts';
import type { Clock } from '#status/store.ts';
import { statusText } from '#status/text.ts';

const EVERY_MS = 60_000;

export function printStatus(socket: string, clock: Clock, write: (text: string) => void): { stop(): void } {
  let model: ClientModel = EMPTY_MODEL;
  let shownVerdict = '';
  let shownMs = Number.NEGATIVE_INFINITY;
  const client = followStatus({
    socket,
    monoMs: () => clock.monoMs(),
    now: () => clock.now(),
    minIntervalMs: 1000,
    onLink: (link) => {
      if (link.state === 'lost') write(`supervisor not available (since ${link.since}): ${link.why}\r\n`);
    },
    onModel: (next) => {
      model = next;
      const verdict = JSON.stringify([model.verdict?.level, model.verdict?.reasons.map((r) => r.text)]);
      const nowMs = clock.monoMs();
      if (verdict === shownVerdict && nowMs - shownMs < EVERY_MS) return;
      shownVerdict = verdict;
      shownMs = nowMs;
      write(`\r\n${clock.now()} ${statusText(clientView(model, nowMs), model.verdict).replaceAll('\n', '\r\n')}`);
    },
  });
  return { stop: () => client.stop() };
}
