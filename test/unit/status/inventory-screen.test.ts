/** Cases of the console inventory, section 8, that are about what stands on the screen. */
import { describe, expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { textOf, widthOfLine } from '#console/style.ts';
import { judgeMultipath } from '#status/local/storage.ts';
import { podsData } from '#supervisor/collectors/cluster-sections.ts';
import { stateOf } from '../../support/console-fixtures.ts';
import { API_DOWN, arrays, inSync, md, mtu, webui } from '../../support/spoils.ts';
import { disk, node, pod, type Spoil } from '../../support/status-fixtures.ts';

type State = Parameters<typeof composeFrame>[0];
type Lines = ReturnType<typeof composeFrame>;

const frame = (state: State, columns = 80, rows = 24): Lines => composeFrame(state, { columns, rows });
const textIn = (state: State, columns = 80, rows = 30): string => frame(state, columns, rows).map(textOf).join('\n');
/** The tone of the piece of a frame that holds `needle`. */
const toneOf = (lines: Lines, needle: string): string | undefined => lines.flat().find((s) => s.text.includes(needle))?.tone;

const APPLIED = { applied: 1420, requested: 1420, status: 'applied' } as const;
describe('on the screen', () => {
  it('T01: healthy, in green, without a phrase', () => {
    const lines = frame(stateOf());
    const head = lines.slice(0, 4).map(textOf).join('\n');
    expect([head.includes('HEALTHY'), toneOf(lines, 'HEALTHY')]).toEqual([true, 'good']);
    expect(head).not.toMatch(/DEGRADED|CRITICAL|UNKNOWN|F7/);
  });
  it('T11: a disk is green below 80, yellow from there, red from 90', () => {
    const tone = (pct: number) => toneOf(frame(stateOf({ disks: { mounts: [disk('/data', pct)] } })), `${Math.floor(pct)}%`);
    expect([tone(79.9), tone(80), tone(89.9), tone(90)]).toEqual(['good', 'warn', 'warn', 'bad']);
  });
  it('T14: what the cluster said before is shown with its age, and nothing becomes zero', () => {
    const shown = textIn(stateOf({ k3s: { readyz: 'timeout' } }, { pods: { age_ms: 8_000, ttl_ms: 5_000 }, nodes: { age_ms: 40_000 } }));
    expect(shown).toContain('Pods 11/11 ready');
    expect(shown).toContain('5s old');
    expect(shown).not.toContain('0/0');
  });
  it('T21: an API that does not answer is said, and its requests are unknown, not 0', () => {
    const shown = textIn(stateOf(API_DOWN));
    expect(shown).toContain('api unreachable');
    expect(shown).toContain('API unreachable, requests ? (unreachable)');
  });
  it('T34, T35, T37: BLOCKED stands beside the address while the check is young, and nothing else does', () => {
    expect(textIn(stateOf(webui('blocked', 30)))).toContain('BLOCKED by the firewall: chain input drops');
    expect(toneOf(frame(stateOf(webui('blocked', 30)), 120, 34), 'BLOCKED')).toBe('bad');
    for (const quiet of [webui('blocked', 901), webui('scoped', 30), webui('open', 30)]) {
      expect(textIn(stateOf(quiet))).not.toMatch(/BLOCKED|firewall/);
    }
  });
  it('T38: twice indeterminate is nothing, three times a note', () => {
    expect(textIn(stateOf(webui('indeterminate', 30, 2)))).not.toContain('cannot tell');
    expect(toneOf(frame(stateOf(webui('indeterminate', 30, 3)), 120, 34), 'firewall check cannot tell')).toBe('warn');
  });
  it('T40, T41, T42, T47: arrays in order behind the disks, alarms in brackets before them', () => {
    const order = (spoil: Spoil, chip: string): boolean => {
      const shown = textIn(stateOf(spoil), 120, 34);
      const at = shown.lastIndexOf(chip);
      expect(at, chip).toBeGreaterThan(0);
      return at < shown.lastIndexOf(' of ');
    };
    expect(order(arrays(md()), 'md0 raid1 ok 2/2')).toBe(false);
    expect(
      order(arrays(md({ members: inSync(1), syncAction: 'recover', syncCompleted: '43 / 100' })), '[md0 raid1 DEGRADED 1/2 43%]'),
    ).toBe(true);
    expect(toneOf(frame(stateOf(arrays(md({ raidDisks: 3 }))), 120, 34), '[md0 raid1 DEGRADED 2/3]')).toBe('warn');
    expect(toneOf(frame(stateOf(arrays(md({ syncAction: 'check', syncCompleted: '12 / 100' }))), 120, 34), 'check 12%')).toBe('info');
  });
  it('T48: paths without a finding are neutral, never green', () => {
    const map = judgeMultipath('mpatha', 'dm-0', 'mpath-3600', [
      { device: 'sda', state: 'running' },
      { device: 'sdb', state: 'running' },
    ]);
    const state = stateOf({ storage: { md_supported: false, arrays: [], multipath: [map], second_esp: null } });
    expect(textIn(state, 120, 34)).toContain('mpatha 2/2 paths');
    expect(toneOf(frame(state, 120, 34), 'mpatha 2/2 paths')).not.toBe('good');
  });
  it('T52: the MTU of this boot, and nothing of another', () => {
    expect(textIn(stateOf(mtu(APPLIED)))).toContain('MTU 1420');
    expect(textIn(stateOf(mtu({ ...APPLIED, status: 'dropped' })))).toContain('MTU 1420 REFUSED');
    expect(textIn(stateOf(mtu({ ...APPLIED, boot_id_matches: false })))).not.toContain('MTU');
  });
  it('T54: pressure that is not reported is not 0 %', () => {
    expect(textIn(stateOf({}, { psi: { state: 'not_applicable', data: null } }))).toContain('Pressure not reported');
    expect(textIn(stateOf())).toContain('cpu 0% mem 0% io 0%');
  });
});

describe('layout', () => {
  const many = (n: number) => Array.from({ length: n }, (_, i) => pod(`worker-${i}-7b9c6d5f4-x2k`));
  it.each([1, 3, 7])('T58: with %i nodes no row is too many or too wide, the vitals are there, and every glyph is one of the font', (n) => {
    const nodes = {
      list: Array.from({ length: n }, (_, i) => node(`n${i}`, i === 0 ? { ready: 'false' } : {})),
      complete: true,
      expected_count: n,
    };
    for (const [columns, rows] of [
      [120, 34],
      [160, 50],
      [213, 52],
    ] as const) {
      const lines = frame(stateOf({ nodes, pods: podsData(many(33)) }), columns, rows);
      expect(lines.length).toBe(rows);
      expect(Math.max(...lines.map(widthOfLine))).toBeLessThanOrEqual(columns);
      const text = lines.map(textOf).join('\n');
      for (const vital of ['CPU', 'Memory', 'Load']) expect(text.toLowerCase()).toContain(vital.toLowerCase());
      expect(text).not.toMatch(/[✓◐○▓▁-▇]/);
    }
  });
  it('T59: 80x30 is one column, with names', () => {
    const lines = frame(stateOf({ pods: podsData(many(11)) }), 80, 30).map(textOf);
    expect(lines.some((l) => /worker-\d+-7b9c6d5f4/.test(l))).toBe(true);
    expect(lines.filter((l) => /─ .*─ /.test(l.replace(/^─+ [^─]+/, ''))).length).toBe(0);
  });
  it('T60: the same facts fit every size that comes next', () => {
    const state = stateOf({ pods: podsData(many(33)) });
    for (const [columns, rows] of [
      [213, 52],
      [80, 24],
      [213, 52],
    ] as const) {
      const lines = frame(state, columns, rows);
      expect([lines.length, Math.max(...lines.map(widthOfLine)) <= columns]).toEqual([rows, true]);
    }
  });
  it('T64: the longest host name and zone leave the clock whole', () => {
    const state = stateOf({ identity: { hostname: 'h'.repeat(63) }, meta: { timezone: 'Pacific/Chatham' } });
    expect(frame(state).map(textOf).slice(0, 2).join('\n')).toMatch(/\d\d:\d\d:\d\d \S{3,6}/);
  });
});
