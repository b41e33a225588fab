/** Every section in every state of its envelope, console inventory 7.3: nothing unknown is healthy, an alarm, or a zero. */
import { describe, expect, it } from 'vitest';
import { composeFrame } from '#console/layout.ts';
import { textOf } from '#console/style.ts';
import { DATA, disk, env } from '../../../support/foreign-status.ts';
import { type Changed, stateFor, testCases } from './support.ts';

type Name = keyof typeof DATA;
const NAMES = Object.keys(DATA) as Name[];
/** What a control plane cannot do without; of the rest both levels are right. Its supervisor lives, or nobody would say so. */
const NEEDED: readonly Name[] = ['identity', 'network', 'vitals', 'disks', 'slots', 'k3s', 'nodes', 'pods', 'etcd'];
const TITLES: Partial<Record<Name, string>> = { vitals: 'CPU and memory' };
const ZERO = /CPU\s+0%|RAM\s+0%|Load 0\.0|\b0\/0\b|\b0 pods|Pods 0\b/;

const nulls = (data: unknown): unknown =>
  Array.isArray(data) || data === null ? data : Object.fromEntries(Object.keys(data as object).map((k) => [k, null]));
const STATES: Readonly<Record<string, (name: Name) => unknown>> = {
  unknown: () => env(null, { state: 'unknown', observed_at: null, age_ms: null }),
  'unknown with an age': () => env(null, { state: 'unknown', age_ms: 0 }),
  unavailable: () => env(null, { state: 'unavailable', error: { code: 'x', msg: 'timed out\u001b[31m' } }),
  'unavailable with its last value, expired': (n) =>
    env(DATA[n], { state: 'unavailable', age_ms: 60_000, error: { code: 'x', msg: 'timed out' } }),
  expired: (n) => env(DATA[n], { age_ms: 1e9 }),
  'ok without data': () => env(null),
  'a state of a later version': () => env(null, { state: 'resting' }),
};

describe.each(Object.entries(STATES))('%s', (_state, made) => {
  it.each(NAMES.filter((n) => DATA[n] !== null))('%s', (name) => {
    const state = stateFor({ [name]: made(name) });
    const { level, reasons } = state.verdict;
    const said = reasons.map((r) => `${r.level} ${r.text}`).join('; ');
    expect(NEEDED.includes(name) ? ['UNKNOWN'] : ['UNKNOWN', 'HEALTHY'], said).toContain(level);
    const text = composeFrame(state, { columns: 80, rows: 24 }).map(textOf).join('\n');
    expect(text).not.toMatch(ZERO);
    // Somebody who reads UNKNOWN is told of what, in the same place.
    if (level === 'UNKNOWN')
      expect(text.split('\n').slice(0, 3).join(' ')).toMatch(new RegExp((TITLES[name] ?? name).replace('_', '.'), 'i'));
  });
});

describe('absent, or with nothing but nulls', () => {
  it.each(NAMES)('no %s', (name) => {
    const { level } = stateFor({}, [name]).verdict;
    expect(NEEDED.includes(name) ? ['UNKNOWN'] : ['UNKNOWN', 'HEALTHY']).toContain(level);
  });
  it.each(NAMES.filter((n) => DATA[n] !== null))('%s of nulls', (name) => {
    const state = stateFor({ [name]: nulls(DATA[name]) });
    expect(['UNKNOWN', 'HEALTHY']).toContain(state.verdict.level);
    expect(composeFrame(state, { columns: 80, rows: 24 }).map(textOf).join('\n')).not.toMatch(ZERO);
  });
  it.each(NAMES)('%s with keys that nobody knows', (name) => {
    if (DATA[name] === null || Array.isArray(DATA[name])) return;
    expect(stateFor({ [name]: { ...(DATA[name] as object), later: { deep: [1, null] }, 'x-y': '\u001b[2J' } }).verdict.level).toBe(
      'HEALTHY',
    );
  });
});

const aged = (data: unknown, ageMs: unknown, ttlMs: unknown = 15_000): Changed => ({ disks: env(data, { age_ms: ageMs, ttl_ms: ttlMs }) });
testCases([
  { is: 'stale: an alarm stays', changed: aged([disk('/var', 95)], 20_000), level: 'CRITICAL', first: /disk \/var 95% full/ },
  { is: 'stale: the value has its age beside it', changed: aged(DATA.disks, 20_000), level: 'UNKNOWN', shows: [/40%/, /20s/] },
  // What disappears has not recovered: the alarm stays beside the doubt, the value does not.
  {
    is: 'expired: no value',
    changed: aged([disk('/var', 95)], 46_000),
    level: 'CRITICAL',
    shows: [/readings too old/],
    hides: [/95% [\u2588]/],
  },
  {
    is: 'expired: what stands there only at times is not simply gone',
    changed: Object.fromEntries((['time', 'upgrade', 'power'] as const).map((n) => [n, env(DATA[n], { age_ms: 60_000 })])),
    level: 'HEALTHY|UNKNOWN',
    at: [120, 34],
    shows: [/Clock \?/, /Upgrade \?/, /Reboot \?/],
  },
  {
    is: 'stale: every value says so',
    changed: { time: env(DATA.time, { age_ms: 20_000 }), etcd: env(DATA.etcd, { age_ms: 20_000 }) },
    level: 'UNKNOWN',
    shows: [/synchronised \(20s old\)/, /sqlite \(20s old\)/],
  },
  {
    is: 'expired pods are not counted',
    changed: { pods: env(DATA.pods, { age_ms: 60_000 }) },
    level: 'UNKNOWN',
    at: [40, 10],
    hides: [/\+\d+ more {2}F3|11/],
  },
  { is: 'an age below zero is no licence', changed: aged(DATA.disks, -5), level: 'HEALTHY|UNKNOWN', hides: [/-\d+ ?s/] },
  { is: 'a time to live of nothing', changed: aged(DATA.disks, 0, 0), level: 'HEALTHY|UNKNOWN' },
  { is: 'a section that does not exist', changed: { teapot: env({ hot: true }) }, level: 'HEALTHY' },
  { is: 'an age beyond any clock', changed: aged(DATA.disks, 1e18), level: 'UNKNOWN' },
  {
    is: 'everything gone at once',
    changed: Object.fromEntries(NAMES.map((n) => [n, env(null, { state: 'unavailable', error: { code: 'x', msg: 'm' } })])),
    level: 'UNKNOWN',
    shows: [/UNKNOWN/, /\d+ reasons/],
    hides: [ZERO],
  },
]);
