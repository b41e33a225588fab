import { describe, expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { stateText, tableFor } from '#console/panels/pods.ts';
import { textOf } from '#console/style.ts';
import { podsData } from '#supervisor/collectors/cluster-sections.ts';
import { stateOf } from '../../support/console-fixtures.ts';
import { node, pod } from '../../support/status-fixtures.ts';

const crash = pod('api-6f9b5c7d8-abcde', {
  state: 'CrashLoopBackOff',
  severity: 'critical',
  severity_code: 'state',
  restarts: 6,
  ready: 0,
  last_exit: { reason: 'OOMKilled', code: 137, at: null },
});
const many = (n: number) => Array.from({ length: n }, (_, i) => pod(`worker-${String(i).padStart(2, '0')}-7b9c6d5f4-x2k${i}`));
const frame = (state: Parameters<typeof composeFrame>[0], columns: number, rows: number): string[] =>
  composeFrame(state, { columns, rows }).map(textOf);

describe('pods panel', () => {
  it('T55: 11 pods at 80x24: each row has its name, and what is hidden is counted', () => {
    const lines = frame(stateOf({ pods: podsData(many(11)) }), 80, 24);
    const rows = lines.filter((l) => /^ [•■▲·] worker-/.test(l));
    expect(rows.length).toBeGreaterThanOrEqual(3);
    for (const r of rows) expect(r).toMatch(/worker-\d\d-7b9c6d5f4/);
    const hidden = Number(/\+(\d+) more {2}F3/.exec(lines.find((l) => l.startsWith('─ Pods')) ?? '')?.[1] ?? 0);
    expect(rows.length + hidden).toBe(11);
    expect(lines[23]).toContain('F7');
    expect(lines.join('\n')).toContain('/var');
  });
  it('T56: 33 pods on 3 nodes: the crashing one first, the node beside the name', () => {
    const nodes = { list: [node('n1'), node('n2'), node('n3')], complete: true, expected_count: 3 };
    const lines = frame(stateOf({ pods: podsData([...many(32), crash]), nodes }), 80, 24);
    const first = lines[lines.findIndex((l) => l.startsWith('─ Pods')) + 1] ?? '';
    expect(first).toContain('■ api-6f9b5c7d8-abcde');
    expect(first).toContain('0/1');
    expect(first).toContain('CrashLoop · OOMKilled');
    expect(lines.find((l) => l.startsWith('─ Pods'))).toContain('1 failing');
  });
  it('T62: pods that could not be listed are unknown, not none', () => {
    const lines = frame(
      stateOf({}, { pods: { state: 'unavailable', data: null, error: { code: 'k3s', msg: 'the k3s API does not answer' } } }),
      80,
      24,
    ).join('\n');
    expect(lines).toContain('the k3s API does not answer');
    expect(lines).toContain('Pods -');
    expect(lines).not.toContain('0/0');
  });
  it('a box without k3s leaves no room for pods', () => {
    const none = { state: 'not_applicable', data: null } as const;
    expect(frame(stateOf({}, { pods: none, nodes: none, etcd: none, k3s: none }), 80, 24).join('\n')).not.toContain('Pods');
  });
  it('F3 lists all; the part with the chosen one is shown, and the end is reachable', () => {
    const pods = podsData(many(60));
    const last = pods.list?.at(-1);
    const state = stateOf({ pods }, {}, { page: 'pods', pod: `${last?.ns}/${last?.name}` });
    expect(frame(state, 80, 24).join('\n')).toMatch(/>• worker-59/);
    expect(frame({ ...state, pod: 'gone/gone' }, 80, 24).join('\n')).toMatch(/>• worker-00/);
  });
  it('columns leave by priority, the name keeps its 24 cells', () => {
    const titles = (w: number, nodes = false) => tableFor(w, nodes).columns.map((c) => c.title);
    expect(titles(80)).toEqual(['READY', 'RST', 'AGE', 'STATE']);
    expect(titles(80, true)).toEqual(['NODE', 'READY', 'RST', 'AGE', 'STATE']);
    expect(titles(60)).toEqual(['READY', 'STATE']);
    expect(titles(213)).toContain('PORTS');
    for (const w of [60, 80, 120, 213]) expect(tableFor(w, true).nameWidth).toBeGreaterThanOrEqual(24);
  });
  it('the reason of an exit, and none after a clean one', () => {
    expect(stateText(crash)).toBe('CrashLoop · OOMKilled');
    expect(stateText(pod('a', { restarts: 1, last_exit: { reason: 'Completed', code: 0, at: null } }))).toBe('Running');
    expect(stateText(pod('a', { restarts: 1, last_exit: { reason: null, code: 2, at: null } }))).toBe('Running · exit 2');
    expect(stateText(pod('a', { state: 'Init:ImagePullBackOff' }))).toBe('Init:ImgPull');
  });
});

describe('nodes panel', () => {
  it('is there when a node is missing, names it first, and agrees with the verdict', () => {
    const nodes = {
      list: [node('n1'), node('n2', { ready: 'false' }), node('n3', { ready: 'unknown' })],
      complete: true,
      expected_count: 3,
    };
    const state = stateOf({ nodes, etcd: { has_leader: null, quorum: 'unknown' } });
    const text = frame(state, 120, 40).join('\n');
    expect(text).toContain('Nodes 1/3 ready');
    expect(text).toMatch(/■ n2 +NOT READY/);
    expect(text).toContain('quorum lost (1 of 3 nodes ready)');
  });
});

it('long names that differ at their ends only can be told apart, in the list and over the menu', () => {
  const names = [1, 2].map((n) => `${'a-chart-with-a-long-name-'.repeat(3)}${n}`);
  const pods = podsData(names.map((n) => pod(n)));
  const rows = frame(stateOf({ pods }), 80, 24).filter((l) => l.includes('a-chart'));
  expect(rows.map((r) => /name-(\d) /.exec(r)?.[1])).toEqual(['1', '2']);
  const title = `${names[1]}-${'x'.repeat(40)}-end`;
  const dialog = { kind: 'menu', title, items: [{ id: 'a', title: 'Follow log', key: null, why: null }], at: 0 } as const;
  expect(frame(stateOf({ pods }, {}, { page: 'pods', dialog }), 80, 24).join('\n')).toMatch(/─ a-chart.*\.\.\.x+-end ─┐/);
});

it('a count or a time that nobody expects keeps the columns', () => {
  const pods = podsData([{ ...pod('worker-1'), restarts: 1_234_567, created_at: 'never' }, pod('worker-2')]);
  const rows = frame(stateOf({ pods }), 80, 24).filter((l) => l.includes('worker-'));
  expect(rows[0]).toMatch(/10k\+ {4}\? Running/);
  expect(rows.map((r) => r.indexOf('Running'))).toEqual([rows[1]?.indexOf('Running'), rows[1]?.indexOf('Running')]);
});
