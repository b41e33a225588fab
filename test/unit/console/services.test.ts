/** Facts beyond the first lines: what is served, how busy pods and nodes are, and the page of F7. */
import { describe, expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { factGroups } from '#console/panels/health-facts.ts';
import { cores } from '#console/panels/pods.ts';
import { serviceLines } from '#console/panels/services.ts';
import { textOf } from '#console/style.ts';
import { toAscii } from '#ui/terminal/glyphs.ts';
import { stateOf } from '../../support/console-fixtures.ts';
import { disk, pod, type Spoil } from '../../support/status-fixtures.ts';

const POSTGRES = {
  present: true,
  role: 'primary',
  primary_pod: 'postgres-1',
  replicas_streaming: 0,
  replica_lag_s: null,
  backends_active: 4,
  backends_idle: 8,
  backends_waiting: 0,
  max_connections: 100,
  size_bytes: null,
  wal_bytes: null,
} as const;
const NEVER = { state: 'unknown', data: null, observed_at: null, age_ms: null } as const;

const services = (spoil: Spoil, envelopes: Parameters<typeof stateOf>[1] = {}): string =>
  serviceLines(stateOf(spoil, envelopes), 200).map(textOf).join('\n');
const frame = (state: Parameters<typeof composeFrame>[0], columns: number, rows: number): string =>
  composeFrame(state, { columns, rows }).map(textOf).join('\n');
const rowOf = (name: string, spoil: Spoil): string | undefined =>
  factGroups(stateOf(spoil))
    .flatMap((g) => g.rows)
    .find((r) => r[0] === name)?.[1];

describe('services', () => {
  it('what is not there takes no place, what is not known says so', () => {
    expect(services({})).toBe('');
    expect(services({}, { postgres: NEVER })).toContain('Database ?  not known yet');
  });
  it('none, not known and waiting are three things', () => {
    expect(services({ postgres: POSTGRES })).toMatch(/12 of 100 connections {2}Replicas none {2}Database size \?/);
    expect(services({ postgres: { ...POSTGRES, backends_active: null, replicas_streaming: null } })).toMatch(/\? of 100 .*Replicas \?/);
    expect(services({ postgres: { ...POSTGRES, backends_waiting: 2, replicas_streaming: 1 } })).toMatch(/2 waiting .*Replicas 1, lag \?/);
  });
  it('a check that failed is a word, not only a colour', () => {
    const checks = [
      { name: 'database', state: 'ok', detail: null },
      { name: 'redis', state: 'failing', detail: null },
    ] as const;
    expect(services({ platform: { checks: [...checks] } })).toContain('Platform database ok, redis FAILING');
  });
  it('have a panel where there is room, and the API stands in the host panel where there is none', () => {
    const api = {
      present: true,
      requests_per_s: 1,
      active: 0,
      total: 5,
      metrics_status: 'ok',
      ready: 'ok',
      ready_http_status: 200,
    } as const;
    for (const [columns, rows, panels] of [
      [80, 24, 0],
      [120, 34, 1],
      [100, 44, 1],
    ] as const) {
      const text = frame(stateOf({ api }), columns, rows);
      expect([text.split('─ Services').length - 1, text.split('API ok').length - 1]).toEqual([panels, 1]);
    }
  });
});

describe('use of pods', () => {
  const usage = (pods: readonly object[]): Spoil => ({ usage: { pods } }) as never;
  it('has columns only where somebody measures, and what was not measured is no zero', () => {
    const two = { list: [pod('a'), pod('b')], counts: { total: 2, ready: 2, pending: 0, failed: 0, succeeded: 0 } };
    const used = usage([{ ns: 'spatium', name: 'a', node: null, cpu_cores: 0, mem_bytes: 5e7 }]);
    const lines = frame(stateOf({ ...used, pods: two }), 120, 34).split('\n');
    expect(lines.find((l) => l.includes('• a '))).toMatch(/ 0 {2}47\.7M/);
    expect(lines.find((l) => l.includes('• b '))).toMatch(/ \? {6}\?/);
    expect(frame(stateOf({ pods: two }), 120, 34)).not.toContain('MEM');
  });
  it('small shares are thousandths', () => {
    expect([cores(null), cores(0), cores(0.0042), cores(0.25)]).toEqual(['?', '0', '4m', '0.25']);
  });
});

describe('F7', () => {
  const slot = { version: null, kernel: null, size_bytes: null } as const;
  it('names both slots, and one without a version is no version', () => {
    const spoil: Spoil = {
      slots: { slots: { slot_a: { ...slot, version: '2', version_state: 'known' }, slot_b: { ...slot, version_state: 'unstamped' } } },
    };
    expect([rowOf('slot A', spoil), rowOf('slot B', spoil)]).toEqual(['2, runs, kept', 'holds no version']);
  });
  it('the boot menu: current, of an older version, not known', () => {
    const menus = [true, false, null].map((esp_schema_current) => rowOf('boot menu', { slots: { esp_schema_current } }));
    expect(new Set(menus).size).toBe(3);
    expect(menus[1]).toContain('spatium slot render');
  });
  it('attempts that nobody told are not none', () => {
    const rest = { code_present: false, last_attempt_at: null, retry_at: null, last_error: null, approved_at: null, revocation: null };
    const trust = { pinned: null, pin_mismatch: null, cert_not_after: null };
    const pairing = (attempts: number | null) =>
      rowOf('tried', { pairing: { applicable: true, state: 'registering', attempts, ...rest, ...trust } });
    expect([pairing(null), pairing(0)]).toEqual(['not known here: another agent pairs this box', 'not yet']);
  });
});

describe('without colours', () => {
  it('a disk that fills up has a sign, and in ASCII a pending pod is not one in order', () => {
    const text = frame(stateOf({ disks: { mounts: [disk('/', 40), disk('/var', 85), disk('/srv', 95)] } }), 80, 30);
    expect([...text.matchAll(/(\S+) +\d+% [█░]{10}( [▲■])?/g)].map((m) => `${m[1]}${m[2] ?? ''}`)).toEqual(
      expect.arrayContaining(['/', '/var ▲', '/srv ■']),
    );
    const signs = ['•', '·', '▲', '■'].map(toAscii);
    expect(new Set(signs).size).toBe(4);
  });
  it('lines meet where panes cross', () => {
    const rows = frame(stateOf({}), 120, 34).split('\n');
    const column = rows.find((l) => l.startsWith('─ Host'))?.indexOf('┬') ?? -1;
    const cells = rows.map((l) => l[column]);
    expect(column).toBeGreaterThan(0);
    const [top, bottom] = [cells.indexOf('┬'), cells.indexOf('┴')];
    expect(cells.slice(top + 1, bottom).every((c) => c === '│' || c === '├')).toBe(true);
    expect(rows[bottom]).toContain('─ Pods');
  });
});
