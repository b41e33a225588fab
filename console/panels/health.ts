/** Everything behind the verdict: all reasons, every array and path, and what is known of each section. */
import * as fmt from '#status/format.ts';
import type { Reading } from '#status/freshness.ts';
import { wrap } from '#ui/text.ts';
import { shown } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { cutLine, type Line, line, rule, span, type Tone } from '../style.ts';
import { storageChips } from './disks.ts';
import { type FactGroup, factGroups } from './health-facts.ts';
import { serviceLines } from './services.ts';
import { LEVEL_SIGNS, LEVEL_TONES, reasonLines, verdictTitle } from './verdict.ts';

const NAME_CELLS = 15;

const WORDS: Readonly<Record<Reading<unknown>['freshness'], readonly [string, Tone]>> = {
  fresh: ['known', 'good'],
  stale: ['stale', 'warn'],
  expired: ['too old', 'warn'],
  unknown: ['not known yet', 'info'],
  unavailable: ['cannot be read', 'warn'],
  not_applicable: ['not applicable', 'quiet'],
};

function sectionLine(name: string, r: Reading<unknown>, width: number): Line {
  const [word, tone] = WORDS[r.freshness];
  const when = r.freshness === 'not_applicable' || r.ageMs === null ? '' : `${fmt.age(r.ageMs)} ago`;
  return cutLine(
    line(' ', name.padEnd(15), span(word.padEnd(16), tone), span(when.padEnd(10), 'quiet'), span(r.error ?? '', 'warn')),
    width,
  );
}

/** Planes that are not simply in order; nothing when all are. */
function planeLines(s: ScreenState, width: number): Line[] {
  const h = shown(s.view.host_config)?.data;
  const planes = (h?.planes ?? []).filter((p) => p.state !== 'idle' && p.state !== 'applied');
  const patches = (h?.patches ?? []).filter((p) => !p.ok);
  const rows = [
    ...planes.map((p) =>
      line(
        ' ',
        p.name.padEnd(15),
        span(p.state.padEnd(16), p.state === 'failing' ? 'bad' : 'warn'),
        `${p.attempts} attempts${p.last_error ? `: ${p.last_error}` : ''}`,
      ),
    ),
    ...patches.map((p) => line(' ', `patch ${p.id}`.padEnd(15), span('failed'.padEnd(16), 'bad'), p.detail ?? '')),
  ];
  return rows.length === 0 ? [] : [rule('Host configuration', width), ...rows.map((r) => cutLine(r, width))];
}

/** Warning events of the cluster, newest first. */
function eventLines(s: ScreenState, width: number): Line[] {
  const e = shown(s.view.events);
  if (!e) return [];
  const rows = e.data.recent.map((x) => {
    const when = x.at === null ? '?' : fmt.age(s.wallMs - Date.parse(x.at));
    return cutLine(
      line(
        ' ',
        when.padStart(4),
        ' ',
        span(x.reason, 'warn'),
        ` ${x.object}${x.count !== null && x.count > 1 ? ` x${x.count}` : ''}  ${x.text}`,
      ),
      width,
    );
  });
  return [rule('Warning events', width), ...(rows.length === 0 ? [line(' ', span('none', 'quiet'))] : rows)];
}

/** A group of facts; a text that is longer than the screen goes on in the next row. */
function groupLines(g: FactGroup, width: number): Line[] {
  const rows = g.rows.flatMap(([name, text]) =>
    wrap(text, width - NAME_CELLS - 2).map((t, i) => line(' ', span((i === 0 ? name : '').padEnd(NAME_CELLS), 'quiet'), t)),
  );
  return [rule(g.title, width), ...rows.map((r) => cutLine(r, width))];
}

export function healthLines(s: ScreenState, width: number): Line[] {
  const reasons = s.verdict?.reasons ?? [];
  const level = s.verdict?.level ?? 'UNKNOWN';
  const none = line(span(` ${LEVEL_SIGNS[level]} `, LEVEL_TONES[level]), 'no reason is reported');
  const chips = storageChips(s);
  const storage = [...chips.alarms, ...chips.rest];
  const services = serviceLines(s, width);
  const sections = Object.entries(s.view).map(([name, r]) => sectionLine(name, r as Reading<unknown>, width));
  return [
    verdictTitle(s, width),
    ...(reasons.length === 0 ? [none] : reasons.flatMap((r) => reasonLines(r, s, width))),
    ...(storage.length === 0 ? [] : [rule('Storage', width), ...storage.map((c) => line(' ', ...c))]),
    ...(services.length === 0 ? [] : [rule('Services', width), ...services]),
    ...planeLines(s, width),
    ...eventLines(s, width),
    ...factGroups(s).flatMap((g) => groupLines(g, width)),
    rule('What is known', width),
    ...(sections.length === 0 ? [line(span(' nothing yet', 'quiet'))] : sections),
  ];
}
