/** What a reader believes, what a frame may hold, and at what pace lines go. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LogLine, SECTION_NAMES } from '#model/status.ts';
import { fitSections } from '#status/frame-size.ts';
import { believedTtlMs, viewOf } from '#status/freshness.ts';
import { localCollectors } from '#status/local-facts.ts';
import { logFlow } from '#status/log-flow.ts';
import { plainJson } from '#status/sanitise.ts';
import { collectorsFor } from '#supervisor/collector-list.ts';
import { Cluster } from '#supervisor/kube/cluster.ts';
import { hostView } from '#system/observe.ts';
import { sectionsOf } from '../../support/status-fixtures.ts';

describe('the time to live that is believed', () => {
  it.each([
    [3000, 'vitals', 3000],
    [3_600_000, 'vitals', 18_000],
    [1e15, 'certs', 3_600_000],
    [-5, 'vitals', 0],
    [1e15, null, 3_600_000],
  ] as const)('%d ms for %s is %d ms', (sent, name, believed) => expect(believedTtlMs(sent, name)).toBe(believed));

  it('is at least what our own supervisor promises, for every section', () => {
    const host = hostView('/nonexistent');
    const clock = { now: () => '2026-11-30T15:55:53.000Z', monoMs: () => 0 };
    const run = async () => Promise.reject(new Error('nothing may be started'));
    const cluster = new Cluster(host);
    const own = collectorsFor({
      view: host,
      clock,
      cluster,
      instance: 'i',
      version: 'v',
      late: () => ({}),
      restarts24h: null,
      run,
      pull: () => ({ kind: 'none' }),
    });
    for (const c of [...own, ...localCollectors(host, clock)]) expect([c.name, believedTtlMs(c.ttlMs, c.name)]).toEqual([c.name, c.ttlMs]);
    expect(
      SECTION_NAMES.filter((n) => !own.some((c) => c.name === n)),
      'sections without a collector',
    ).toEqual([]);
  });

  it('vitals of ten minutes ago are not fresh, whatever the server says', () => {
    const sections = sectionsOf({}, { vitals: { age_ms: 600_000, ttl_ms: 86_400_000 } });
    expect(viewOf(sections, () => 0).vitals?.freshness).toBe('expired');
  });
});

describe('a frame', () => {
  it('loses its largest sections until it fits, and only those', () => {
    const sections = sectionsOf({ identity: { os_release: 'x'.repeat(5000) }, k3s: { version: 'y'.repeat(3000) } });
    const fitted = fitSections(sections, JSON.stringify(sections).length - 4000);
    expect(fitted.identity).toMatchObject({ state: 'unavailable', data: null, error: { code: 'too_large' } });
    expect(fitted.k3s).toBe(sections.k3s);
    expect(fitSections(sections, 1e9)).toBe(sections);
  });
});

describe('JSON without end', () => {
  it('is cut at its depth, and keeps what is above', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
    const cut = JSON.stringify(plainJson({ deep, near: 'x' }));
    expect(cut.length).toBeLessThan(300);
    expect(cut).toContain('"near":"x"');
  });
});

describe('log lines', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const line = (id: number): LogLine => ({
    t: 'log',
    id,
    at: '2026-11-30T10:00:00Z',
    src: 'app',
    unit: null,
    sev: 'info',
    text: `n ${id}`,
  });
  const flow = (perS: number, burst: number) => {
    const sent: string[] = [];
    return { sent, flow: logFlow({ perS, burst, monoMs: () => performance.now() }, (l) => sent.push(l.text)) };
  };

  it('go at once while there are few', () => {
    const f = flow(10, 10);
    for (let i = 1; i <= 3; i += 1) f.flow.add(line(i));
    expect(f.sent).toEqual(['n 1', 'n 2', 'n 3']);
  });
  it('over the budget they wait, in their order, and none is lost while they are few enough', () => {
    const f = flow(10, 10);
    for (let i = 1; i <= 60; i += 1) f.flow.add(line(i));
    expect(f.sent.length).toBe(10);
    vi.advanceTimersByTime(1000);
    expect(f.sent.length).toBeLessThanOrEqual(21);
    vi.advanceTimersByTime(10_000);
    expect(f.sent).toEqual(Array.from({ length: 60 }, (_, i) => `n ${i + 1}`));
  });
  it('in a flood the newest are kept and the others counted', () => {
    const f = flow(10, 10);
    for (let i = 1; i <= 1000; i += 1) f.flow.add(line(i));
    vi.advanceTimersByTime(60_000);
    expect(f.sent[10]).toBe('890 lines left out');
    expect(f.sent.slice(11)).toEqual(Array.from({ length: 100 }, (_, i) => `n ${901 + i}`));
  });
  it('what is cleared is not sent, and the pace goes on', () => {
    const f = flow(10, 2);
    for (let i = 1; i <= 9; i += 1) f.flow.add(line(i));
    f.flow.clear();
    vi.advanceTimersByTime(5000);
    expect(f.sent).toEqual(['n 1', 'n 2']);
    f.flow.add(line(10));
    expect(f.sent.at(-1)).toBe('n 10');
  });
});
