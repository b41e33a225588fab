import { describe, expect, it } from 'vitest';
import { applyFrame, clientVerdict, clientView, EMPTY_MODEL } from '#status/client-model.ts';
import { readingOf } from '#status/freshness.ts';
import { plainText } from '#status/sanitise.ts';
import { EMPTY_MEMORY } from '#status/verdict.ts';
import { pod, section, sectionsOf } from '../../support/status-fixtures.ts';

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

describe('what a server of another make sends', () => {
  const shownOf = (over: object) => {
    const m = modelAfter(snapshot({ now: '2026-11-30T15:55:53Z', ...over }));
    if (!m.ok) throw new Error(m.why);
    return clientVerdict(m.model, 0, EMPTY_MEMORY).verdict;
  };
  const reason = {
    code: 'a',
    level: 'CRITICAL',
    subject: null,
    text: 'on fire',
    since: '2026-11-30T15:00:00Z',
    section: 'pods',
    action_hint: null,
  };
  const verdict = (level: unknown, reasons: unknown) => ({ level, reasons, unknown_sections: [], computed_at: '2026-11-30T15:55:53Z' });

  it('a reason that does not fit hides neither the others nor the level', () => {
    const { level, reasons } = shownOf({
      verdict: verdict('CRITICAL', [{ ...reason, since: null }, { ...reason, code: 'b', text: 'burnt' }, 7]),
    });
    expect(level).toBe('CRITICAL');
    expect(reasons.map((r) => r.text)).toEqual(
      expect.arrayContaining(['on fire', 'burnt', 'the supervisor gives a reason that cannot be read']),
    );
  });
  it.each([[{}], ['CRITICAL'], [null]])('reasons that are %j are no verdict, and never HEALTHY', (reasons) => {
    expect(shownOf({ verdict: verdict('HEALTHY', reasons) }).level).toBe('UNKNOWN');
  });
  it('HEALTHY beside a reason that cannot be read is UNKNOWN', () => {
    expect(shownOf({ verdict: verdict('HEALTHY', [7]) }).level).toBe('UNKNOWN');
  });
  it('a clock at the end of time is judged all the same', () => {
    const m = modelAfter(snapshot({ now: '+275760-09-13T00:00:00.000Z' }));
    if (!m.ok) throw new Error(m.why);
    expect(clientVerdict(m.model, 60_000, EMPTY_MEMORY).verdict.level).toBe('DEGRADED');
  });
  it('the worst pod is first whatever the order sent', () => {
    const list = [pod('a'), pod('b', { severity: 'odd' as 'ok' }), pod('c', { severity: 'pending' }), pod('d', { severity: 'critical' })];
    const m = modelAfter(snapshot({ sections: sectionsOf({ pods: { list } }) }));
    expect(m.ok && m.model.sections.pods?.data?.list.map((p) => p.name)).toEqual(['d', 'c', 'a', 'b']);
  });
  it('says what does not fit by its name, and what to do about a later protocol', () => {
    const wrong = modelAfter(snapshot({ sections: { ...sectionsOf(), vitals: section([1]) } }));
    expect(wrong.ok && wrong.model.sections.vitals?.error?.msg).toBe('expected an object');
    expect(modelAfter(snapshot({ schema: 2 }))).toMatchObject({ ok: false, why: expect.stringContaining('update this program') });
    expect(modelAfter(snapshot({ schema: '1' }))).toMatchObject({ ok: false, why: expect.stringContaining('does not say which version') });
    expect(modelAfter({ t: 'snapshot', seq: 1 })).toMatchObject({ ok: false, why: expect.stringContaining('without sections') });
  });
  it('is read where only the form differs: no version, lists alone or under another name, the verdict as a section', () => {
    const ours = sectionsOf();
    const { disks, certs, pods } = ours;
    const sections = {
      ...ours,
      disks: section(disks?.data?.mounts),
      certs: section({ list: certs?.data }),
      pods: section(pods?.data?.list),
    };
    const level = 'CRITICAL';
    const verdict = section({ level, reasons: [], unknown_sections: [], computed_at: '2026-11-30T15:55:53Z' });
    const got = modelAfter({
      t: 'snapshot',
      seq: 1,
      server: 's',
      instance: 'i',
      now: '2026-11-30T15:55:53Z',
      sections: { ...sections, verdict },
    });
    const data = got.ok ? got.model.sections : {};
    expect(data.disks?.data).toEqual(disks?.data);
    expect(data.certs?.data).toEqual(certs?.data ?? null);
    // Nothing else says whether that is all of them.
    expect(data.pods).toMatchObject({ state: 'unavailable', error: { msg: 'pods.counts: expected an object' } });
    expect(got.ok && got.model.verdict?.level).toBe('CRITICAL');
  });
});
