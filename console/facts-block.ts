/** Host, vitals, disks and nodes: below each other, or side by side where there is room. */
import { nodeLines } from './panels/cluster.ts';
import { diskLines } from './panels/disks.ts';
import { hostLines } from './panels/host.ts';
import { vitalsLines } from './panels/vitals.ts';
import type { ScreenState } from './screen-state.ts';
import { fitLine, type Line, line, rule, span } from './style.ts';

/** From here on facts stand side by side. */
const WIDE_COLUMNS = 120;
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

function beside(left: readonly Line[], right: readonly Line[], leftWidth: number, rightWidth: number): Line[] {
  const rows = Math.max(left.length, right.length);
  return Array.from({ length: rows }, (_, i) => [
    ...fitLine(left[i] ?? [], leftWidth),
    span('│', 'quiet'),
    ...fitLine(right[i] ?? [], rightWidth),
  ]);
}

/** At most `rows` rows. */
export function factsBlock(s: ScreenState, columns: number, rows: number, screenRows: number): Line[] {
  const panel = (title: string, min: number, draw: (w: number) => Line[], w: number): Panel => ({
    title,
    min,
    lines: guarded(title, () => draw(w)),
  });
  const nodes = panel('Nodes', 1, (w) => nodeLines(s, w), columns);
  const withNodes = nodes.lines.length > 0 ? [nodes] : [];
  if (columns < WIDE_COLUMNS) {
    const host = panel('Host', 2, (w) => hostLines(s, w), columns);
    const vitals = panel('Vitals', 1, (w) => vitalsLines(s, w), columns);
    const disks = panel('Disks', 1, (w) => diskLines(s, w), columns);
    return screenRows < TALL_ROWS
      ? shared([host, vitals, disks, ...withNodes], rows, columns)
      : stack([host, vitals, disks, ...withNodes], rows, columns);
  }
  const leftWidth = Math.floor((columns - 1) / 2);
  const rightWidth = columns - 1 - leftWidth;
  const nodeRows = nodes.lines.length > 0 ? Math.min(nodes.lines.length + 1, Math.floor(rows / 3)) : 0;
  const left = stack([panel('Host', 2, (w) => hostLines(s, w), leftWidth)], rows - nodeRows, leftWidth);
  const right = stack(
    [panel('Vitals', 1, (w) => vitalsLines(s, w, true), rightWidth), panel('Disks', 1, (w) => diskLines(s, w), rightWidth)],
    rows - nodeRows,
    rightWidth,
  );
  return [...beside(left, right, leftWidth, rightWidth), ...stack(withNodes, nodeRows, columns)];
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
