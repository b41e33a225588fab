import { describe, expect, it } from 'vitest';
import type { View } from '#status/freshness.ts';
import { judgeArray } from '#status/local/storage.ts';
import { agedVerdict, EMPTY_MEMORY, judgeStatus, type VerdictMemory } from '#status/verdict.ts';
import { disk, healthyView, type Spoil } from '../../support/status-fixtures.ts';

const NOW = '2026-11-30T15:55:53Z';
const judge = (view: View, memory: VerdictMemory = EMPTY_MEMORY, nowMs = 0) => judgeStatus({ view, now: NOW, nowMs, memory });

const md = (over: Partial<Parameters<typeof judgeArray>[0]> = {}) =>
  judgeArray({
    name: 'md0',
    friendly: null,
    level: 'raid1',
    arrayState: 'clean',
    raidDisks: 2,
    members: [
      { device: 'sda4', state: 'in_sync', slot: '0' },
      { device: 'sdb4', state: 'in_sync', slot: '1' },
    ],
    syncAction: 'idle',
    syncCompleted: 'none',
    sizeBytes: 8 * 1024 ** 3,
    syncSpeed: null,
    ...over,
  });
const inSync = (n: number) => Array.from({ length: n }, (_, i) => ({ device: `sd${i}4`, state: 'in_sync', slot: String(i) }));
const arrays = (...list: ReturnType<typeof judgeArray>[]): Spoil => ({
  storage: { md_supported: true, arrays: list, multipath: [], second_esp: null },
});
const plane = (state: 'failing' | 'retrying' | 'applied'): Spoil => ({
  host_config: {
    planes: [{ name: 'ntp', state, attempts: 3, desired_hash: null, applied_hash: null, last_error: null, since: null }],
    patches: [],
    last_reconcile_ok: true,
  },
});
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

  it('T78: the last HEALTHY of a silent supervisor does not stand for ever', () => {
    const healthy = judge(healthyView()).verdict;
    expect(agedVerdict(healthy, healthyView(), NOW)).toBe(healthy);
    const silent = healthyView({}, { vitals: { age_ms: 20_000, ttl_ms: 10_000 } });
    expect(agedVerdict(healthy, silent, NOW)).toMatchObject({ level: 'UNKNOWN', unknown_sections: ['vitals'] });
    const critical = judge(healthyView({ disks: { mounts: [disk('/var', 95)] } })).verdict;
    expect(agedVerdict(critical, silent, NOW).level).toBe('CRITICAL');
  });
});
