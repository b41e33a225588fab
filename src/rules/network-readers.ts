/** Readers of the single values of a network block; what they mean together is judged in network.ts and network6.ts. */
import type { NetworkAnswers } from '#model/answers.ts';
import { type Address, type Cidr, formatAddress, parseAddress, parseIpv4, parseIpv6 } from './addresses.ts';
import type { Fault, Reading } from './case.ts';
import { readNumber } from './read-scalars.ts';

export type NetworkMode = 'dhcp' | 'static';

const INTERFACE = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,14}$/;
/** DHCP or static, whatever the case. */
export function readMode(text: string): Reading<NetworkMode> {
  const mode = text.toLowerCase();
  if (mode === 'dhcp' || mode === 'static') return { value: mode, faults: [] };
  const fix = ['auto', 'automatic'].includes(mode) ? 'write dhcp' : mode === 'manual' ? 'write static' : undefined;
  return { value: null, faults: [{ rule: 'network.mode', message: 'mode must be dhcp or static', ...(fix ? { fix } : {}) }] };
}

/** The name of a port as the kernel gives it; no VLAN, alias or loopback. */
export function readInterface(text: string): Reading<string> {
  const fail = (message: string): Reading<string> => ({ value: null, faults: [{ rule: 'network.interface', message }] });
  if (/^[A-Za-z0-9_-]+(\.[0-9]+|:[A-Za-z0-9]+)$/.test(text))
    return fail('is the name of a VLAN or an alias of an interface; those are not configured here, name the port itself');
  if (text === 'lo') return fail('is the loopback interface; name a network port');
  if (!INTERFACE.test(text))
    return fail(
      'is no interface name: 1 to 15 characters, letters, digits, dots, hyphens and underscores, not starting with a dot or hyphen',
    );
  if (/^(any|auto|default|none|all)$/i.test(text))
    return {
      value: text,
      faults: [
        {
          rule: 'network.interface-word',
          message: `is taken as the name of a port; a port called ${text.toLowerCase()} is hardly there`,
          fix: 'name the port; with mode dhcp leave interface out for any port',
        },
      ],
    };
  return { value: text, faults: [] };
}

/** An address that may carry `/PREFIX`; the prefix alone may be faulty. */
export function readHost(text: string, family: 4 | 6): Reading<{ readonly address: Address; readonly prefix: number | null }> {
  const [bare = '', prefixText, ...more] = text.split('/');
  const tight = text.replace(/\s*\/\s*/, '/');
  const address = family === 4 ? parseIpv4(bare) : parseIpv6(bare);
  const fail = (message: string, fix?: string): Reading<never> => ({
    value: null,
    faults: [{ rule: 'address.invalid', message, ...(fix === undefined ? {} : { fix }) }],
  });
  if (!address && tight !== text && readHost(tight, family).value) return fail('has a blank beside the slash', `write ${tight}`);
  if (!address || more.length > 0) return fail(addressFault(bare, family));
  if (prefixText === undefined) return { value: { address, prefix: null }, faults: [] };
  const prefix = readNumber(prefixText, 1, family === 4 ? 32 : 128);
  if (prefix.value !== null) return { value: { address, prefix: prefix.value }, faults: [] };
  const [fault] = prefix.faults;
  const meant = fault?.fix?.replace(/^write /, '');
  return fail(
    `the prefix length after the slash ${fault?.message ?? 'is faulty'}`,
    meant === undefined ? undefined : `write ${formatAddress(address)}/${meant}`,
  );
}

/** An address that carries a prefix length where an address alone is wanted; null for any other text. */
export function prefixFault(text: string): Fault | null {
  const [, bare = '', length] = /^([0-9A-Fa-f.:]+)\s*\/\s*([0-9]{1,3})$/.exec(text) ?? [];
  const address = length === undefined ? null : parseAddress(bare);
  return address && Number(length) <= (address.family === 4 ? 32 : 128)
    ? { rule: 'address.prefix', message: `carries the prefix length /${length}; an address alone is wanted here`, fix: `write ${bare}` }
    : null;
}

/** An address of one family and nothing else. */
export function readBare(text: string, family: 4 | 6): Reading<Address> {
  const parse = family === 4 ? parseIpv4 : parseIpv6;
  const address = parse(text);
  if (address) return { value: address, faults: [] };
  const bare = text.split('/')[0]?.trim() ?? '';
  const prefix = parse(bare) ? prefixFault(text) : null;
  return { value: null, faults: [prefix ?? { rule: 'address.invalid', message: addressFault(bare, family) }] };
}

/** Why a text is no address of that family, as a predicate. */
export function addressFault(text: string, family: 4 | 6): string {
  if (family === 4) {
    if (/^[0-9]+(\.[0-9]+){3}$/.test(text) && /(^|\.)0[0-9]/.test(text))
      return 'is not an IPv4 address: a number in it has a leading zero, which some programs read as octal';
    if (/^[0-9.]+:[0-9]+$/.test(text)) return 'is not an IPv4 address: a port cannot be given here';
    return parseIpv6(text) ? 'is an IPv6 address where an IPv4 address is wanted' : 'is not an IPv4 address (four numbers of 0 to 255)';
  }
  if (text.includes('%')) return 'is not a plain IPv6 address: a zone (the part after %) cannot be given here';
  if (/^\[.*\]/.test(text)) return 'is not a plain IPv6 address: square brackets belong in a URL only';
  return parseIpv4(text) ? 'is an IPv4 address where an IPv6 address is wanted' : 'is not an IPv6 address';
}

/** Address and prefix of the IPv4 side as far as they can be read. */
export function readOwnIpv4(n: NetworkAnswers): { readonly address: Address | null; readonly prefix: number | null } {
  const host = n.ip === undefined ? null : readHost(n.ip, 4).value;
  const prefix = n.prefix === undefined ? null : readNumber(n.prefix, 1, 32).value;
  return { address: host?.address ?? null, prefix: prefix ?? host?.prefix ?? null };
}

const DEFAULT_PREFIX6 = 64;

/** The IPv6 address with its prefix length as far as they can be read. */
export function readOwnIpv6(n: NetworkAnswers): Cidr | null {
  const host = n.ip6 === undefined ? null : readHost(n.ip6, 6).value;
  if (!host) return null;
  const given = n.prefix6 === undefined ? null : readNumber(n.prefix6, 1, 128).value;
  return { address: host.address, prefix: given ?? host.prefix ?? DEFAULT_PREFIX6 };
}
