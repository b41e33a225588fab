/** How the load of the last minutes went. */
import * as fmt from '#status/format.ts';
import { columnChart } from '../chart.ts';
import { SAMPLE_MS } from '../history.ts';
import type { ScreenState } from '../screen-state.ts';
import { type Line, line, rule, span, type Tone } from '../style.ts';

interface Chart {
  readonly title: string;
  readonly values: readonly (number | null)[];
  readonly max: number;
  readonly show: (v: number) => string;
  readonly tone: Tone;
}

/** 1, 2 or 5 times a power of ten, so that the scale does not creep. */
export function niceMax(values: readonly (number | null)[], least: number): number {
  const top = Math.max(least, ...values.filter((v): v is number => v !== null));
  const power = 10 ** Math.floor(Math.log10(top));
  return [1, 2, 5, 10].map((f) => f * power).find((m) => m >= top) ?? top;
}

function chartsOf(s: ScreenState): Chart[] {
  const h = s.history;
  const pct = (v: number): string => `${Math.round(v)}%`;
  return [
    { title: 'CPU', values: h.cpuPct, max: 100, show: pct, tone: 'good' },
    { title: 'Memory', values: h.memoryPct, max: 100, show: pct, tone: 'info' },
    { title: 'CPU pressure, 10 s', values: h.cpuPressurePct, max: 100, show: pct, tone: 'warn' },
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
  const now = last === undefined ? 'no reading yet' : last === null ? '?' : c.show(last);
  const top = c.show(c.max).padStart(LABEL_CELLS - 1);
  const plot = columnChart(c.values, plotWidth, height, c.max, c.tone);
  const labels = plot.map((_, y) => (y === 0 ? top : y === height - 1 ? '0'.padStart(LABEL_CELLS - 1) : ' '.repeat(LABEL_CELLS - 1)));
  return [rule(`${c.title} ${now}`, width), ...plot.map((p, y) => line(span(`${labels[y]} `, 'quiet'), span('│', 'quiet'), ...p))];
}

export const spanText = (cells: number): string => fmt.age(cells * SAMPLE_MS);

/** Four charts below each other, sharing the rows there are. */
export function monitorLines(s: ScreenState, width: number, rows: number): Line[] {
  const charts = chartsOf(s);
  const each = Math.floor(rows / charts.length);
  const shown = each >= 3 ? charts : charts.slice(0, Math.max(1, Math.floor(rows / 3)));
  const height = Math.floor((rows - 1) / shown.length);
  return [
    ...shown.flatMap((c) => draw(c, width, height)),
    line(span(` ${spanText(width - LABEL_CELLS - 2)} ago to now, a column every ${SAMPLE_MS / 1000} s`, 'quiet')),
  ];
}
