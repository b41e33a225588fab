/**
 * Puts panels onto a screen by priority. Alarms and keys always have their place; then host, vitals and disks; the log
 * takes what is left. What does not fit is counted, never silently dropped.
 */

import { boxOf } from './dialogs/box.ts';
import { factsBlock, guarded, joinSeam } from './facts-block.ts';
import { headerLine } from './panels/header.ts';
import { healthLines } from './panels/health.ts';
import { keyBar } from './panels/key-bar.ts';
import { entriesOf, logLines, logTitle } from './panels/log.ts';
import { monitorLines } from './panels/monitor.ts';
import { chosenPod, hasPods, podLines, podsTitle } from './panels/pods.ts';
import { processLines, processScroll } from './panels/processes.ts';
import { pullLines } from './panels/pull.ts';
import { verdictLines } from './panels/verdict.ts';
import type { Page, ScreenState, Size } from './screen-state.ts';
import { cutLine, type Line, line, span, widthOf, widthOfLine } from './style.ts';

/** Rows of the frame that belong together; one component draws each. */
export interface Block {
  readonly id: 'header' | 'verdict' | 'facts' | 'pods' | 'log' | 'health' | 'monitor' | 'processes' | 'pull' | 'keys';
  readonly lines: readonly Line[];
}

const MIN_SIZE: Size = { columns: 40, rows: 10 };
/** The log keeps its title and at least this many lines. */
const LOG_MIN_LINES = 3;
/** And so do the pods, where there are any. */
const PODS_MIN_LINES = 3;

/** Rows for the pods: what they need, but never more than two thirds, and the log keeps its least. */
function podsBlock(s: ScreenState, columns: number, free: number): Line[] {
  if (!hasPods(s)) return [];
  const count = Math.max(1, s.view.pods?.data?.list.length ?? 1);
  // Title, and the heading that a long list has.
  const wanted = count + (count > 6 ? 2 : 1);
  const most = Math.max(Math.floor((free * 2) / 3), free - 1 - LOG_MIN_LINES - (wanted + 1));
  const rows = Math.min(wanted, most, free - 1 - LOG_MIN_LINES) - 1;
  if (rows < 1) return [podsTitle(s, columns, podLines(s, columns, 0).hidden)].slice(0, Math.max(0, free));
  const { lines, hidden } = podLines(s, columns, rows);
  return [podsTitle(s, columns, hidden), ...lines];
}

function dashboard(s: ScreenState, { columns, rows }: Size): Block[] {
  const verdictRows = Math.max(3, Math.floor(rows / 3));
  const verdict = guarded('Verdict', () => verdictLines(s, columns, verdictRows));
  const left = rows - 2 - verdict.length;
  const podsMin = hasPods(s) ? PODS_MIN_LINES + 1 : 0;
  const facts = factsBlock(s, columns, Math.max(0, left - 1 - LOG_MIN_LINES - podsMin), rows);
  const body = facts.lines;
  const pods = guarded('Pods', () => podsBlock(s, columns, left - body.length));
  const logRows = Math.max(0, left - body.length - pods.length - 1);
  const log = [logTitle(s.log, columns), ...guarded('Log', () => logLines(s, columns, logRows))];
  const joined = (lines: readonly Line[], isNext: boolean): readonly Line[] =>
    isNext ? lines.map((l, i) => (i === 0 ? joinSeam(l, facts.seam) : l)) : lines;
  return [
    { id: 'verdict', lines: verdict },
    { id: 'facts', lines: body },
    { id: 'pods', lines: joined(pods, true) },
    { id: 'log', lines: joined(padTo(log, left - body.length - pods.length), pods.length === 0) },
  ];
}

/** Every pod; one of them is chosen. */
function podsPage(s: ScreenState, { columns, rows }: Size): Block[] {
  const verdict = guarded('Verdict', () => verdictLines(s, columns, 3));
  const left = rows - 2 - verdict.length;
  const body = guarded('Pods', () => {
    const { lines, hidden } = podLines(s, columns, left - 1, chosenPod(s));
    return [podsTitle(s, columns, hidden), ...lines];
  });
  return [
    { id: 'verdict', lines: verdict },
    { id: 'pods', lines: padTo(body, left) },
  ];
}

function padTo(lines: readonly Line[], rows: number): Line[] {
  const n = Math.max(0, rows);
  return [...lines.slice(0, n), ...Array.from({ length: Math.max(0, n - lines.length) }, (): Line => [])];
}

function logPage(s: ScreenState, { columns, rows }: Size): Block[] {
  const verdict = guarded('Verdict', () => verdictLines(s, columns, 3));
  const left = rows - 2 - verdict.length;
  const followed = s.page === 'podlog' ? s.podLog : null;
  const view = followed?.log ?? s.log;
  const typing = view.typing ? [line(span(' filter: ', 'strong'), span(`${view.filter}_`))] : [];
  const rowsLeft = left - 1 - typing.length;
  const title = followed ? logTitle(view, columns, `Log of ${followed.pod}`, followed.ended ?? '') : logTitle(view, columns);
  const entries = guarded('Log', () =>
    followed
      ? entriesOf(view, s, columns, rowsLeft, followed.ended === null ? 'waiting for lines' : 'no lines')
      : logLines(s, columns, rowsLeft),
  );
  const log = [title, ...entries];
  return [
    { id: 'verdict', lines: verdict },
    { id: 'log', lines: [...padTo(log, left - typing.length), ...typing] },
  ];
}

function healthPage(s: ScreenState, { columns, rows }: Size): Block[] {
  const all = guarded('Health', () => healthLines(s, columns));
  const room = rows - 2;
  const from = Math.min(s.scroll, Math.max(0, all.length - room));
  const below = all.length - from - room;
  const part = padTo(all.slice(from, from + room), room);
  if (below > 0) part[room - 1] = line(span(` +${below + 1} more lines  PgDn`, 'strong'));
  return [{ id: 'health', lines: part }];
}

/** Too small for panels: the verdict alone. */
const tiny = (s: ScreenState, { columns, rows }: Size): Block[] => [
  {
    id: 'verdict',
    lines: padTo(
      guarded('Verdict', () => verdictLines(s, columns, Math.max(1, rows - 2))),
      rows - 2,
    ),
  },
];

function monitorPage(s: ScreenState, { columns, rows }: Size): Block[] {
  const verdict = guarded('Verdict', () => verdictLines(s, columns, 3));
  const left = rows - 2 - verdict.length;
  return [
    { id: 'verdict', lines: verdict },
    {
      id: 'monitor',
      lines: padTo(
        guarded('Monitor', () => monitorLines(s, columns, left)),
        left,
      ),
    },
  ];
}

/** One panel below the verdict; the lines that do not fit can be scrolled to, and are counted. */
function underVerdict(id: 'pull' | 'processes', s: ScreenState, { columns, rows }: Size, draw: (left: number) => Line[]): Block[] {
  const verdict = guarded('Verdict', () => verdictLines(s, columns, 3));
  const left = rows - 2 - verdict.length;
  return [
    { id: 'verdict', lines: verdict },
    { id, lines: padTo(draw(left), left) },
  ];
}

const processesPage = (s: ScreenState, size: Size): Block[] =>
  underVerdict('processes', s, size, (left) => guarded('Processes', () => processLines(s, size.columns, left)));

const pullPage = (s: ScreenState, size: Size): Block[] =>
  underVerdict('pull', s, size, (left) => {
    const all = guarded('Panel', () => pullLines(s, size.columns));
    const from = Math.min(s.scroll, Math.max(0, all.length - left));
    const below = all.length - from - left;
    const part = padTo(all.slice(from, from + left), left);
    if (below > 0) part[left - 1] = line(span(` +${below + 1} more lines  PgDn`, 'strong'));
    return part;
  });

/** How far a page can be scrolled. */
export function scrollLimit(s: ScreenState, size: Size): number {
  const below = (lines: number): number => Math.max(0, lines - (size.rows - 2));
  switch (s.page) {
    case 'health':
      return below(guarded('Health', () => healthLines(s, size.columns)).length);
    case 'pull':
      return below(guarded('Panel', () => pullLines(s, size.columns)).length + 3);
    case 'processes':
      return processScroll(s, size.rows - 5);
    default:
      return 0;
  }
}

/** Cells `from` to `to` of a line, blanks where it is shorter. */
function slice(l: Line, from: number, to: number): Line {
  const out: { text: string; tone: Line[number]['tone'] }[] = [];
  let x = 0;
  const missing = Math.max(0, to - widthOfLine(l));
  for (const s of [...l, { text: ' '.repeat(missing), tone: 'plain' as const }]) {
    let text = '';
    for (const c of s.text) {
      if (x >= from && x < to) text += c;
      x += widthOf(c);
    }
    if (text !== '') out.push({ text, tone: s.tone });
  }
  return out;
}

/** Lays a dialog over the middle of the frame; the header and the keys stay free. */
function overlay(blocks: readonly Block[], s: ScreenState, size: Size): Block[] {
  if (!s.dialog) return [...blocks];
  const box = boxOf(s.dialog, s, { columns: Math.min(size.columns, 72), rows: size.rows - 2 });
  const width = Math.max(...box.map(widthOfLine));
  const x = Math.max(0, Math.floor((size.columns - width) / 2));
  const y = 1 + Math.max(0, Math.floor((size.rows - 2 - box.length) / 2));
  let row = 0;
  return blocks.map((b) => ({
    ...b,
    lines: b.lines.map((l) => {
      const over = box[row - y];
      row += 1;
      return over ? [...slice(l, 0, x), ...over, ...slice(l, x + width, size.columns)] : l;
    }),
  }));
}

/** The whole frame: exactly `rows` rows, none wider than `columns`. */
export function composeBlocks(s: ScreenState, size: Size): Block[] {
  const { columns } = size;
  const pages: Readonly<Record<Page, (s: ScreenState, size: Size) => Block[]>> = {
    dashboard,
    log: logPage,
    podlog: logPage,
    health: healthPage,
    pods: podsPage,
    monitor: monitorPage,
    processes: processesPage,
    pull: pullPage,
  };
  const isTiny = columns < MIN_SIZE.columns || size.rows < MIN_SIZE.rows;
  const body = isTiny ? tiny(s, size) : pages[s.page](s, size);
  const blocks: Block[] = [
    { id: 'header', lines: [guarded('Header', () => [headerLine(s, columns)])[0] ?? []] },
    ...body,
    { id: 'keys', lines: [keyBar(s, columns)] },
  ];
  return overlay(blocks, s, size).map((b) => ({ ...b, lines: b.lines.map((l) => cutLine(l, columns)) }));
}

/** The same as one list of lines, for tests. */
export const composeFrame = (s: ScreenState, size: Size): Line[] => composeBlocks(s, size).flatMap((b) => [...b.lines]);
