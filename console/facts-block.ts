/** Host, vitals, disks and nodes: below each other, or side by side where there is room. */
import { nodeLines } from './panels/cluster.ts';
import { diskLines } from './panels/disks.ts';
import { hostLines } from './panels/host.ts';
import { serviceLines } from './panels/services.ts';
import { vitalsLines } from './panels/vitals.ts';
import type { ScreenState } from './screen-state.ts';
import { fitLine, type Line, line, rule, span } from './style.ts';

/** From here on facts stand side by side. */
const WIDE_COLUMNS = 120;
/** From here on a narrow screen has rows for what it serves, too. */
const ROOMY_ROWS = 40;
/** Below this many rows the panels share one title. */
const TALL_ROWS = 30;

/** A panel that throws must not take the alarms off the screen. */
export function guarded(title: string, draw: () => Line[]): Line[] {
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

const isRule = (l: Line | undefined): boolean => l?.[0]?.text.startsWith('─') ?? false;

/** What stands between two columns in a row: a line that meets the titles it passes. */
function seamGlyph(left: Line | undefined, right: Line | undefined, isFirst: boolean): string {
  if (isRule(left)) return isRule(right) ? (isFirst ? '┬' : '┼') : '┤';
  return isRule(right) ? '├' : '│';
}

function beside(left: readonly Line[], right: readonly Line[], leftWidth: number, rightWidth: number): Line[] {
  const rows = Math.max(left.length, right.length);
  return Array.from({ length: rows }, (_, i) => [
    ...fitLine(left[i] ?? [], leftWidth),
    span(seamGlyph(left[i], right[i], i === 0), 'quiet'),
    ...fitLine(right[i] ?? [], rightWidth),
  ]);
}

/** The title below two columns, joined with the line between them; a title that is written there stays whole. */
export function joinSeam(title: Line, column: number | null): Line {
  if (column === null) return title;
  let x = 0;
  return title.map((s) => {
    const at = column - x;
    x += s.text.length;
    return s.text[at] === '─' ? { ...s, text: `${s.text.slice(0, at)}┴${s.text.slice(at + 1)}` } : s;
  });
}

export interface Facts {
  readonly lines: readonly Line[];
  /** Column of the line between two columns that ends in the last row; null: there is none. */
  readonly seam: number | null;
}

/** At most `rows` rows. */
export function factsBlock(s: ScreenState, columns: number, rows: number, screenRows: number): Facts {
  const panel = (title: string, min: number, draw: (w: number) => Line[], w: number): Panel => ({
    title,
    min,
    lines: guarded(title, () => draw(w)),
  });
  const nodes = panel('Nodes', 1, (w) => nodeLines(s, w), columns);
  const withNodes = nodes.lines.length > 0 ? [nodes] : [];
  if (columns < WIDE_COLUMNS) {
    const services = panel('Services', 0, (w) => serviceLines(s, w), columns);
    const withServices = screenRows >= ROOMY_ROWS && services.lines.length > 0;
    const host = panel('Host', 2, (w) => hostLines(s, w, !withServices), columns);
    const vitals = panel('Vitals', 1, (w) => vitalsLines(s, w), columns);
    const disks = panel('Disks', 1, (w) => diskLines(s, w), columns);
    const panels = [host, vitals, disks, ...withNodes, ...(withServices ? [services] : [])];
    return { lines: screenRows < TALL_ROWS ? shared(panels, rows, columns) : stack(panels, rows, columns), seam: null };
  }
  const leftWidth = Math.floor((columns - 1) / 2);
  const rightWidth = columns - 1 - leftWidth;
  const nodeRows = nodes.lines.length > 0 ? Math.min(nodes.lines.length + 1, Math.floor(rows / 3)) : 0;
  const services = panel('Services', 0, (w) => serviceLines(s, w), leftWidth);
  const host = panel('Host', 2, (w) => hostLines(s, w, services.lines.length === 0), leftWidth);
  const left = stack([host, ...(services.lines.length > 0 ? [services] : [])], rows - nodeRows, leftWidth);
  const vitals = panel('Vitals', 1, (w) => vitalsLines(s, w, true), rightWidth);
  const disks = panel('Disks', 1, (w) => diskLines(s, w), rightWidth);
  const both = beside(left, stack([vitals, disks], rows - nodeRows, rightWidth), leftWidth, rightWidth);
  const [title, ...below] = stack(withNodes, nodeRows, columns);
  if (title === undefined) return { lines: both, seam: both.length > 0 ? leftWidth : null };
  return { lines: [...both, joinSeam(title, leftWidth), ...below], seam: null };
}

/** Panels under one title: on a short screen every row counts. */
function shared(panels: readonly Panel[], rows: number, width: number): Line[] {
  if (rows < 1) return [];
  // The titles that are not drawn are rows won.
  const heights = fitPanels(panels, rows - 1 + panels.length);
  const hidden = panels.reduce((n, p, i) => n + p.lines.length - (heights[i] ?? 0), 0);
  const lines = panels.flatMap((p, i) => p.lines.slice(0, heights[i] ?? 0));
  return [rule(panels[0]?.title ?? '', width, 'info', hidden > 0 ? `+${hidden} more` : ''), ...lines].slice(0, rows);
}
