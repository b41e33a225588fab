/** The network block: mode, port, IPv4, name servers, MTU. IPv6 is in network6.ts. */
import type { NetworkAnswers } from '#model/answers.ts';
import { MTU_MAX, MTU_MIN, MTU_MIN_IPV6 } from '#model/limits.ts';
import {
  type Address,
  type Cidr,
  contains,
  formatAddress,
  formatCidr,
  lastOf,
  networkOf,
  parseAddress,
  sameAddress,
  specialKind,
  withArticle,
} from './addresses.ts';
import type { Case, Fault } from './case.ts';
import {
  addressFault,
  type NetworkMode,
  prefixFault,
  readBare,
  readHost,
  readInterface,
  readMode,
  readOwnIpv4,
} from './network-readers.ts';
import { judgeIpv6 } from './network6.ts';
import { readNumber } from './read-scalars.ts';

/** What the C library reads of resolv.conf. */
const RESOLVERS_USED = 3;

function judgeOwnAddress(c: Case, address: Address, prefix: number | null): void {
  const kind = specialKind(address);
  if (kind !== null && kind !== 'link-local') {
    c.report('network.ip', { rule: 'address.special', message: `is ${withArticle(kind)} address; a host cannot have it` });
    return;
  }
  if (kind === 'link-local')
    c.report('network.ip', { rule: 'network.link-local', message: 'is a link-local address (169.254.0.0/16); routers do not forward it' });
  if (prefix === null || prefix > 30) return;
  const cidr: Cidr = { address, prefix };
  const network = networkOf(cidr);
  if (sameAddress(network.address, address))
    c.report('network.ip', {
      rule: 'network.edge',
      message: `is the network address of ${formatCidr(network)}; few networks let a host use it`,
    });
  else if (sameAddress(lastOf(cidr), address))
    c.report('network.ip', {
      rule: 'network.edge',
      message: `is the broadcast address of ${formatCidr(network)}; few networks let a host use it`,
    });
}

function gatewayFault(gateway: Address, own: Cidr | null): Fault | null {
  const kind = specialKind(gateway);
  if (kind !== null && kind !== 'link-local')
    return { rule: 'gateway.special', message: `is ${withArticle(kind)} address; it cannot be a gateway` };
  if (!own) return null;
  if (sameAddress(gateway, own.address))
    return { rule: 'gateway.self', message: 'is the same as the own address (ip); the gateway is another machine' };
  const subnet = networkOf(own);
  if (!contains(own, gateway)) {
    if (own.prefix === 32)
      return { rule: 'gateway.on-link', message: 'is outside the /32 of the address, so an on-link route to it is set up' };
    return {
      rule: 'gateway.outside',
      message: `is outside the subnet ${formatCidr(subnet)}, so it cannot be reached`,
      fix: `give a gateway inside ${formatCidr(subnet)}, or check prefix`,
    };
  }
  if (own.prefix < 31 && (sameAddress(gateway, subnet.address) || sameAddress(gateway, lastOf(own))))
    return { rule: 'gateway.edge', message: `is the network or broadcast address of ${formatCidr(subnet)}` };
  return null;
}

function judgeIpv4(c: Case, n: NetworkAnswers, isStatic: boolean): void {
  const host = n.ip === undefined ? null : readHost(n.ip, 4);
  for (const fault of host?.faults ?? []) c.report('network.ip', fault);
  const prefix = n.prefix === undefined ? null : readNumber(n.prefix, 1, 32);
  for (const fault of prefix?.faults ?? []) c.report('network.prefix', fault);
  const inIp = host?.value?.prefix ?? null;
  if (inIp !== null && prefix?.value != null && inIp !== prefix.value)
    c.report('network.prefix', {
      rule: 'network.prefix-twice',
      message: `prefix ${prefix.value} differs from the /${inIp} in ip`,
      fix: 'give the prefix length once',
    });
  const { address, prefix: length } = readOwnIpv4(n);
  if (address) judgeOwnAddress(c, address, length);
  if (n.gateway === undefined) return;
  const { value: gateway, faults } = readBare(n.gateway, 4);
  for (const fault of faults) c.report('network.gateway', fault);
  if (!gateway) return;
  // Two prefix lengths that differ leave no subnet to judge the gateway by.
  const isClear = inIp === null || prefix?.value == null || inIp === prefix.value;
  const isUsable = address !== null && [null, 'link-local'].includes(specialKind(address));
  const own = isStatic && isUsable && length !== null && isClear ? { address, prefix: length } : null;
  const fault = gatewayFault(gateway, own);
  if (fault) c.report('network.gateway', fault);
}

function judgeDns(c: Case, servers: readonly string[]): void {
  if (servers.length === 0)
    c.report('network.dns', { rule: 'value.empty', message: 'the list is empty and counts as absent: the default name servers are used' });
  for (const [i, text] of servers.entries()) {
    if (text === '') continue;
    const address = parseAddress(text);
    const path = `network.dns[${i}]`;
    if (!address) {
      const prefix = prefixFault(text);
      const why =
        prefix?.message ??
        (/^[0-9.]+(:[0-9]+)?$/.test(text) ? addressFault(text, 4) : 'is not an IPv4 or IPv6 address; name servers are given by address');
      c.report(path, { ...(prefix ?? { rule: 'address.invalid' }), message: `${c.show(text)} ${why}` });
      continue;
    }
    const kind = specialKind(address);
    if (kind === 'loopback')
      c.report(path, { rule: 'dns.loopback', message: 'is a loopback address; no name server listens there on the appliance' });
    else if (kind === 'link-local')
      c.report(path, { rule: 'dns.link-local', message: 'is a link-local address, which only works on one link' });
    else if (kind !== null)
      c.report(path, { rule: 'address.special', message: `is ${withArticle(kind)} address; it cannot be a name server` });
  }
  if (servers.length > RESOLVERS_USED)
    c.report('network.dns', { rule: 'dns.many', message: `only the first ${RESOLVERS_USED} name servers are used` });
}

function judgeMtu(c: Case, n: NetworkAnswers, mode: NetworkMode | null): void {
  if (n.mtu === undefined) return;
  const mtu = readNumber(n.mtu, MTU_MIN, MTU_MAX);
  for (const fault of mtu.faults) c.report('network.mtu', fault);
  if (mtu.value !== null && mtu.value < MTU_MIN_IPV6 && n.ip6 !== undefined && mode !== 'dhcp')
    c.report('network.mtu', { rule: 'mtu.ipv6', message: `IPv6 needs an MTU of at least ${MTU_MIN_IPV6} (RFC 8200), and ip6 is given` });
  if (mode === 'dhcp' && n.interface === undefined && !c.isWritten('network.interface'))
    c.report('network.mtu', {
      rule: 'mtu.no-interface',
      message: 'with dhcp an mtu needs a pinned port: name it in interface, or take mtu out',
    });
}

const STATIC_NEEDS = ['interface', 'ip', 'prefix', 'gateway'] as const;

function judgeMissing(c: Case, n: NetworkAnswers): void {
  for (const name of STATIC_NEEDS) {
    if (c.isWritten(`network.${name}`)) continue;
    if (name === 'prefix' && n.ip !== undefined && readHost(n.ip, 4).value?.prefix != null) continue;
    if (name === 'prefix' && n.ip?.includes('/')) continue;
    const host = name === 'prefix' && n.ip !== undefined ? readHost(n.ip, 4).value : null;
    const fix = host ? { fix: `add prefix: LENGTH, or write ip: ${formatAddress(host.address)}/LENGTH` } : {};
    c.report(`network.${name}`, { rule: 'network.missing', message: `mode static needs ${name}`, ...fix }, 'network');
  }
}

const IGNORED_BY_DHCP = ['ip', 'prefix', 'gateway', 'dns'] as const;

function judgeForMachine(c: Case, name: string): void {
  const ports = c.machine?.interfaces;
  if (!ports || c.machine?.partial || ports.some((port) => port.name === name)) return;
  const names = ports.map((port) => port.name).filter((port) => port !== 'lo');
  c.report('network.interface', {
    rule: 'network.interface-absent',
    message: `the machine has no interface ${c.show(name)}`,
    fix: names.length === 0 ? 'the machine has no network port at all' : `it has ${names.join(', ')}`,
  });
}

/** The network block: each value, and what they mean together: `network.*`, `address.*`, `gateway.*`, `dns.*`, `mtu.*`. */
export function judgeNetwork(c: Case): void {
  const n = c.answers.network;
  if (n === undefined) return;
  const mode = n.mode === undefined ? null : readMode(n.mode);
  for (const fault of mode?.faults ?? []) c.report('network.mode', fault);
  if (!c.isWritten('network.mode') && c.mode !== 'field')
    c.report('network.mode', { rule: 'network.missing', message: 'the network block needs mode: dhcp or static' }, 'network');
  if (n.interface !== undefined) {
    const port = readInterface(n.interface);
    for (const fault of port.faults) c.report('network.interface', fault);
    if (port.value !== null) judgeForMachine(c, port.value);
  }
  judgeIpv4(c, n, mode?.value === 'static');
  if (n.dns !== undefined) judgeDns(c, n.dns);
  judgeIpv6(c, n, mode?.value ?? null);
  judgeMtu(c, n, mode?.value ?? null);
  if (mode?.value === 'static') judgeMissing(c, n);
  if (mode?.value === 'dhcp')
    for (const name of IGNORED_BY_DHCP)
      if (c.isWritten(`network.${name}`))
        c.report(`network.${name}`, {
          rule: 'network.unused',
          message: `${name} is not used with mode dhcp`,
          fix: 'take it out, or write mode: static',
        });
}
