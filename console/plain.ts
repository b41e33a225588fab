/** For a terminal that cannot be addressed: the status as text, whenever the verdict changes and once a minute. */

import { followStatus } from '#status/client.ts';
import { type ClientModel, clientVerdict, clientView, EMPTY_MODEL } from '#status/client-model.ts';
import { moment } from '#status/format.ts';
import type { Clock } from '#status/store.ts';
import { statusText } from '#status/text.ts';
import { EMPTY_MEMORY } from '#status/verdict.ts';

const EVERY_MS = 60_000;

export function printStatus(socket: string, clock: Clock, write: (text: string) => void): { stop(): void } {
  let instance = EMPTY_MODEL.instance;
  let memory = EMPTY_MEMORY;
  let shownVerdict = '';
  let shownMs = Number.NEGATIVE_INFINITY;
  const client = followStatus({
    socket,
    monoMs: () => clock.monoMs(),
    now: () => clock.now(),
    minIntervalMs: 1000,
    onLink: (link) => {
      if (link.state === 'lost') write(`supervisor not available (since ${moment(link.since, Date.parse(clock.now()))}): ${link.why}\r\n`);
    },
    onModel: (model: ClientModel) => {
      const nowMs = clock.monoMs();
      const judged = clientVerdict(model, nowMs, model.instance === instance ? memory : EMPTY_MEMORY);
      ({ instance } = model);
      ({ memory } = judged);
      const verdict = JSON.stringify([judged.verdict.level, judged.verdict.reasons.map((r) => r.text)]);
      if (verdict === shownVerdict && nowMs - shownMs < EVERY_MS) return;
      shownVerdict = verdict;
      shownMs = nowMs;
      write(`\r\n${clock.now()} ${statusText(clientView(model, nowMs), judged.verdict, Date.parse(clock.now())).replaceAll('\n', '\r\n')}`);
    },
  });
  return { stop: () => client.stop() };
}
