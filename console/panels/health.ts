/** Everything behind the verdict: all reasons, every array and path, and what is known of each section. */
import * as fmt from '#status/format.ts';
import type { Reading } from '#status/freshness.ts';
import { plainText } from '#status/sanitise.ts';
import { shown } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { cutLine, type Line, line, rule, span, type Tone } from '../style.ts';
import { storageChips } from './disks.ts';
import { LEVEL_SIGNS, LEVEL_TONES, reasonLines, verdictTitle } from './verdict.ts';

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
      line(' ', p.name.padEnd(15), span(p.state.padEnd(16), p.state === 'failing' ? 'bad' : 'warn'), `${p.attempts} attempts`),
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

/** Facts that are of use when something was wrong; what nobody recorded says so, since none and not known are two things. */
function machineLines(s: ScreenState, width: number): Line[] {
  const power = shown(s.view.power)?.data;
  const vitals = shown(s.view.vitals)?.data;
  const etcd = shown(s.view.etcd)?.data;
  const first = shown(s.view.meta)?.data.first_boot;
  const images = shown(s.view.k3s)?.data.image_import;
  const top = vitals?.top_cpu?.map((p) => `${plainText(p.comm)} ${Math.round(p.pct)}%`).join(', ');
  const rows: [string, string][] = [];
  if (power) rows.push(['last end', power.last_reboot_reason ?? 'not recorded']);
  if (vitals) rows.push(['busiest', top === undefined ? 'not known' : top || 'nothing above 1%']);
  if (etcd?.backend === 'etcd') rows.push(['etcd alarms', etcd.alarms === null ? 'not known' : etcd.alarms.join(', ') || 'none']);
  if (first) rows.push(['first boot', `${first.failed ? 'FAILED at ' : ''}${first.step}${first.log_hint ? ` (${first.log_hint})` : ''}`]);
  if (images) rows.push(['images', `${images.done} of ${images.total ?? '?'} imported`]);
  if (rows.length === 0) return [];
  return [rule('Machine', width), ...rows.map(([name, text]) => cutLine(line(' ', name.padEnd(15), text), width))];
}

export function healthLines(s: ScreenState, width: number): Line[] {
  const reasons = s.verdict?.reasons ?? [];
  const level = s.verdict?.level ?? 'UNKNOWN';
  const none = line(span(` ${LEVEL_SIGNS[level]} `, LEVEL_TONES[level]), 'no reason is reported');
  const chips = storageChips(s);
  const storage = [...chips.alarms, ...chips.rest];
  const sections = Object.entries(s.view).map(([name, r]) => sectionLine(name, r as Reading<unknown>, width));
  return [
    verdictTitle(s, width),
    ...(reasons.length === 0 ? [none] : reasons.flatMap((r) => reasonLines(r, s, width))),
    ...(storage.length === 0 ? [] : [rule('Storage', width), ...storage.map((c) => line(' ', ...c))]),
    ...machineLines(s, width),
    ...planeLines(s, width),
    ...eventLines(s, width),
    rule('What is known', width),
    ...(sections.length === 0 ? [line(span(' nothing yet', 'quiet'))] : sections),
  ];
}
