import { describe, expect, it } from 'vitest';
import { columnChart } from '#console/chart.ts';
import { History, SAMPLE_MS } from '#console/history.ts';
import { niceMax } from '#console/panels/monitor.ts';
import { textOf } from '#console/style.ts';
import { healthyView } from '../../support/status-fixtures.ts';

const chart = (values: (number | null)[], width = values.length, height = 2): string[] =>
  columnChart(values, width, height, 100, 'good').map(textOf);

describe('column chart', () => {
  it('draws thirds of a cell, newest at the right', () => {
    expect(chart([0, 17, 33, 50, 67, 83, 100])).toEqual(['    ░▒█', ' ░▒████']);
    expect(chart([100], 3)).toEqual(['  █', '  █']);
  });
  it('the smallest value shows, zero is empty, and not measured is neither', () => {
    expect(chart([0.1, 0, null], 3, 1)).toEqual(['░ ─']);
  });
  it('what is above the scale fills the column', () => expect(chart([500])).toEqual(['█', '█']));
});

describe('scale', () => {
  it.each([
    [[null], 1000],
    [[1001], 2000],
    [[4999], 5000],
    [[5001], 10_000],
  ])('%j: %i', (values, want) => expect(niceMax(values, 1000)).toBe(want));
});

describe('history', () => {
  it('means of five seconds, gaps where nothing was fresh', () => {
    const h = new History();
    h.add(healthyView({ vitals: { cpu_pct: 10 } }), 0);
    h.add(healthyView({ vitals: { cpu_pct: 30 } }), 1000);
    h.add(healthyView({}, { vitals: { age_ms: 60_000, ttl_ms: 10_000 } }), SAMPLE_MS);
    h.add(healthyView({ vitals: { cpu_pct: 50 } }), SAMPLE_MS * 4);
    h.add(healthyView(), SAMPLE_MS * 5);
    expect(h.series.cpuPct).toEqual([20, null, null, null, 50]);
    expect(h.series.networkBytesPerS[0]).toBe(2000);
  });
  it('does not grow for ever', () => {
    const h = new History();
    for (let i = 0; i < 2000; i += 1) h.add(healthyView(), i * SAMPLE_MS);
    h.add(healthyView(), 1e9);
    expect(h.series.cpuPct.length).toBe(360);
  });
});
