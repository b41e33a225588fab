import { expect, it } from 'vitest';
import type { Answers, Mode } from '#model/answers.ts';
import type { Machine } from '#model/machine.ts';
import { judge } from '#rules/judge.ts';
import server from '../../fixtures/wizard/server.json' with { type: 'json' };

const SERVER = server as unknown as Machine;
const [port] = SERVER.interfaces ?? [];
const inside = (address: string, linkUp = true): Machine => ({
  ...SERVER,
  interfaces: [{ ...port!, name: 'eno1', linkUp, addresses: [address] }],
});
const said = (answers: Answers, machine: Machine, mode: Mode = 'install'): string[] =>
  judge({ network: { mode: 'dhcp' }, ...answers }, machine, mode)
    .filter((finding) => /^k3s\.lan/.test(finding.rule))
    .map(({ rule, path }) => `${rule} ${path}`);

it.each<[string, Answers, Machine, string[]]>([
  ['a lease in the default range', { role: 'control-plane' }, inside('10.42.7.9/24'), ['k3s.lan k3s.pod_cidr']],
  ['other ranges', { role: 'control-plane', k3s: { pod_cidr: '10.99.0.0/16' } }, inside('10.42.7.9/24'), []],
  ['a lease elsewhere', { role: 'control-plane' }, inside('192.0.2.9/24'), []],
  ['a port without link', { role: 'control-plane' }, inside('10.42.7.9/24', false), []],
  ['another port pinned', { role: 'control-plane', network: { mode: 'dhcp', interface: 'eno2' } }, inside('10.42.7.9/24'), []],
  ['an additional node', { role: 'appliance' }, inside('10.42.7.9/24'), ['k3s.lan-inherited network']],
  ['an address of version 6', { role: 'control-plane' }, inside('2001:db8::9/64'), []],
])('with DHCP the ranges are compared with the lease of this machine: %s', (_name, answers, machine, findings) => {
  expect(said(answers, machine)).toEqual(findings);
  // A linter asks on another day.
  expect(said(answers, machine, 'lint')).toEqual([]);
});
