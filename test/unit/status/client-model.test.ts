import { describe, expect, it } from 'vitest';
import { applyFrame, clientView, EMPTY_MODEL } from '#status/client-model.ts';
import { readingOf } from '#status/freshness.ts';
import { plainText } from '#status/sanitise.ts';
import { section, sectionsOf } from '../../support/status-fixtures.ts';

const snapshot = (over: object = {}) => ({
  t: 'snapshot',
  seq: 1,
  schema: 1,
  server: 'x',
  instance: 'i',
  now: 'n',
  sections: sectionsOf(),
  verdict: null,
  ...over,
});
const modelAfter = (...frames: readonly unknown[]) =>
  frames.reduce<ReturnType<typeof applyFrame>>((a, f, i) => (a.ok ? applyFrame(a.model, f, i * 1000) : a), {
    ok: true,
    model: EMPTY_MODEL,
  });

describe('freshness', () => {
  const at = (elapsedMs: number) => readingOf(section(1, { age_ms: 0, ttl_ms: 1000 }), elapsedMs).freshness;
  it.each([
    [1000, 'fresh'],
    [1001, 'stale'],
    [3000, 'stale'],
    [3001, 'expired'],
  ])('%i ms after an observation good for 1 s: %s', (ms, want) => expect(at(ms)).toBe(want));

  it('an unavailable section keeps its last data and its age', () => {
    const r = readingOf(section(7, { state: 'unavailable', age_ms: 500, error: { code: 'e', msg: 'why' } }), 1500);
    expect(r).toEqual({ freshness: 'unavailable', ageMs: 2000, data: 7, error: 'why' });
  });

  it('a state of a later protocol is unknown', () => {
    expect(readingOf(section(7, { state: 'sleeping' as 'ok' }), 0).freshness).toBe('unknown');
  });
});

describe('client model', () => {
  it('takes a snapshot and whole-section patches', () => {
    const vitals = section({ ...sectionsOf().vitals?.data, cpu_pct: 99 });
    const r = modelAfter(snapshot(), { t: 'patch', seq: 2, now: 'n', sections: { vitals } });
    expect(r.ok && r.model.sections.vitals?.data?.cpu_pct).toBe(99);
    expect(r.ok && r.model.sections.disks?.data?.mounts.length).toBe(2);
  });

  it('refuses a gap, a patch before the snapshot, a ping out of step, and a newer protocol', () => {
    expect(modelAfter(snapshot(), { t: 'patch', seq: 3, now: 'n', sections: {} }).ok).toBe(false);
    expect(modelAfter({ t: 'patch', seq: 1, now: 'n', sections: {} }).ok).toBe(false);
    expect(modelAfter(snapshot(), { t: 'ping', seq: 2, now: 'n' }).ok).toBe(false);
    expect(modelAfter(snapshot({ schema: 2 })).ok).toBe(false);
    expect(modelAfter('garbage').ok).toBe(false);
  });

  it('ages by its own monotonic clock, and an observation without change makes it young again', () => {
    const r = modelAfter(snapshot());
    if (!r.ok) throw new Error('snapshot refused');
    expect(clientView(r.model, 25_000).vitals?.freshness).toBe('stale');
    const seen = applyFrame(
      r.model,
      { t: 'patch', seq: 2, now: 'n', sections: {}, observed: { vitals: { observed_at: '2026-11-30T15:56:00Z', age_ms: 5 } } },
      24_000,
    );
    expect(seen.ok && clientView(seen.model, 25_000).vitals?.freshness).toBe('fresh');
  });

  it('a section that does not fit its shape is unavailable and names the field', () => {
    const disks = section({ mounts: [{ mount: 5 }] });
    const r = modelAfter(snapshot({ sections: { ...sectionsOf(), disks } }));
    expect(r.ok && r.model.sections.disks).toMatchObject({
      state: 'unavailable',
      data: null,
      error: { code: 'bad_data', msg: 'disks.mounts.0.mount: expected text' },
    });
    expect(r.ok && r.model.sections.vitals?.state).toBe('ok');
  });

  it('skips unknown sections, fields and frames of a later server', () => {
    const vitals = section({ ...sectionsOf().vitals?.data, wattage: 3, temperature_c: undefined });
    const r = modelAfter(snapshot({ sections: { vitals, weather: section({}) } }), { t: 'aurora', seq: 1 });
    expect(r.ok && r.model.sections.vitals?.data).toMatchObject({ cpu_pct: 37, temperature_c: null });
  });

  it('takes terminal control sequences out of every text', () => {
    const identity = section({ ...sectionsOf().identity?.data, hostname: 'a\x1b]0;title\x07b\x1b[2Jc\x9b31md\u202ee' });
    const r = modelAfter(snapshot({ sections: { identity } }));
    expect(r.ok && r.model.sections.identity?.data?.hostname).toBe('abcde');
    expect(plainText('x\ty\nz\x00')).toBe('x y z');
  });
});
