import { describe, expect, it } from 'vitest';
import type { Level, Verdict } from '#model/status.ts';
import type { View } from '#status/freshness.ts';
import { EMPTY_MEMORY, judgeStatus, readerVerdict, type VerdictMemory } from '#status/verdict.ts';
import { arrays, inSync, judge, md, NOW, plane } from '../../support/spoils.ts';
import { disk, HEALTHY_DATA, healthyView } from '../../support/status-fixtures.ts';

describe('verdict over time', () => {
  it('stale data keeps its alarm and can never be healthy', () => {
    const stale = { disks: { age_ms: 20_000, ttl_ms: 10_000 } };
    expect(judge(healthyView({}, stale)).verdict.level).toBe('UNKNOWN');
    expect(judge(healthyView({ disks: { mounts: [disk('/var', 95)] } }, stale)).verdict.level).toBe('CRITICAL');
  });

  it('a reading that disappears is not a recovery', () => {
    const first = judge(healthyView(arrays(md({ members: inSync(1) }))));
    const gone = healthyView({}, { storage: { state: 'unavailable', data: null, error: { code: 'x', msg: 'gone' } } });
    expect(judge(gone, first.memory).verdict.reasons.map((r) => r.text)).toContain('md0 raid1 DEGRADED 1/2');
    const back = healthyView(arrays(md()));
    expect(judge(back, judge(gone, first.memory).memory).verdict.level).toBe('HEALTHY');
  });

  it('keeps since-when while a condition lasts, and starts anew after it ended', () => {
    const bad = healthyView({ disks: { mounts: [disk('/var', 95)] } });
    const at = (now: string, view: View, memory: VerdictMemory) => judgeStatus({ view, now, nowMs: 0, memory });
    const a = at('2026-11-30T10:00:00Z', bad, EMPTY_MEMORY);
    const b = at('2026-11-30T10:05:00Z', bad, a.memory);
    expect(b.verdict.reasons[0]?.since).toBe('2026-11-30T10:00:00Z');
    const c = at('2026-11-30T10:06:00Z', healthyView(), b.memory);
    expect(at('2026-11-30T10:07:00Z', bad, c.memory).verdict.reasons[0]?.since).toBe('2026-11-30T10:07:00Z');
  });

  it('a retrying plane counts only after a minute', () => {
    const view = healthyView(plane('retrying'));
    const first = judge(view, EMPTY_MEMORY, 0);
    expect(first.verdict.level).toBe('HEALTHY');
    expect(judge(view, first.memory, 59_000).verdict.level).toBe('HEALTHY');
    expect(judge(view, first.memory, 60_000).verdict.level).toBe('DEGRADED');
  });

  it('T26: after the commit the box is healthy with the next reading', () => {
    const trial = judge(healthyView({ slots: { booted: 'slot_b', is_trial: true } }));
    expect(judge(healthyView({ slots: { booted: 'slot_b', durable: 'slot_b', is_trial: false } }), trial.memory).verdict.level).toBe(
      'HEALTHY',
    );
  });

  it('orders by level, then code, then age', () => {
    const view = healthyView({
      disks: { mounts: [disk('/var', 95)] },
      slots: { is_trial: true },
      psi: null,
      identity: { config_errors: ['odd'] },
    });
    expect(judge(view).verdict.reasons.map((r) => r.level)).toEqual(['CRITICAL', 'DEGRADED', 'UNKNOWN']);
  });
});

describe('what a reader shows', () => {
  const read = (view: View, received: Verdict | null) =>
    readerVerdict(received, { view, now: NOW, nowMs: 0, memory: EMPTY_MEMORY }).verdict;
  const healthy = judge(healthyView()).verdict;

  it('is what the server says while its readings agree', () => {
    expect(read(healthyView(), healthy)).toEqual(healthy);
  });

  const year = 365 * 86_400_000;
  it.each<[string, View, Level, string]>([
    ['T78 stale', healthyView({}, { vitals: { age_ms: 20_000, ttl_ms: 10_000 } }), 'UNKNOWN', 'no news for a while'],
    ['285 years old', healthyView({}, { disks: { age_ms: 285 * year } }), 'UNKNOWN', 'too old to trust'],
    [
      '285 years old and said to be good as long',
      healthyView({}, { disks: { age_ms: 285 * year, ttl_ms: 900 * year } }),
      'UNKNOWN',
      'too old',
    ],
    ['from the future', healthyView({}, { disks: { age_ms: -5 } }), 'UNKNOWN', 'not known yet'],
    ['without data', healthyView({}, { disks: { data: null } }), 'UNKNOWN', 'not known yet'],
    ['ok, with an error', healthyView({}, { disks: { error: { code: 'eio', msg: 'read error' } } }), 'UNKNOWN', 'read error'],
    ['absent', healthyView({ disks: null }), 'UNKNOWN', 'disks: not reported'],
    ['said not to apply', healthyView({}, { disks: { state: 'not_applicable' } }), 'UNKNOWN', 'disks: not reported'],
    ['nothing at all', {}, 'UNKNOWN', 'not reported'],
    ['a full disk', healthyView({ disks: { mounts: [disk('/var', 95)] } }), 'CRITICAL', 'disk /var 95% full'],
  ])('HEALTHY of a server is not believed when its readings are %s', (_, view, level, text) => {
    const shown = read(view, healthy);
    expect(shown.level).toBe(level);
    expect(shown.reasons.map((r) => r.text).join()).toContain(text);
  });

  it("keeps what is worse in the server's own words", () => {
    const critical = judge(healthyView({ disks: { mounts: [disk('/var', 95)] } })).verdict;
    expect(read(healthyView(), critical)).toEqual(critical);
    expect(read(healthyView(), { ...critical, level: 'HEALTHY' }).level).toBe('CRITICAL');
    expect(read(healthyView(), { ...healthy, level: 'DEGRADED' }).level).toBe('DEGRADED');
  });

  it('takes a level that it does not know for UNKNOWN, of a verdict or of a reason', () => {
    const strange = 'SUPERFINE' as unknown as Level;
    expect(read(healthyView(), { ...healthy, level: strange })).toMatchObject({ level: 'UNKNOWN', reasons: [{ level: 'UNKNOWN' }] });
    const critical = judge(healthyView({ disks: { mounts: [disk('/var', 95)] } })).verdict;
    const odd = { ...critical, reasons: critical.reasons.map((r) => ({ ...r, level: strange as 'CRITICAL' })) };
    expect(read(healthyView(), { ...odd, level: 'HEALTHY' }).level).toBe('UNKNOWN');
  });

  it('is our own when none was sent, at once: nobody else waits whether it lasts', () => {
    expect(read(healthyView(), null)).toMatchObject({ level: 'HEALTHY', reasons: [] });
    const timeout = healthyView({ k3s: { ...HEALTHY_DATA.k3s, readyz: 'timeout' } });
    expect(read(timeout, null)).toMatchObject({ level: 'DEGRADED', reasons: [{ code: 'k3s.not_ready' }] });
    expect(read(timeout, healthy)).toMatchObject({ level: 'HEALTHY' });
  });
});
