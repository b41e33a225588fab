/** What the self-check of the firewall says of real rules, beside what a real connection from another host does. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firewallSelfCheck } from '#supervisor/collectors/firewall-check.ts';
import { RULES_FILE } from '#supervisor/collectors/firewall-drift.ts';
import { hostView } from '#system/observe.ts';
import { fileTree, tempDir } from '../../support/temp.ts';
import { networkObstacle, TwoHosts } from '../../support/two-hosts.ts';

const PORTS = [443, 80, 22] as const;
const obstacle = networkObstacle(['nft']);

const chain = (policy: string, ...rules: readonly string[]): string =>
  `table inet filter { chain input { type filter hook input priority filter; policy ${policy};
    iif lo accept; ct state established,related accept; ip protocol icmp accept
    ${rules.join('\n')}
 } }`;

/** Rules, what is said of 443, 80 and 22, and what a connection from another host finds. */
const CASES: readonly (readonly [string, string, string, string])[] = [
  ['no rules at all', '', 'open open open', 'yes yes yes'],
  ['web and SSH', chain('drop', 'tcp dport { 80, 443 } accept', 'tcp dport 22 accept'), 'open open open', 'yes yes yes'],
  ['SSH alone', chain('drop', 'tcp dport 22 ct state new accept'), 'blocked blocked open', 'no no yes'],
  ['a range', chain('drop', 'tcp dport 1-100 accept'), 'blocked open open', 'no yes yes'],
  ['everything rejected at the end', chain('accept', 'tcp dport 443 accept', 'reject'), 'open blocked blocked', 'yes no no'],
  ['only from elsewhere', chain('drop', 'ip saddr 198.51.100.0/24 tcp dport 443 accept'), 'scoped blocked blocked', 'no no no'],
  ['from this network', chain('drop', 'ip saddr 192.0.2.0/24 tcp dport 443 accept'), 'scoped blocked blocked', 'yes no no'],
  ['on one interface', chain('drop', 'iifname "wire" tcp dport 443 counter accept'), 'scoped blocked blocked', 'yes no no'],
  ['at a rate', chain('drop', 'tcp dport 443 limit rate 10/second accept', 'tcp dport 80 accept'), 'scoped open blocked', 'yes yes no'],
  [
    'a second table that drops',
    `${chain('accept')}\n table ip other { chain in { type filter hook input priority 10; policy accept; tcp dport 443 drop; } }`,
    'blocked open open',
    'no yes yes',
  ],
  [
    'a named set',
    chain('drop', 'tcp dport @web accept').replace('{ chain', '{ set web { type inet_service; elements = { 443 }; }; chain'),
    'indeterminate indeterminate indeterminate',
    'yes no no',
  ],
  ['a verdict map', chain('drop', 'tcp dport vmap { 443 : accept, 80 : drop }'), 'indeterminate indeterminate indeterminate', 'yes no no'],
  [
    'a jump',
    `table inet filter { chain doors { tcp dport 443 accept; }
      chain input { type filter hook input priority filter; policy drop; ct state established accept; jump doors; } }`,
    'indeterminate indeterminate indeterminate',
    'yes no no',
  ],
  ['one address family', chain('drop', 'meta nfproto ipv6 tcp dport 443 accept'), 'scoped blocked blocked', 'no no no'],
  ['UDP only', chain('drop', 'udp dport 443 accept'), 'blocked blocked blocked', 'no no no'],
  ['a mark of nobody', chain('drop', 'meta mark 7 tcp dport 443 accept'), 'indeterminate blocked blocked', 'no no no'],
];

describe.skipIf(obstacle !== null)(`real nftables${obstacle === null ? '' : ` (skipped: ${obstacle})`}`, () => {
  const hosts = new TwoHosts();
  const clock = { now: () => '2026-11-30T15:55:53Z', monoMs: () => 0 };
  const conf = path.join(tempDir(), 'nftables.conf');
  const files = { '/usr/sbin/nft': '', '/usr/local/bin/k3s': '', [RULES_FILE]: '' };
  const loaded = '/var/lib/spatiumddi/release-state/firewall-applied-hash';
  const check = (more: Readonly<Record<string, string>> = {}) =>
    firewallSelfCheck(hostView(fileTree({ ...files, ...more })), clock, hosts.runner({ [RULES_FILE]: conf }))();
  const load = (rules: string): void => {
    // nft wants a line end before a brace that closes a block.
    fs.writeFileSync(conf, `flush ruleset\n${rules.replaceAll(/;? \} ?(?=\}|table|chain|$)/g, '\n}\n')}\n`);
    hosts.near('nft', '-f', conf);
  };
  beforeAll(() => hosts.start(PORTS));
  afterAll(() => hosts.stop());

  it.each(CASES)('%s', async (_name, rules, said, done) => {
    load(rules);
    const seen = await check();
    const ports = seen?.webui.ports ?? {};
    expect([ports['443'], ports['80'], seen?.ssh].join(' ')).toBe(said);
    const reached = hosts.reached(PORTS);
    expect(PORTS.map((p) => (reached[p] ? 'yes' : 'no')).join(' ')).toBe(done);
    // Whatever is said for sure is what happens.
    for (const [i, word] of said.split(' ').entries()) {
      if (word === 'open') expect(done.split(' ')[i]).toBe('yes');
      if (word === 'blocked') expect(done.split(' ')[i]).toBe('no');
    }
  });

  it('sees rules that a hand changed, and nothing where nobody loads the file', async () => {
    load(chain('drop', 'tcp dport { 443, 80 } counter accept', 'tcp dport 22 limit rate 10/minute accept comment "ssh"'));
    const drift = async () => (await check({ [loaded]: 'x' }))?.drift;
    expect([await drift(), (await check())?.drift]).toEqual([false, null]);
    hosts.reached(PORTS);
    // Counters that ran are no drift.
    expect(await drift()).toBe(false);
    hosts.near('nft', 'add', 'rule', 'inet', 'filter', 'input', 'tcp', 'dport', '8080', 'accept');
    expect(await drift()).toBe(true);
    load(chain('accept'));
    expect(await drift()).toBe(false);
    hosts.near('nft', 'flush', 'ruleset');
    expect(await drift()).toBe(true);
    fs.writeFileSync(conf, 'table inet filter { chain input { type filter hook input priority 0; iif "not-there0" accept\n}\n}\n');
    expect(await drift()).toBeNull();
  });
});
