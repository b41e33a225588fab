/** The log: newest at the bottom, one line an entry, worst marked by a letter as well as a colour. */
import type { LogLine } from '#model/status.ts';
import { localTimeOf } from '../clock.ts';
import type { LogView, ScreenState } from '../screen-state.ts';
import { cutLine, type Line, line, pad, rule, span, type Tone } from '../style.ts';
import { timezoneOf } from './header.ts';

const TONES: Readonly<Record<string, Tone>> = { err: 'bad', warn: 'warn', info: 'plain', debug: 'quiet' };
const MARKS: Readonly<Record<string, string>> = { err: 'E', warn: 'W' };
const UNIT_CELLS = 12;

export function entryLine(e: LogLine, timezone: string, width: number): Line {
  const t = localTimeOf(e.at, timezone);
  const tone = TONES[e.sev] ?? 'plain';
  return cutLine(
    line(
      ' ',
      span(t.time, 'quiet'),
      ' ',
      span(MARKS[e.sev] ?? ' ', tone),
      ' ',
      span(pad(e.unit ?? '-', UNIT_CELLS), 'quiet'),
      ' ',
      span(e.text, tone),
    ),
    width,
  );
}

/** Entries the filter lets through. */
export function filtered(log: LogView): readonly LogLine[] {
  const wanted = log.filter.toLowerCase();
  return wanted === '' ? log.lines : log.lines.filter((e) => `${e.unit ?? ''} ${e.text}`.toLowerCase().includes(wanted));
}

export function logLines(s: ScreenState, width: number, rows: number): Line[] {
  const all = filtered(s.log);
  const end = Math.max(0, all.length - s.log.scroll);
  const part = all.slice(Math.max(0, end - rows), end);
  if (part.length === 0) {
    const why =
      s.log.lines.length > 0
        ? 'no line holds the filter text'
        : s.link.state === 'live'
          ? 'no log lines yet'
          : 'no log without the supervisor';
    return [line(' ', span(why, 'quiet'))];
  }
  return part.map((e) => entryLine(e, timezoneOf(s), width));
}

export function logTitle(s: ScreenState, width: number): Line {
  const hidden = s.log.scroll > 0 ? `${s.log.scroll} newer below` : '';
  const notes = [s.log.paused ? 'PAUSED' : '', s.log.filter === '' ? '' : `only "${s.log.filter}"`, hidden].filter((n) => n !== '');
  return rule('Log', width, 'info', notes.join(', '));
}
