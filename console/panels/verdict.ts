/** The verdict and every reason for it. A reason is wrapped, never clipped. */
import type { Level, VerdictReason } from '#model/status.ts';
import * as fmt from '#status/format.ts';
import { isNobody } from '#status/pull.ts';
import { wrap } from '#ui/text.ts';
import { localTimeOf } from '../clock.ts';
import type { ScreenState } from '../screen-state.ts';
import { cutLine, type Line, line, rule, span, type Tone, widthOf, widthOfLine } from '../style.ts';
import { timezoneOf } from './header.ts';

export const LEVEL_TONES: Readonly<Record<Level, Tone>> = { CRITICAL: 'bad', DEGRADED: 'warn', UNKNOWN: 'info', HEALTHY: 'good' };
/** Glyphs that the kernel font and Debian's console fonts share; the word is always beside them. */
export const LEVEL_SIGNS: Readonly<Record<Level, string>> = { CRITICAL: '■', DEGRADED: '▲', UNKNOWN: '?', HEALTHY: '•' };

function since(r: VerdictReason, s: ScreenState): string {
  const ageMs = s.wallMs - Date.parse(r.since);
  if (!Number.isFinite(ageMs)) return 'since ?';
  const t = localTimeOf(r.since, timezoneOf(s));
  const when = Math.abs(ageMs) < 24 * 3_600_000 ? t.time.slice(0, 5) : t.date;
  // Whole minutes at least, so that the line does not change every second.
  return ageMs < 60_000 ? `since ${when}` : `since ${when} (${fmt.age(ageMs)})`;
}

/** One reason over as many lines as it needs. */
export function reasonLines(r: VerdictReason, s: ScreenState, width: number): Line[] {
  const sign = span(` ${LEVEL_SIGNS[r.level]} `, LEVEL_TONES[r.level]);
  const tail = `${since(r, s)}${r.action_hint ? `  ${r.action_hint}` : ''}`;
  const inner = width - 4;
  const text = wrap(r.text, inner);
  const last = text.at(-1) ?? '';
  const fits = widthOf(last) + 2 + widthOf(tail) <= inner;
  const lines = text.map((t, i) => line(i === 0 ? sign : '   ', span(t, i === 0 && r.level === 'CRITICAL' ? 'bad' : 'plain')));
  if (!fits) return [...lines, line('   ', span(tail, 'quiet'))];
  const gap = ' '.repeat(inner - widthOf(last) - widthOf(tail) + 1);
  return [...lines.slice(0, -1), [...(lines.at(-1) ?? []), span(gap), span(tail, 'quiet')]];
}

export function verdictTitle(s: ScreenState, width: number): Line {
  const level = s.verdict?.level ?? 'UNKNOWN';
  const count = s.verdict?.reasons.length ?? 0;
  const note = count === 0 ? '' : `${count} reason${count === 1 ? '' : 's'}`;
  return rule(`${LEVEL_SIGNS[level]} ${level}`, width, LEVEL_TONES[level], note);
}

function linkLines(s: ScreenState, width: number): Line[] {
  if (s.link.state === 'live') return [];
  if (s.link.state === 'connecting') return [line(span(' ? ', 'info'), 'waiting for the supervisor')];
  const at = localTimeOf(s.link.since, timezoneOf(s)).time;
  const { why } = s.link;
  const said = line(span(' ? ', 'info'), span(`supervisor not available (since ${at}) - local data only`, 'strong'));
  // Why is what has to be mended: it is never cut.
  const told =
    widthOfLine(said) + 2 + widthOf(why) <= width
      ? [line(...said, span(`  ${why}`, 'quiet'))]
      : [said, ...wrap(why, width - 4).map((t) => line('   ', span(t, 'quiet')))];
  // No appliance, so somebody is trying it out; on an appliance systemd starts the supervisor.
  const hint = span('   start one: spatium supervise --socket FILE, and give FILE to the console too', 'quiet');
  return s.powerWhy === null || !isNobody(why) ? told : [...told, line(hint)];
}

/** Sections that nobody knows, in one sentence: a silent supervisor must not push real alarms off the screen. F7 lists them singly. */
function unknownLines(reasons: readonly VerdictReason[], width: number): Line[] {
  const names = reasons.map((r) => r.text.split(': ')[0] ?? r.section);
  return wrap(`not known: ${names.join(', ')}`, width - 4).map((t, i) => line(span(i === 0 ? ' ? ' : '   ', 'info'), t));
}

const moreLine = (count: number): Line => line(span(`   +${count} more reason${count === 1 ? '' : 's'}  F7 lists all`, 'strong'));

/** Title, then the reasons, worst first; at most `maxRows` rows, and what is left out is counted. */
export function verdictLines(s: ScreenState, width: number, maxRows: number): Line[] {
  const out: Line[] = [verdictTitle(s, width), ...linkLines(s, width)];
  // The lost link is said above, with its time.
  const all = (s.verdict?.reasons ?? []).filter((r) => r.code !== 'supervisor.unreachable');
  const unknown = all.filter((r) => r.code === 'section.unknown');
  const isMany = unknown.length > 2;
  const reasons = isMany ? all.filter((r) => r.code !== 'section.unknown') : all;
  if (s.verdict === null && s.link.state === 'live') out.push(line(span(' ? ', 'info'), 'no verdict yet'));
  if (reasons.length === 0 && s.verdict?.level === 'HEALTHY') out.push(line(span(' • ', 'good'), 'everything that is watched is in order'));
  // Their sentence has its place whatever comes before it.
  const room = maxRows - (isMany ? unknownLines(unknown, width).length : 0);
  for (const [i, r] of reasons.entries()) {
    const lines = reasonLines(r, s, width);
    const isLast = i === reasons.length - 1;
    if (out.length + lines.length + (isLast ? 0 : 1) > room) {
      // The worst one is seen on every page; what does not fit of it ends in dots, and F7 has it whole.
      const first =
        i === 0 && reasons.length > 1 ? cutLine(line(span(` ${LEVEL_SIGNS[r.level]} `, LEVEL_TONES[r.level]), r.text), width) : null;
      if (first && out.length + 2 <= room) {
        out.push(first, moreLine(reasons.length - 1));
        break;
      }
      if (i === 0 && reasons.length === 1) {
        out.push(...lines.slice(0, Math.max(1, room - out.length)));
        break;
      }
      out.push(moreLine(reasons.length - i));
      break;
    }
    out.push(...lines);
  }
  if (isMany) out.push(...unknownLines(unknown, width));
  return out;
}
