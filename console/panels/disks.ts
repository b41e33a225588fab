/** Redundancy first, since it alarms; then how full. */

import type { Disk } from '#model/status-sections.ts';
import * as fmt from '#status/format.ts';
import { label, missing, shown, toneOf } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { bar, flow, type Line, line, span, type Tone } from '../style.ts';

/** In order: no sign. */
const SIGNS: Readonly<Record<string, string>> = { warning: '▲', critical: '■' };
const TONES: Readonly<Record<string, Tone>> = { ok: 'good', warning: 'warn', critical: 'bad', unknown: 'quiet', neutral: 'plain' };

/** Chips in brackets alarm; the others only tell. */
export function storageChips(s: ScreenState): { readonly alarms: Line[]; readonly rest: Line[] } {
  const x = shown(s.view.storage);
  if (!x)
    return s.view.storage?.freshness === 'not_applicable'
      ? { alarms: [], rest: [] }
      : { alarms: [[label('Arrays '), missing(s.view.storage)]], rest: [] };
  const alarms: Line[] = [];
  const rest: Line[] = [];
  for (const a of x.data.arrays) {
    const name = `${a.friendly ?? a.name} ${a.level}`;
    // The figure in the chip is how far this has come.
    const left = a.sync?.eta_s == null ? '' : `, about ${fmt.age(a.sync.eta_s * 1000)} left`;
    const work = a.sync ? [span(` ${a.sync.action}${left}`, toneOf(x, 'info'))] : [];
    if (a.finding !== null) alarms.push([span(`[${a.finding}]`, toneOf(x, TONES[a.severity] ?? 'plain')), ...work]);
    else if (a.sync)
      rest.push([span(`${name} ${a.sync.action}${a.sync.pct === null ? '' : ` ${fmt.percent(a.sync.pct)}`}`, toneOf(x, 'info'))]);
    else rest.push([span(`${name} ok ${a.members_in_sync ?? '?'}/${a.members_expected ?? '?'}`, toneOf(x, 'good'))]);
  }
  for (const m of x.data.multipath) {
    if (m.finding !== null) alarms.push([span(`[${m.finding}]`, toneOf(x, TONES[m.severity] ?? 'plain'))]);
    // Never green: what the path checker thinks is not visible here.
    else rest.push([span(`${m.name} ${m.paths_total}/${m.paths_total} paths`)]);
  }
  if (x.mark) rest.push([span(x.mark.trim(), 'quiet')]);
  return { alarms, rest };
}

function disk(d: Disk, stale: boolean, nameWidth: number): Line {
  const tone: Tone = stale ? 'quiet' : (TONES[d.severity] ?? 'plain');
  const name = d.mount.length > nameWidth ? `...${d.mount.slice(3 - nameWidth)}` : d.mount.padEnd(nameWidth);
  const flags = d.ro ? span(' read-only', 'warn') : span('');
  return [
    span(`${name} `),
    span(fmt.percent(d.used_pct).padStart(4), tone),
    span(' '),
    ...bar(d.used_pct, tone),
    span(SIGNS[d.severity] === undefined ? '' : ` ${SIGNS[d.severity]}`, tone),
    label(` of ${fmt.bytes(d.total_bytes)}`.padEnd(9)),
    flags,
  ];
}

const RANK: Readonly<Record<string, number>> = { critical: 0, unknown: 1, warning: 2, ok: 3 };

/** Mounts that need attention come first, so that a short screen shows them. */
export function diskLines(s: ScreenState, width: number): Line[] {
  const inner = width - 2;
  const chips = storageChips(s);
  const x = shown(s.view.disks);
  const mounts = [...(x?.data.mounts ?? [])].sort((a, b) => (RANK[a.severity] ?? 1) - (RANK[b.severity] ?? 1));
  const nameWidth = Math.min(24, Math.max(4, ...mounts.map((m) => m.mount.length)));
  const disks = x ? mounts.map((d) => disk(d, x.stale, nameWidth)) : [[label('Disks '), missing(s.view.disks)]];
  if (x && mounts.length === 0) disks.push([span('no disk file system is mounted', 'quiet')]);
  if (x?.mark) disks.push([span(x.mark.trim(), 'quiet')]);
  return [...flow(chips.alarms, inner), ...flow(disks, inner, '   '), ...flow(chips.rest, inner)].map((l) => line(' ', ...l));
}
