import { describe, expect, it } from 'vitest';
import { fitPanels } from '#console/facts-block.ts';
import { composeFrame } from '#console/layout.ts';
import type { Dialog } from '#console/screen-state.ts';
import { textOf, widthOfLine } from '#console/style.ts';
import { OPEN_POLICY, parsePolicy } from '#status/policy.ts';
import { toAscii } from '#ui/terminal/glyphs.ts';
import { SCREEN_SIZES, stateOf } from '../../support/console-fixtures.ts';
import { inSync, md } from '../../support/spoils.ts';
import { disk, PULL_DATA, type Spoil } from '../../support/status-fixtures.ts';

const SIZES = [...SCREEN_SIZES, [40, 10], [20, 5], [132, 25]] as const;

const degraded = md({ name: 'md127', friendly: 'root_a', members: inSync(1) });

/** Everything wrong at once, with the longest words. */
const TROUBLE: Spoil = {
  identity: { hostname: 'h'.repeat(63) },
  disks: { mounts: [disk('/', 40), disk('/var', 95), disk('/mnt/a-rather-long-mount-point/with/levels', 99, { role: 'data' })] },
  storage: { md_supported: true, arrays: [degraded], multipath: [], second_esp: null },
  slots: { booted: 'slot_b', is_trial: true },
  k3s: { unit_state: 'failed' },
  psi: { breach: ['cpu_some', 'memory_some', 'memory_full'] },
  time: { synced: false },
};

const text = (state: Parameters<typeof composeFrame>[0], columns: number, rows: number): string[] =>
  composeFrame(state, { columns, rows }).map(textOf);

describe.each(SIZES)('frame of %ix%i', (columns, rows) => {
  const states = {
    healthy: stateOf(),
    trouble: stateOf(TROUBLE),
    empty: stateOf(
      {},
      {},
      {
        view: {},
        verdict: null,
        link: { state: 'connecting' },
        log: { lines: [], scroll: 0, paused: false, filter: '', typing: false, note: '' },
      },
    ),
    log: stateOf(TROUBLE, {}, { page: 'log' }),
    health: stateOf(TROUBLE, {}, { page: 'health' }),
    pods: stateOf(TROUBLE, {}, { page: 'pods' }),
    monitor: stateOf(
      {},
      {},
      {
        page: 'monitor',
        history: { cpuPct: [0, 50, null, 100], memoryPct: [60], pressurePct: [], diskPct: [null, 31], networkBytesPerS: [1e9] },
      },
    ),
  };
  it.each(Object.entries(states))('%s: exactly that many rows, none too wide', (_name, state) => {
    const frame = composeFrame(state, { columns, rows });
    expect(frame.length).toBe(rows);
    for (const l of frame) expect(widthOfLine(l)).toBeLessThanOrEqual(columns);
  });
  it.each(Object.entries(states))('%s: only glyphs that every console font and ASCII have', (_name, state) => {
    const odd = [...text(state, columns, rows).join('')].filter((c) => c > '~' && toAscii(c) === '?');
    expect(odd).toEqual([]);
  });
});

describe('80x24', () => {
  const trouble = text(stateOf(TROUBLE), 80, 24);
  it('shows every alarm in full, or says how many it left out', () => {
    const all = trouble.join('\n');
    expect(all).toContain('CRITICAL');
    expect(all).toContain('k3s failed');
    expect(all).toContain('disk /var 95% full');
    expect(all).toMatch(/\+\d+ more reasons {2}F7 lists all/);
  });
  it('counts exactly: shown and hidden reasons make the whole', () => {
    const reasons = stateOf(TROUBLE).verdict?.reasons.length ?? 0;
    const shown = trouble.slice(0, 12).filter((l) => /^ [■▲?] /.test(l)).length;
    const hidden = Number(/\+(\d+) more reason/.exec(trouble.join('\n'))?.[1] ?? 0);
    expect(shown + hidden).toBe(reasons);
  });
  it('keeps the clock whole beside the longest host name', () => {
    expect(trouble[0]).toMatch(/ 2026-11-30 15:55:53 UTC $/);
    expect(trouble[0]?.length).toBe(80);
  });
  it('has the keys in its last row, all of them', () => {
    for (const key of ['F1', 'F5', 'F6', 'F7', 'F10']) expect(trouble[23]).toContain(key);
  });
  it('shows the worst disk and the degraded mirror', () => {
    expect(trouble.join('\n')).toContain('[root_a raid1 DEGRADED 1/2]');
    expect(trouble.join('\n')).toContain('95%');
  });
  it('keeps at least three log lines in all of this', () => {
    const from = trouble.findIndex((l) => l.startsWith('─ Log'));
    expect(23 - from - 1).toBeGreaterThanOrEqual(3);
  });
  it('a long reason is wrapped, not clipped', () => {
    const long = 'a'.repeat(50);
    const state = stateOf({ identity: { config_errors: [`${long} ${long} end-of-reason`] } });
    expect(text(state, 80, 24).join('\n')).toContain('end-of-reason');
  });
});

describe('known, stale, expired, unknown, not applicable and zero look different', () => {
  const lineWith = (needle: string, lines: readonly string[]): string => lines.find((l) => l.includes(needle)) ?? '';
  const show = (spoil: Spoil, envelopes: Parameters<typeof stateOf>[1] = {}) => text(stateOf(spoil, envelopes), 80, 30);
  const zero = { some: { avg10: 0, avg60: 0, avg300: 0 }, full: null };
  it('pressure: zero, not reported, stale and expired are four things', () => {
    const pressure = (spoil: Spoil, envelopes: Parameters<typeof stateOf>[1] = {}) =>
      /Pressure.*$/.exec(lineWith('Pressure', show(spoil, envelopes)))?.[0]?.trim();
    expect(pressure({ psi: { cpu: zero, memory: zero, io: zero } })).toBe('Pressure 5 min cpu 0% mem 0% io 0%');
    expect(pressure({ psi: { cpu: zero, memory: zero, io: null } })).toBe('Pressure 5 min cpu 0% mem 0% io not reported');
    expect(pressure({}, { psi: { state: 'not_applicable', data: null } })).toBe('Pressure not reported');
    expect(pressure({}, { psi: { age_ms: 12_000, ttl_ms: 10_000 } })).toBe('Pressure 5 min cpu 0% mem 0% io 0% (10s old)');
    expect(pressure({}, { psi: { age_ms: 40_000, ttl_ms: 10_000 } })).toBe('Pressure 5 min ?  last reading 40s ago');
    expect(pressure({}, { psi: { state: 'unknown', data: null, age_ms: null } })).toBe('Pressure 5 min ?  not known yet');
  });
  it('the first CPU sample is not 0 %', () => {
    expect(lineWith('CPU', show({ vitals: { cpu_pct: null } }))).toContain('CPU    ? ?');
    expect(lineWith('CPU', show({ vitals: { cpu_pct: 0 } }))).toContain('CPU   0% ░░░░░░░░░░');
  });
  it('a disk that cannot be read', () => {
    expect(
      lineWith('/var', show({ disks: { mounts: [disk('/var', 0, { used_pct: null, total_bytes: null, severity: 'unknown' })] } }).slice(8)),
    ).toContain('   ? ?');
  });
  it('a probe that failed says why and keeps its last value', () => {
    const failed = show({}, { disks: { state: 'unavailable', error: { code: 'timeout', msg: 'no answer within 4000 ms' } } });
    expect(failed.join('\n')).toContain('no answer within 4000 ms');
    expect(failed.join('\n')).toContain('40%');
  });
});

describe('without a supervisor', () => {
  const lost = { state: 'lost', since: '2026-11-30T15:50:00Z', sinceMs: 0, why: 'no socket' } as const;
  it('says so, since when and why, and still shows local facts', () => {
    const all = text(stateOf({}, {}, { link: lost }), 80, 24).join('\n');
    expect(all).toContain('supervisor not available (since 15:50:00) - local data only');
    expect(all).toContain('no socket');
    expect(all).toContain('192.168.10.21/24');
  });
});

describe('policy', () => {
  it('a locked image shows no key for a login or for power', () => {
    const state = stateOf({}, {}, { policy: parsePolicy('{"login":false,"actions":[]}') });
    const keys = text(state, 80, 24)[23];
    expect(keys).not.toContain('F1 ');
    expect(keys).not.toContain('F5 ');
    expect(keys).toContain('F10');
  });
});

describe('dialogs', () => {
  const plan = {
    name: 'power.reboot',
    summary: 'Reboot this appliance now',
    consequences: ['Everything it serves stops.'],
    typed_confirm: null,
    confirm_token: 'x',
    expires_s: 30,
  };
  it('the default is No, and the header and keys stay visible', () => {
    const dialog: Dialog = { kind: 'confirm', plan, args: {}, typed: { value: '', cursor: 0 }, yes: false, untilMs: 30_000 };
    const frame = text(stateOf({}, {}, { dialog }), 80, 24);
    expect(frame.join('\n')).toContain('[> No <]      Yes');
    expect(frame.join('\n')).toContain('No by itself in 30 s');
    expect(frame[0]).toContain('SpatiumDDI');
    expect(frame[23]).toContain('Esc');
  });
  it('fits the smallest screen', () => {
    const dialog: Dialog = { kind: 'output', title: 'x', lines: Array.from({ length: 50 }, (_, i) => `line ${i}`), result: 'done' };
    const frame = text(stateOf({}, {}, { dialog }), 40, 10);
    expect(frame.length).toBe(10);
    expect(frame.join('\n')).toContain('done');
  });
});

describe('fitPanels', () => {
  const panel = (rows: number, min: number) => ({ title: '', min, lines: Array.from({ length: rows }, () => []) });
  it('takes from the last panels first and respects their least', () => {
    expect(fitPanels([panel(4, 2), panel(2, 1), panel(5, 1)], 20)).toEqual([4, 2, 5]);
    expect(fitPanels([panel(4, 2), panel(2, 1), panel(5, 1)], 11)).toEqual([4, 2, 2]);
    expect(fitPanels([panel(4, 2), panel(2, 1), panel(5, 1)], 8)).toEqual([3, 1, 1]);
  });
});

describe('between the sizes', () => {
  const state = stateOf(TROUBLE);
  const reasons = state.verdict?.reasons ?? [];
  const pages = ['dashboard', 'log', 'pods', 'monitor', 'processes', 'pull'] as const;
  const sizes = [40, 57, 64, 79, 80, 81, 99, 100, 119, 120, 121, 140, 159, 160, 213].flatMap((columns) =>
    [10, 12, 17, 20, 24, 25, 30, 34, 43, 52].map((rows) => [columns, rows] as const),
  );
  it('every page has exactly its rows, the worst reason, and a count of the others', () => {
    expect(reasons.length).toBeGreaterThan(4);
    for (const page of pages)
      for (const [columns, rows] of sizes) {
        const frame = text({ ...state, page }, columns, rows);
        const where = `${page} ${columns}x${rows}`;
        expect(frame.length, where).toBe(rows);
        const worst = (reasons[0]?.text ?? '').slice(0, 12);
        expect(frame.slice(1, 4).join('\n'), where).toContain(worst);
        const more = Number(/\+(\d+) more reason/.exec(frame.join('\n'))?.[1] ?? 0);
        const signs = frame.slice(2).filter((l) => /^ [■▲?] /.test(l)).length;
        // Sections that nobody knows share one line.
        expect(more + signs, where).toBeGreaterThanOrEqual(reasons.filter((r) => r.code !== 'section.unknown').length - (more > 0 ? 1 : 0));
      }
  });
  it('the menu key is in the footer of every page, whatever else is offered', () => {
    const all = stateOf({ pull: PULL_DATA }, {}, { policy: OPEN_POLICY });
    for (const page of pages)
      for (const columns of [20, 40, 60, 80, 100, 120])
        expect(text({ ...all, page }, columns, 24)[23], `${page} ${columns}`).toContain('F10 Menu');
  });
  it('a narrow screen names the host and the time', () => {
    const [first] = text(stateOf({ identity: { hostname: 'ddi-prod-01' } }), 40, 10);
    expect(first).toMatch(/^ ddi-prod-01 +\d\d:\d\d:\d\d UTC/);
  });
});
