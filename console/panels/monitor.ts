/** How the load of the last minutes went. */
import * as fmt from '#status/format.ts';
import { columnChart } from '../chart.ts';
import { SAMPLE_MS } from '../history.ts';
import { shown } from '../reading.ts';
import type { ScreenState } from '../screen-state.ts';
import { type Line, line, rule, span, type Tone } from '../style.ts';

interface Chart {
  readonly title: string;
  readonly values: readonly (number | null)[];
  readonly max: number;
  readonly show: (v: number) => string;
  readonly tone: Tone;
  /** Why there never will be a value here; left out: there may. */
  readonly absent?: string | null;
}

/** 1, 2 or 5 times a power of ten, so that the scale does not creep. */
export function niceMax(values: readonly (number | null)[], least: number): number {
  const top = Math.max(least, ...values.filter((v): v is number => v !== null));
  const power = 10 ** Math.floor(Math.log10(top));
  return [1, 2, 5, 10].map((f) => f * power).find((m) => m >= top) ?? top;
}

const psiAbsent = (s: ScreenState): string | null => (s.view.psi?.freshness === 'not_applicable' ? 'not reported by this kernel' : null);

/** Which file system is the fullest now; the chart follows whichever is. */
function fullestTitle(s: ScreenState): string {
  const mounts = shown(s.view.disks)?.data.mounts ?? [];
  const [first] = [...mounts].sort((a, b) => (b.used_pct ?? -1) - (a.used_pct ?? -1));
  return first === undefined || first.used_pct === null ? 'Fullest disk' : `Fullest disk, ${first.mount}`;
}

function chartsOf(s: ScreenState): Chart[] {
  const h = s.history;
  const pct = (v: number): string => `${Math.round(v)}%`;
  return [
    { title: 'CPU', values: h.cpuPct, max: 100, show: pct, tone: 'good' },
    { title: 'Memory', values: h.memoryPct, max: 100, show: pct, tone: 'info' },
    { title: 'Pressure, worst of CPU, memory, disks', values: h.pressurePct, max: 100, show: pct, tone: 'warn', absent: psiAbsent(s) },
    { title: fullestTitle(s), values: h.diskPct, max: 100, show: pct, tone: 'plain' },
    {
      title: 'Network',
      values: h.networkBytesPerS,
      max: niceMax(h.networkBytesPerS, 1000),
      show: (v) => `${fmt.bytes(v)}/s`,
      tone: 'info',
    },
  ];
}

const LABEL_CELLS = 8;

function draw(c: Chart, width: number, rows: number): Line[] {
  const height = Math.max(1, rows - 1);
  const plotWidth = Math.max(1, width - LABEL_CELLS - 2);
  const last = c.values.at(-1);
  const now = c.absent ?? (last === undefined ? 'no reading yet' : last === null ? '?' : c.show(last));
  const top = c.show(c.max).padStart(LABEL_CELLS - 1);
  const plot = columnChart(c.values, plotWidth, height, c.max, c.tone);
  const labels = plot.map((_, y) => (y === 0 ? top : y === height - 1 ? '0'.padStart(LABEL_CELLS - 1) : ' '.repeat(LABEL_CELLS - 1)));
  return [rule(`${c.title} ${now}`, width), ...plot.map((p, y) => line(span(`${labels[y]} `, 'quiet'), span('│', 'quiet'), ...p))];
}

const spanText = (cells: number): string => fmt.age(cells * SAMPLE_MS);

/** Charts below each other, sharing the rows there are. */
export function monitorLines(s: ScreenState, width: number, rows: number): Line[] {
  const charts = chartsOf(s);
  const each = Math.floor(rows / charts.length);
  const drawn = each >= 3 ? charts : charts.slice(0, Math.max(1, Math.floor((rows - 1) / 3)));
  const height = Math.floor((rows - 1) / drawn.length);
  // Rows that are left over make the first charts taller.
  const spare = rows - 1 - height * drawn.length;
  const left = charts.length - drawn.length;
  return [
    ...drawn.flatMap((c, i) => draw(c, width, height + (i < spare ? 1 : 0))),
    line(
      span(
        ` ${spanText(width - LABEL_CELLS - 2)} ago to now, a column every ${SAMPLE_MS / 1000} s${left > 0 ? `; +${left} more charts on a taller screen` : ''}`,
        'quiet',
      ),
    ),
  ];
}
