/** For a terminal that cannot be addressed: the status as text, whenever what it says changes and once a minute. */

import { moment } from '#status/format.ts';
import { plainText } from '#status/sanitise.ts';
import type { Clock } from '#status/store.ts';
import { statusText } from '#status/text.ts';
import { type Facts, Feed } from './feed.ts';

const EVERY_MS = 60_000;
const LOOK_MS = 1_000;

/** What is news: another link, level or list of reasons, but not the figures in their texts. */
function newsOf({ link, verdict }: Facts): string {
  const why = link.state === 'lost' ? link.why : link.state;
  return JSON.stringify([why, verdict?.level, verdict?.reasons.map((r) => [r.level, r.code, r.subject])]);
}

/** One printing: the lost link with its reason, and what is known, from this machine itself when there is no supervisor. */
function pageOf({ link, view, verdict }: Facts, now: string): string {
  const nowMs = Date.parse(now);
  const lost = link.state === 'lost' ? `supervisor not available (since ${moment(link.since, nowMs)}): ${link.why}\n` : '';
  const known = verdict === null ? '' : statusText(view, verdict, nowMs);
  return `${lost}${now} ${known}`
    .split('\n')
    .map((l) => `${plainText(l)}\r\n`)
    .join('');
}

/** Prints until stopped, with the same facts as the dashboard. */
export function printStatus(socket: string, clock: Clock, write: (text: string) => void): { stop(): void } {
  const feed = new Feed({ socket, clock, onUrgent: () => undefined });
  let shown = '';
  let shownMs = Number.NEGATIVE_INFINITY;
  const look = (): void => {
    const facts = feed.facts();
    if (facts.verdict === null) return;
    const news = newsOf(facts);
    const nowMs = clock.monoMs();
    if (news === shown && nowMs - shownMs < EVERY_MS) return;
    shown = news;
    shownMs = nowMs;
    write(pageOf(facts, clock.now()));
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    stop: () => {
      clearInterval(timer);
      feed.stop();
    },
  };
}
