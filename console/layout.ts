/**
 * Puts panels onto a screen by priority. Alarms and keys always have their place; then host, vitals and disks; the log
 * takes what is left. What does not fit is counted, never silently dropped.
 */
import { boxOf } from './dialogs/box.ts';
import { diskLines } from './panels/disks.ts';
import { headerLine } from './panels/header.ts';
import { healthLines } from './panels/health.ts';
import { hostLines } from './panels/host.ts';
import { keyBar } from './panels/key-bar.ts';
import { logLines, logTitle } from './panels/log.ts';
import { verdictLines } from './panels/verdict.ts';
import { vitalsLines } from './panels/vitals.ts';
import type { ScreenState, Size } from './screen-state.ts';
import { cutLine, fitLine, type Line, line, rule, span, widthOf, widthOfLine } from './style.ts';

/** Rows of the frame that belong together; one component draws each. */
export interface Block {
  readonly id: 'header' | 'verdict' | 'facts' | 'log' | 'health' | 'keys';
  readonly lines: readonly Line[];
}

export const MIN_SIZE: Size = { columns: 40, rows: 10 };
/** From here on facts stand side by side. */
const WIDE_COLUMNS = 120;
/** The log keeps its title and at least this many lines. */
const LOG_MIN_LINES = 3;

/** A panel that throws must not take the alarms off the screen. */
function guarded(title: string, draw: () => Line[]): Line[] {
  try {
    return draw();
  } catch (error) {
    return [line(span(` ${title}: cannot be drawn (${error instanceof Error ? error.message : 'unknown fault'})`, 'warn'))];
  }
}

interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
  /** Rows kept when there is not enough room. */
  readonly min: number;
}

/** Cuts panels, the last first, until they fit into `rows`; each has a title row. */
export function fitPanels(panels: readonly Panel[], rows: number): number[] {
  const heights = panels.map((p) => p.lines.length);
  const total = (): number => heights.reduce((a, b) => a + b + 1, 0);
  for (let i = panels.length - 1; i >= 0 && total() > rows; i -= 1) {
    const spare = Math.max(0, (heights[i] ?? 0) - (panels[i]?.min ?? 0));
    heights[i] = (heights[i] ?? 0) - Math.min(spare, total() - rows);
  }
  return heights;
}

function drawPanel(p: Panel, height: number, width: number): Line[] {
  const hidden = p.lines.length - height;
  return [rule(p.title, width, 'info', hidden > 0 ? `+${hidden} more` : ''), ...p.lines.slice(0, height)];
}

function stack(panels: readonly Panel[], rows: number, width: number): Line[] {
  const heights = fitPanels(panels, rows);
  return panels.flatMap((p, i) => drawPanel(p, heights[i] ?? 0, width)).slice(0, Math.max(0, rows));
}

function beside(left: readonly Line[], right: readonly Line[], leftWidth: number, rightWidth: number): Line[] {
  const rows = Math.max(left.length, right.length);
  return Array.from({ length: rows }, (_, i) => [
    ...fitLine(left[i] ?? [], leftWidth),
    span('│', 'quiet'),
    ...fitLine(right[i] ?? [], rightWidth),
  ]);
}

function facts(s: ScreenState, columns: number, rows: number): Line[] {
  const panel = (title: string, min: number, draw: (w: number) => Line[], w: number): Panel => ({
    title,
    min,
    lines: guarded(title, () => draw(w)),
  });
  if (columns < WIDE_COLUMNS) {
    const panels = [
      panel('Host', 2, (w) => hostLines(s, w), columns),
      panel('Vitals', 1, (w) => vitalsLines(s, w), columns),
      panel('Disks', 1, (w) => diskLines(s, w), columns),
    ];
    return stack(panels, rows, columns);
  }
  const leftWidth = Math.floor((columns - 1) / 2);
  const rightWidth = columns - 1 - leftWidth;
  const left = stack([panel('Host', 2, (w) => hostLines(s, w), leftWidth)], rows, leftWidth);
  const right = stack(
    [panel('Vitals', 1, (w) => vitalsLines(s, w), rightWidth), panel('Disks', 1, (w) => diskLines(s, w), rightWidth)],
    rows,
    rightWidth,
  );
  return beside(left, right, leftWidth, rightWidth);
}

function dashboard(s: ScreenState, { columns, rows }: Size): Block[] {
  const verdictRows = Math.max(3, Math.floor(rows / 3));
  const verdict = guarded('Verdict', () => verdictLines(s, columns, verdictRows));
  const left = rows - 2 - verdict.length;
  const body = facts(s, columns, Math.max(0, left - 1 - LOG_MIN_LINES));
  const logRows = Math.max(0, left - body.length - 1);
  const log = [logTitle(s, columns), ...guarded('Log', () => logLines(s, columns, logRows))];
  return [
    { id: 'verdict', lines: verdict },
    { id: 'facts', lines: body },
    { id: 'log', lines: padTo(log, left - body.length) },
  ];
}

function padTo(lines: readonly Line[], rows: number): Line[] {
  const n = Math.max(0, rows);
  return [...lines.slice(0, n), ...Array.from({ length: Math.max(0, n - lines.length) }, (): Line => [])];
}

function logPage(s: ScreenState, { columns, rows }: Size): Block[] {
  const verdict = guarded('Verdict', () => verdictLines(s, columns, 2));
  const left = rows - 2 - verdict.length;
  const typing = s.log.typing ? [line(span(' filter: ', 'strong'), span(`${s.log.filter}_`))] : [];
  const log = [logTitle(s, columns), ...guarded('Log', () => logLines(s, columns, left - 1 - typing.length))];
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

/** How far a page can be scrolled. */
export function scrollLimit(s: ScreenState, size: Size): number {
  return s.page === 'health' ? Math.max(0, guarded('Health', () => healthLines(s, size.columns)).length - (size.rows - 2)) : 0;
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
  const pages = { dashboard, log: logPage, health: healthPage } as const;
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
