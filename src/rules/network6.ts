/** The static IPv6 address beside the static IPv4 one. */
import type { NetworkAnswers } from '#model/answers.ts';
import { type Cidr, contains, formatCidr, networkOf, sameAddress, specialKind, withArticle } from './addresses.ts';
import type { Case, Fault } from './case.ts';
import { type NetworkMode, readBare, readHost, readOwnIpv6 } from './network-readers.ts';
import { readNumber } from './read-scalars.ts';

function ownFault(own: Cidr): Fault | null {
  const kind = specialKind(own.address);
  if (kind !== null)
    return { rule: 'address.special', message: `is ${withArticle(kind)} address; it cannot be the static IPv6 address of a host` };
  if (own.prefix < 127 && sameAddress(networkOf(own).address, own.address))
    return {
      rule: 'network.edge',
      message: `is the subnet-router anycast address of ${formatCidr(networkOf(own))}, the network address of IPv6`,
    };
  return null;
}

function gatewayFault(text: string, own: Cidr | null): Fault | null {
  const { value: gateway, faults } = readBare(text, 6);
  if (!gateway) return faults[0] ?? null;
  const kind = specialKind(gateway);
  if (kind === 'link-local') return null;
  if (kind !== null) return { rule: 'gateway.special', message: `is ${withArticle(kind)} address; it cannot be a gateway` };
  if (!own) return null;
  if (sameAddress(gateway, own.address))
    return { rule: 'gateway.self', message: 'is the same as the own address (ip6); the gateway is another machine' };
  if (contains(own, gateway)) return null;
  if (own.prefix === 128)
    return { rule: 'gateway.on-link', message: 'is outside the /128 of the address, so an on-link route to it is set up' };
  const subnet = formatCidr(networkOf(own));
  return {
    rule: 'gateway.outside',
    message: `is outside the prefix ${subnet}, so it cannot be reached`,
    fix: `give a gateway inside ${subnet}, or its link-local address (fe80::...)`,
  };
}

/** The IPv6 half of the network block: `network6.*`, and what of the IPv4 rules holds here too. */
export function judgeIpv6(c: Case, n: NetworkAnswers, mode: NetworkMode | null): void {
  const isWritten = (name: string) => c.isWritten(`network.${name}`);
  for (const name of ['prefix6', 'gateway6'] as const)
    if (isWritten(name) && !isWritten('ip6'))
      c.report(`network.${name}`, {
        rule: 'network6.no-address',
        message: `${name} needs a static IPv6 address in ip6`,
        fix: `add ip6, or take ${name} out`,
      });
  if (isWritten('ip6') && mode === 'dhcp')
    c.report('network.ip6', {
      rule: 'network6.dhcp',
      message: 'a static IPv6 address needs mode static; it cannot stand beside mode dhcp',
      fix: 'take ip6 out, or write mode: static',
    });
  if (n.prefix6 !== undefined) for (const fault of readNumber(n.prefix6, 1, 128).faults) c.report('network.prefix6', fault);
  const host = n.ip6 === undefined ? null : readHost(n.ip6, 6);
  for (const fault of host?.faults ?? []) c.report('network.ip6', fault);
  const given = n.prefix6 === undefined ? null : readNumber(n.prefix6, 1, 128).value;
  const inIp = host?.value?.prefix ?? null;
  if (given !== null && inIp !== null && given !== inIp)
    c.report('network.prefix6', {
      rule: 'network.prefix-twice',
      message: `prefix6 ${given} differs from the /${inIp} in ip6`,
      fix: 'give the prefix length once',
    });
  const own = readOwnIpv6(n);
  const fault = own && ownFault(own);
  if (fault) c.report('network.ip6', fault);
  if (n.gateway6 === undefined || !isWritten('ip6')) return;
  const about = gatewayFault(n.gateway6, mode === 'dhcp' || (given !== null && inIp !== null && given !== inIp) ? null : own);
  if (about) c.report('network.gateway6', about);
}
