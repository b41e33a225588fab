import { expect, test } from 'vitest';
import {
  contains,
  formatAddress,
  formatCidr,
  isPrivateRange,
  lastOf,
  networkOf,
  overlaps,
  parseAddress,
  parseCidr,
  parseIpv4,
  parseIpv6,
  range,
  specialKind,
} from '#rules/addresses.ts';

test.each(['0.0.0.0', '255.255.255.255', '192.0.2.1'])('IPv4 %s', (text) => expect(formatAddress(parseIpv4(text)!)).toBe(text));
test.each(['01.2.3.4', '1.2.3', '1.2.3.256', '1.2.3.4.5', '0x1.2.3.4', ' 1.2.3.4', '1.2.3.4/8', ''])('not IPv4: %j', (text) =>
  expect(parseIpv4(text)).toBeNull(),
);

test.each([
  ['::', '::'],
  ['::1', '::1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
  ['::ffff:192.0.2.1', '::ffff:c000:201'],
  ['fe80::', 'fe80::'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
])('IPv6 %s is %s', (text, canonical) => expect(formatAddress(parseIpv6(text)!)).toBe(canonical));
test.each(['1:2:3:4:5:6:7', '1::2::3', ':::', '12345::', 'fe80::1%eth0', '::1.2.3', 'g::', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8::'])(
  'not IPv6: %s',
  (text) => expect(parseIpv6(text)).toBeNull(),
);

test('networks and their ends', () => {
  const cidr = parseCidr('192.168.40.10/23')!;
  expect(formatCidr(networkOf(cidr))).toBe('192.168.40.0/23');
  expect(formatAddress(lastOf(cidr))).toBe('192.168.41.255');
  expect(formatCidr(networkOf(parseCidr('2001:db8:1:2::9/48')!))).toBe('2001:db8:1::/48');
  expect(parseCidr('10.0.0.0/33')).toBeNull();
  expect(parseCidr('10.0.0.0/08')).toBeNull();
});

test('containment and overlap', () => {
  expect(contains(range('10.42.0.0/16'), parseAddress('10.42.255.255')!)).toBe(true);
  expect(contains(range('10.42.0.0/16'), parseAddress('10.43.0.0')!)).toBe(false);
  expect(contains(range('0.0.0.0/0'), parseAddress('::1')!)).toBe(false);
  expect(overlaps(range('10.0.0.0/8'), range('10.42.0.0/16'))).toBe(true);
  expect(overlaps(range('10.42.0.0/16'), range('10.43.0.0/16'))).toBe(false);
  expect(isPrivateRange(range('172.16.0.0/12'))).toBe(true);
  expect(isPrivateRange(range('172.0.0.0/8'))).toBe(false);
});

test.each([
  ['127.9.9.9', 'loopback'],
  ['0.1.2.3', 'unspecified'],
  ['169.254.0.1', 'link-local'],
  ['239.0.0.1', 'multicast'],
  ['255.255.255.255', 'broadcast'],
  ['250.0.0.1', 'reserved (class E)'],
  ['febf::1', 'link-local'],
  ['192.0.2.1', null],
  ['2001:db8::1', null],
])('%s is %s', (text, kind) => expect(specialKind(parseAddress(text)!)).toBe(kind));
