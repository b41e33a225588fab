/** The log: newest at the bottom, one line an entry, worst marked by a letter as well as a colour. */
import type { LogLine } from '#model/status.ts';
import { localTimeOf } from '../clock.ts';
import type { LogView, ScreenState } from '../screen-state.ts';
import { cutLine, type Line, line, pad, rule, span, type Tone } from '../style.ts';
import { timezoneOf } from './header.ts';

const TONES: Readonly<Record<string, Tone>> = { err: 'bad', warn: 'warn', info: 'plain', debug: 'quiet' };
const MARKS: Readonly<Record<string, string>> = { err: 'E', warn: 'W' };
const TIME_CELLS = 8;
const UNIT_CELLS = 12;
/** Where there is room, the names of most units are shown whole. */
const WIDE_UNIT_CELLS = 24;
const WIDE_COLUMNS = 160;

const unitCells = (width: number): number => (width >= WIDE_COLUMNS ? WIDE_UNIT_CELLS : UNIT_CELLS);

/** The places of what the filter wants stand out, for there is no other sign of why a line is here. */
function marked(text: string, tone: Tone, wanted: string): Line {
  const at = wanted === '' ? -1 : text.toLowerCase().indexOf(wanted);
  // A text whose lower case has another length is shown as it is.
  if (at < 0 || text.toLowerCase().length !== text.length) return line(span(text, tone));
  const end = at + wanted.length;
  return [span(text.slice(0, at), tone), span(text.slice(at, end), 'key'), ...marked(text.slice(end), tone, wanted)];
}

function entryLine(e: LogLine, timezone: string, width: number, wanted: string): Line {
  // Lines of a pod carry their own time, or none.
  const tone = TONES[e.sev] ?? 'plain';
  if (e.at === '') return cutLine([...line(' ', span(`${MARKS[e.sev] ?? ' '} `, tone)), ...marked(e.text, tone, wanted)], width);
  const t = localTimeOf(e.at, timezone);
  return cutLine(
    [
      ...line(' ', span(pad(t.time, TIME_CELLS), 'quiet'), ' ', span(MARKS[e.sev] ?? ' ', tone), ' '),
      ...marked(pad(e.unit ?? '-', unitCells(width)), 'quiet', wanted),
      span(' '),
      ...marked(e.text, tone, wanted),
    ],
    width,
  );
}

/** Entries the filter lets through. */
function filtered(log: LogView): readonly LogLine[] {
  const wanted = log.filter.toLowerCase();
  return wanted === '' ? log.lines : log.lines.filter((e) => `${e.unit ?? ''} ${e.text}`.toLowerCase().includes(wanted));
}

/** The newest entries that fit, or `empty` when there are none. */
export function entriesOf(log: LogView, s: ScreenState, width: number, rows: number, empty: string): Line[] {
  const all = filtered(log);
  const end = Math.max(0, all.length - log.scroll);
  const part = all.slice(Math.max(0, end - rows), end);
  if (part.length === 0) {
    return [line(' ', span(log.lines.length > 0 ? 'no line holds the filter text' : empty, 'quiet'))];
  }
  return part.map((e) => entryLine(e, timezoneOf(s), width, log.filter.toLowerCase()));
}

export const logLines = (s: ScreenState, width: number, rows: number): Line[] =>
  entriesOf(s.log, s, width, rows, s.link.state === 'live' ? 'no log lines yet' : 'no log without the supervisor');

export function logTitle(log: LogView, width: number, title = 'Log', more = ''): Line {
  const hidden = log.scroll > 0 ? `${log.scroll} newer below` : '';
  const notes = [more, log.note, log.paused ? 'PAUSED' : '', log.filter === '' ? '' : `only "${log.filter}"`, hidden];
  return rule(title, width, 'info', notes.filter((n) => n !== '').join(', '));
}
