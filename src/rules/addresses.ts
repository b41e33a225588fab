/** IPv4 and IPv6 literals, strictly: no octal, no short forms, no zone ids. */

/** An address as a number of 32 or 128 bits. */
export interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

export interface Cidr {
  readonly address: Address;
  readonly prefix: number;
}

const widthOf = (family: 4 | 6): number => (family === 4 ? 32 : 128);

/** null for anything but four plain decimal numbers of 0-255. */
export function parseIpv4(text: string): Address | null {
  const parts = text.split('.');
  if (parts.length !== 4) return null;
  let bits = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9][0-9]{0,2})$/.test(part) || Number(part) > 255) return null;
    bits = bits * 256n + BigInt(part);
  }
  return { family: 4, bits };
}

function groupsOf(text: string): number[] | null {
  if (text === '') return [];
  const groups: number[] = [];
  for (const part of text.split(':')) {
    if (!/^[0-9A-Fa-f]{1,4}$/.test(part)) return null;
    groups.push(Number.parseInt(part, 16));
  }
  return groups;
}

/** RFC 4291 text form, an IPv4 tail included; null for anything else, zone ids too. */
export function parseIpv6(text: string): Address | null {
  let source = text;
  const tail = /^(.*:)([0-9]+\.[0-9.]+)$/.exec(text);
  if (tail) {
    const v4 = parseIpv4(tail[2] ?? '');
    if (!v4) return null;
    source = `${tail[1]}${(v4.bits >> 16n).toString(16)}:${(v4.bits & 0xffffn).toString(16)}`;
  }
  const halves = source.split('::');
  if (halves.length > 2) return null;
  const head = groupsOf(halves[0] ?? '');
  const rest = halves.length === 2 ? groupsOf(halves[1] ?? '') : [];
  if (!head || !rest) return null;
  const missing = 8 - head.length - rest.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...rest];
  return { family: 6, bits: groups.reduce((sum, group) => sum * 65536n + BigInt(group), 0n) };
}

/** An IPv4 or IPv6 address without a prefix; null for anything else. */
export const parseAddress = (text: string): Address | null => parseIpv4(text) ?? parseIpv6(text);

/** Canonical text: dotted quad, or RFC 5952. */
export function formatAddress(address: Address): string {
  if (address.family === 4) return [24n, 16n, 8n, 0n].map((shift) => ((address.bits >> shift) & 255n).toString()).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => ((address.bits >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (start + length < 8 && groups[start + length] === '0') length++;
    if (length > best.length) best = { start, length };
  }
  if (best.start < 0) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}

const hostMask = (cidr: Cidr): bigint => (1n << BigInt(widthOf(cidr.address.family) - cidr.prefix)) - 1n;

/** The network of an address: host bits cleared. */
export function networkOf(cidr: Cidr): Cidr {
  const { address, prefix } = cidr;
  return { address: { family: address.family, bits: address.bits & ~hostMask(cidr) }, prefix };
}

/** The last address of a range; for IPv4 its broadcast address. */
export const lastOf = (cidr: Cidr): Address => ({ family: cidr.address.family, bits: cidr.address.bits | hostMask(cidr) });

/** `192.0.2.0/24`, with the address as it is: host bits stay. */
export const formatCidr = (cidr: Cidr): string => `${formatAddress(cidr.address)}/${cidr.prefix}`;

/** Equal however they were spelled. */
export const sameAddress = (a: Address, b: Address): boolean => a.family === b.family && a.bits === b.bits;

/** False for an address of the other family. */
export function contains(range: Cidr, address: Address): boolean {
  if (range.address.family !== address.family) return false;
  return networkOf({ address, prefix: range.prefix }).address.bits === networkOf(range).address.bits;
}

/** True when they share an address; never across families. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  const [wide, narrow] = a.prefix <= b.prefix ? [a, b] : [b, a];
  return contains(wide, narrow.address);
}

/** `192.0.2.0/24` of either family; null when address or prefix is not plain. */
export function parseCidr(text: string): Cidr | null {
  const [addressText = '', prefixText = '', ...more] = text.split('/');
  const address = parseAddress(addressText);
  if (!address || more.length > 0 || !/^(0|[1-9][0-9]{0,2})$/.test(prefixText)) return null;
  const prefix = Number(prefixText);
  return prefix <= widthOf(address.family) ? { address, prefix } : null;
}

/** For ranges written in this source. Throws Error for a text that is none. */
export function range(text: string): Cidr {
  const cidr = parseCidr(text);
  if (!cidr) throw new Error(`not a range: ${text}`);
  return cidr;
}

const SPECIAL: readonly { readonly name: string; readonly range: Cidr }[] = [
  { name: 'unspecified', range: range('0.0.0.0/8') },
  { name: 'loopback', range: range('127.0.0.0/8') },
  { name: 'link-local', range: range('169.254.0.0/16') },
  { name: 'multicast', range: range('224.0.0.0/4') },
  { name: 'broadcast', range: range('255.255.255.255/32') },
  { name: 'reserved (class E)', range: range('240.0.0.0/4') },
  { name: 'unspecified', range: range('::/128') },
  { name: 'loopback', range: range('::1/128') },
  { name: 'link-local', range: range('fe80::/10') },
  { name: 'multicast', range: range('ff00::/8') },
  { name: 'IPv4-mapped', range: range('::ffff:0:0/96') },
];

export type SpecialKind = 'unspecified' | 'loopback' | 'link-local' | 'multicast' | 'broadcast' | 'reserved (class E)' | 'IPv4-mapped';

/** The kind with its article: `an unspecified`, `a loopback`. */
export const withArticle = (kind: SpecialKind): string => (/^[uI]/.test(kind) ? `an ${kind}` : `a ${kind}`);

/** Which special block an address lies in; null for an ordinary one. */
export const specialKind = (address: Address): SpecialKind | null =>
  (SPECIAL.find((s) => contains(s.range, address))?.name as SpecialKind | undefined) ?? null;

/** Every special IPv4 block that a range touches. */
export const specialKindsIn = (cidr: Cidr): readonly SpecialKind[] =>
  SPECIAL.filter((s) => s.range.address.family === cidr.address.family && overlaps(s.range, cidr)).map((s) => s.name as SpecialKind);

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].map(range);

/** True when the whole range is private or carrier-grade shared space. */
export const isPrivateRange = (cidr: Cidr): boolean => PRIVATE.some((p) => p.prefix <= cidr.prefix && contains(p, cidr.address));
