/** The way out that a finding names is one that leads out. */
import { expect, test } from 'vitest';
import { lintFile } from '#preseed/lint.ts';

const linesOf = (file: string): readonly string[] =>
  lintFile(new TextEncoder().encode(file), { file: 'x.yaml', explicit: true }, null).findings.map(
    (f) => `${f.line}:${f.column} ${f.rule}: ${f.message} => ${f.fix ?? ''}`,
  );

const QUOTE = 'put the value in quotes';

test.each([
  ['admin_password: {abcdefgh\nhostname: a\ntimezone: UTC\n', '1:17 yaml.syntax: the brace { is not closed', QUOTE],
  ['s:\n  a: 1\nntp_servers: [a, b\nhostname: a\n', '3:14 yaml.syntax: the bracket [ is not closed', 'close it'],
  ['network: {mode: dhcp,\n  dns: [1.1.1.1\nhostname: a\n', '2:8 yaml.syntax: the bracket [ is not closed', 'close it'],
  ['ntp_servers: [a #b]\nhostname: a\n', '1:14 yaml.syntax: the bracket [ is not closed', 'close it'],
  ['admin_password: |abcdefgh\nhostname: a\n', '1:18 yaml.syntax', QUOTE],
  ['admin_password: >abcdefgh\nhostname: a\n', '1:18 yaml.syntax', QUOTE],
  ['admin_password: }abcdefgh\nhostname: a\n', '1:17 yaml.syntax: a closing bracket', QUOTE],
  ['admin_password: - abcdefgh\nhostname: a\n', '1:17 yaml.syntax: a list cannot start', QUOTE],
  ['admin_password: ? abcdefgh\nhostname: a\n', '1:17 yaml.syntax', QUOTE],
  ['admin_password: {a}bcdefgh\nhostname: a\n', '1:20 yaml.syntax: text follows the end', QUOTE],
  ['network: {ip6: 1::, mode: dhcp}\n', '1:16 yaml.syntax', QUOTE],
  ['role: appliance\nhostname:cp-1\ntimezone: UTC\n', '2:1 yaml.syntax: a blank is missing', 'put a blank after the colon'],
  ['network:\n  mode:dhcp\n', '1:1 value.type', 'put a blank after mode:'],
  ['network: {mode: dhcp, interface:eno1}\n', '1:23 key.unknown', 'put a blank after interface:'],
  ['ntp_servers: [\u0024{NTP}]\n', '1:16 yaml.syntax: a template', 'render the template'],
  ['network: {mode: dhcp, interface: \u0024{IF}}\nhostname: a\n', '1:35 yaml.syntax: a template', 'render the template'],
  ['network: {mode: dhcp}}\nhostname: a\n', '1:22 yaml.syntax: a closing bracket', 'take it out'],
  ['timezone: [UTC]\n', '1:1 value.type', 'take the brackets out'],
  ['hostname:\n  - a\n', '1:1 value.type', 'without the dash'],
  ['target_disk: [/dev/sda, /dev/sdb]\n', '1:1 value.type', 'write one value'],
  ['admin_password: [abcdefgh]\n', '1:1 value.type', QUOTE],
  ['admin_password: |\n  abcdefgh\n  second\n', '1:1 password.control', 'on one line'],
  ['target_disk: WD-12345\n', '1:14 disk.name', 'under /dev/disk/by-id/'],
  ['target_disk: nvme0n1\n', '1:14 disk.name', 'write /dev/nvme0n1'],
  ['target_disk: /dev/disk/by-diskseq/1\nconfirm_wipe: true\n', '1:14 disk.unstable', 'by-id'],
  ['network: {mode: static, ip: 192.0.2.9/255.255.255.0}\n', '1:29 address.invalid', 'write 192.0.2.9/24'],
  ['k3s: {pod_cidr: 10.244.0.0/016}\n', '1:17 k3s.range', 'write 10.244.0.0/16'],
  ['k3s: {pod_cidr: 10.244.0.0 / 255.252.0.0}\n', '1:17 k3s.range', 'write 10.244.0.0/14'],
  ['ntp_servers: "[2001:db8::1]:123"\n', '1:14 ntp.server', 'take the port out'],
  ['ntp_servers: [a.example iburst]\n', '1:15 ntp.server', 'an entry of its own'],
  ['timezone: /usr/share/zoneinfo/Europe/Oslo\n', '1:11 timezone.unknown', 'did you mean Europe/Oslo?'],
])('%j', (file, start, fix) => {
  expect(linesOf(file).some((line) => line.startsWith(start) && line.split(' => ')[1]?.includes(fix))).toBe(true);
});

test.each([
  ['a number that would be refused again', 'network: {mode: static, prefix: 00}\n', 'network.prefix'],
  ['a range that is none', 'k3s: {pod_cidr: 10.42.0.0/99}\n', 'write 10.42.0.0'],
])('never advises %s', (_, file, word) => {
  expect(linesOf(file).filter((line) => line.includes(word) && / => write [0-9]/.test(line))).toEqual([]);
});

test('what follows from an unclosed brace is not told', () => {
  expect(linesOf('s:\n  admin_password: {abc\n  hostname: a\n  timezone: UTC\n').filter((line) => line.includes('yaml.'))).toHaveLength(1);
});
