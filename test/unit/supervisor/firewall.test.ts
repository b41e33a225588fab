/** The rules of a firewall as `nft -j` prints them, and whether a new connection from outside reaches the web UI. */
import { describe, expect, it } from 'vitest';
import { applyState, firewallCollector, lockoutRisk } from '#status/local/firewall.ts';
import { firewallSelfCheck } from '#supervisor/collectors/firewall-check.ts';
import { differs } from '#supervisor/collectors/firewall-drift.ts';
import { inputChains, judgeChain, type Reach, worstReach } from '#supervisor/collectors/firewall-rules.ts';
import { hostView } from '#system/observe.ts';
import type { Runner } from '#system/run.ts';
import { fileTree } from '../../support/temp.ts';

const accept = { accept: null };
const drop = { drop: null };
const match = (left: object, right: unknown, op = '==') => ({ match: { op, left, right } });
const dport = (right: unknown, op?: string) => match({ payload: { protocol: 'tcp', field: 'dport' } }, right, op);
const from = (right: unknown) => match({ payload: { protocol: 'ip', field: 'saddr' } }, right);
const meta = (key: string, right: unknown) => match({ meta: { key } }, right);
const state = (right: unknown) => match({ ct: { key: 'state' } }, right, 'in');
const counter = { counter: { packets: 0, bytes: 0 } };
const office = { prefix: { addr: '192.0.2.0', len: 24 } };

const USUAL = [
  [state(['established', 'related']), accept],
  [state('invalid'), drop],
  [meta('iif', 'lo'), accept],
  [match({ payload: { protocol: 'icmp', field: 'type' } }, 'echo-request'), accept],
  [match({ payload: { protocol: 'udp', field: 'dport' } }, 53), accept],
  [dport(22), counter, accept],
];
const chain = (rules: readonly (readonly object[])[]): string =>
  JSON.stringify({
    nftables: [
      { metainfo: { version: '1.1.3' } },
      { chain: { family: 'inet', table: 'filter', name: 'input', handle: 1, type: 'filter', hook: 'input', prio: 0, policy: 'drop' } },
      ...rules.map((expr, i) => ({ rule: { family: 'inet', table: 'filter', chain: 'input', handle: i + 2, expr } })),
    ],
  });

const CASES: readonly (readonly [string, readonly (readonly object[])[], string, Reach])[] = [
  ['the usual rules and no word of 443', USUAL, 'drop', 'blocked'],
  ['no rule, policy accept', [], 'accept', 'open'],
  ['443 for all', [...USUAL, [dport(443), accept]], 'drop', 'open'],
  ['443 in a set', [...USUAL, [dport({ set: [80, 443] }, 'in'), counter, accept]], 'drop', 'open'],
  ['443 in a range', [...USUAL, [dport({ range: [400, 500] }), accept]], 'drop', 'open'],
  ['443 in a range of a set', [...USUAL, [dport({ set: [22, { range: [440, 450] }] }), accept]], 'drop', 'open'],
  ['443 for the office', [...USUAL, [from(office), dport(443), accept]], 'drop', 'scoped'],
  ['443 on one interface', [...USUAL, [meta('iifname', 'eth0'), dport(443), accept]], 'drop', 'scoped'],
  ['all TCP', [...USUAL, [meta('l4proto', 'tcp'), accept]], 'drop', 'open'],
  ['new connections', [[state(['new', 'established']), accept]], 'drop', 'open'],
  [
    '443 dropped first',
    [
      [dport(443), drop],
      [dport(443), accept],
    ],
    'accept',
    'blocked',
  ],
  ['443 rejected', [[dport(443), { reject: { type: 'tcp reset' } }]], 'accept', 'blocked'],
  [
    'a drop of one source is no block',
    [
      [from('198.51.100.7'), drop],
      [dport(443), accept],
    ],
    'drop',
    'open',
  ],
  ['a drop above a rate is no block', [[dport(443), { limit: { rate: 5, per: 'second' } }, drop]], 'accept', 'open'],
  ['everything dropped at the end', [...USUAL, [counter, drop]], 'accept', 'blocked'],
  ['a named set', [...USUAL, [dport('@web'), accept]], 'drop', 'indeterminate'],
  ['a negation', [[dport(22, '!='), drop], [accept]], 'accept', 'indeterminate'],
  ['a verdict map', [[{ vmap: { key: { payload: { protocol: 'tcp', field: 'dport' } }, data: '@ports' } }]], 'drop', 'indeterminate'],
  ['a jump where the rest is dropped', [[{ jump: { target: 'other' } }]], 'drop', 'indeterminate'],
  ['a jump where the rest is accepted', [[{ jump: { target: 'KUBE-FIREWALL' } }]], 'accept', 'open'],
  ['an extension of iptables', [[{ xt: { type: 'match', name: 'recent' } }, drop]], 'accept', 'indeterminate'],
  ['for IPv4 only', [...USUAL, [meta('nfproto', 'ipv4'), dport(443), accept]], 'drop', 'scoped'],
];

describe('a chain', () => {
  it.each(CASES)('%s', (_, rules, policy, want) => expect(judgeChain(chain(rules), policy, 443)).toBe(want));
  it('the worst of several counts', () => {
    expect([worstReach([]), worstReach(['open', 'blocked', 'scoped']), worstReach(['scoped', 'indeterminate'])]).toEqual([
      'open',
      'blocked',
      'indeterminate',
    ]);
  });
  it('only filter chains of the input hook of our families', () => {
    const of = (over: object) => ({
      chain: { family: 'inet', table: 't', name: 'n', type: 'filter', hook: 'input', policy: 'drop', ...over },
    });
    const document = JSON.stringify({
      nftables: [of({}), of({ hook: 'forward' }), of({ type: 'nat' }), of({ family: 'bridge' }), of({ hook: undefined })],
    });
    expect(inputChains(document)).toEqual([{ family: 'inet', table: 't', name: 'n', policy: 'drop' }]);
    expect(() => inputChains('[]')).toThrow('something else');
  });
});

describe('the self-check of the supervisor', () => {
  const clock = { atMs: 0, now: () => '2026-11-30T15:55:53.000Z', monoMs: () => clock.atMs };
  const answering =
    (rules: readonly (readonly object[])[], calls: string[][]): Runner =>
    async (argv) => {
      calls.push([...argv]);
      return { kind: 'exited', code: 0, argv, stdout: chain(rules), stderr: '', tail: [], durationMs: 1 };
    };
  const NFT = { '/usr/sbin/nft': '', '/usr/local/bin/k3s': '' };

  it('asks twice in five minutes, judges both ports, and its answer ages', async () => {
    const calls: string[][] = [];
    clock.atMs = 0;
    const check = firewallSelfCheck(hostView(fileTree(NFT)), clock, answering([...USUAL, [dport(80), accept]], calls));
    for (const s of [0, 5, 299]) {
      clock.atMs = s * 1000;
      expect(await check()).toMatchObject({
        webui: { status: 'blocked', ports: { '443': 'blocked', '80': 'open' }, age_s: s },
        ssh: 'open',
      });
    }
    expect(calls.map((c) => c.join(' '))).toEqual(['nft -j list chains', 'nft -j list chain inet filter input']);
    clock.atMs = 300_000;
    await check();
    expect(calls.length).toBe(4);
  });
  it('an nft that fails is indeterminate and counted, and no nft is no check', async () => {
    clock.atMs = 0;
    const failing: Runner = async (argv) => ({ kind: 'exited', code: 1, argv, stdout: '', stderr: '', tail: [], durationMs: 1 });
    const check = firewallSelfCheck(hostView(fileTree(NFT)), clock, failing);
    for (const n of [1, 2, 3]) {
      expect(await check()).toMatchObject({ webui: { status: 'indeterminate', consecutive_indeterminate: n, ports: {} }, ssh: null });
      clock.atMs += 300_000;
    }
    for (const files of [{}, { '/usr/sbin/nft': '' }])
      expect(await firewallSelfCheck(hostView(fileTree(files)), clock, failing)()).toBeNull();
  });
  it('with both doors closed to some, only the console is sure; one open door is no risk; unknown is neither', () => {
    const values = [false, true, null] as const;
    const risks = values.flatMap((ssh) => values.map((web) => lockoutRisk(ssh, web)));
    expect(risks).toEqual(['none', 'none', 'none', 'none', 'console_only', 'unknown', 'none', 'unknown', 'unknown']);
  });
  it('gives way to a fresh file of the host, and stands in for an old one', async () => {
    const nowMs = 1_000_000;
    const own = async () => ({ ...(await firewallSelfCheck(hostView(fileTree(NFT)), clock, answering([[accept]], []))()) }) as never;
    const webuiOf = async (checkedAt: number) => {
      const file = JSON.stringify({ status: 'blocked', detail: 'x', checked_at: checkedAt, ttl_s: 900 });
      const seen = await firewallCollector(
        hostView(fileTree({ '/run/spatiumddi/webui-selfcheck.json': file })),
        () => nowMs,
        own,
      ).collect();
      return seen.state === 'ok' ? seen.data.webui.status : seen.state;
    };
    expect([await webuiOf(990), await webuiOf(50)]).toEqual(['blocked', 'open']);
  });
});

describe('a change of the firewall', () => {
  const none = { pending: false, refused: null, hash: null };
  it.each([
    ['nothing', none, { refusedMs: null, appliedMs: null }, 'unknown', null],
    ['applied', { ...none, hash: 'abc 1\n' }, { refusedMs: null, appliedMs: 5 }, 'ok', null],
    ['waiting', { ...none, hash: 'abc', pending: true }, { refusedMs: null, appliedMs: 5 }, 'pending', null],
    ['refused', { ...none, hash: 'abc', refused: '{"reason":"line 3: no"}' }, { refusedMs: 9, appliedMs: 5 }, 'refused', 'line 3: no'],
    ['refused in plain text', { ...none, refused: 'no\nmore' }, { refusedMs: 9, appliedMs: null }, 'refused', 'no'],
    ['refused before, applied since', { ...none, hash: 'abc', refused: '{}' }, { refusedMs: 4, appliedMs: 5 }, 'ok', null],
  ] as const)('%s', (_, files, times, status, reason) => expect(applyState(files, times)).toMatchObject({ status, reason }));
});

describe('rules that are not those of the file', () => {
  const base = { family: 'inet', table: 'filter', name: 'input', policy: 'drop' };
  const own = (rules: readonly (readonly object[])[], policy = 'drop') => {
    const at = { family: 'inet', table: 'filter', chain: 'input', handle: 4 };
    const head = { chain: { ...base, policy, type: 'filter', hook: 'input', prio: 0, handle: 1 } };
    return [head, ...rules.map((expr, i) => ({ rule: { ...at, handle: i, expr } }))];
  };
  const made = (...args: Parameters<typeof own>) => JSON.stringify({ nftables: own(...args).map((add) => ({ add })) });
  const listed = (rules: readonly (readonly object[])[], policy = 'drop') => [
    { chain: { ...base, policy }, document: JSON.stringify({ nftables: own(rules, policy) }) },
  ];
  const RULES = [
    [dport({ set: [443, 80] }), { counter: { packets: 0, bytes: 0 } }, accept],
    [dport(22), accept],
  ];
  it('the same with other counters, handles and order of a set', () => {
    const counted = [
      [dport({ set: [80, 443] }), { counter: { packets: 7, bytes: 512 } }, accept],
      [dport(22), accept],
    ];
    expect(differs(made(RULES), listed(counted))).toBe(false);
  });
  it.each([
    ['one taken away', listed(RULES.slice(1))],
    ['one more', listed([...RULES, [dport(8080), accept]])],
    ['another order', listed([...RULES].reverse())],
    ['another policy', listed(RULES, 'accept')],
    ['no such chain', []],
  ])('%s', (_, here) => expect(differs(made(RULES), here)).toBe(true));
  it('a file without input chains differs from nothing', () => expect(differs('{"nftables":[]}', listed(RULES))).toBe(false));
});
