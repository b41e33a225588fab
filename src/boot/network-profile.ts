/** The one NetworkManager profile this appliance owns, made from STATE. Pure: text in, text out. */
import { MTU_MAX, MTU_MIN, MTU_MIN_IPV6 } from '#model/limits.ts';
import { type Address, contains, formatAddress, parseAddress, parseIpv4, parseIpv6 } from '#rules/addresses.ts';

export const STATIC_PROFILE = '10-spatium-static.nmconnection';
export const DHCP_PROFILE = '10-spatium-dhcp.nmconnection';
/** Above a profile made by hand (0), so that the managed one wins at boot. */
const PRIORITY = 100;

/** What became of the requested MTU. `n/a`: there is no managed profile to hold one. */
export type MtuOutcome = 'default' | 'applied' | 'dropped' | 'n/a';

export interface RenderedNetwork {
  readonly mode: 'static' | 'dhcp';
  /** null: any port, or a name that could not be trusted. */
  readonly interface: string | null;
  /** null: NetworkManager's own automatic profile is used. */
  readonly profile: { readonly fileName: string; readonly text: string } | null;
  readonly mtuRequested: string;
  readonly mtuOutcome: MtuOutcome;
  readonly warnings: readonly string[];
}

interface Ipv4 {
  readonly address: Address;
  readonly prefix: number;
  readonly gateway: Address;
}

const INTERFACE = /^(?![.-])[A-Za-z0-9._-]{1,15}$/;
const digits = (text: string, max: number): number | null => (/^[0-9]{1,4}$/.test(text) && Number(text) <= max ? Number(text) : null);

function readIpv4(get: (key: string) => string, warn: (text: string) => void): Ipv4 | null {
  const address = parseIpv4(get('network_ip'));
  const prefix = digits(get('network_prefix'), 32);
  const gateway = parseIpv4(get('network_gateway'));
  if (!address || prefix === null || prefix === 0 || !gateway) {
    const bad = [!address && 'network_ip', !prefix && 'network_prefix', !gateway && 'network_gateway'].filter((k) => k !== false);
    warn(`static network: ${bad.join(', ')} missing or not valid; no profile is written and this machine comes up on DHCP`);
    return null;
  }
  return { address, prefix, gateway };
}

/** Servers by family, in order. What is no address is dropped: NetworkManager refuses a whole profile for it. */
function readDns(text: string, warn: (text: string) => void): { v4: string[]; v6: string[] } {
  const v4: string[] = [];
  const v6: string[] = [];
  for (const word of text.split(/[\s,;]+/).filter((w) => w !== '')) {
    const address = parseAddress(word);
    if (!address) warn('network_dns holds something that is no address; it is left out');
    else (address.family === 4 ? v4 : v6).push(formatAddress(address));
  }
  return { v4, v6 };
}

const dnsLine = (servers: readonly string[]): string[] => (servers.length === 0 ? [] : [`dns=${servers.map((s) => `${s};`).join('')}`]);

function ipv4Section(v4: Ipv4, dns: readonly string[]): string[] {
  const { address, prefix, gateway } = v4;
  const lines = ['[ipv4]', 'method=manual', `address1=${formatAddress(address)}/${prefix},${formatAddress(gateway)}`];
  // A gateway outside the prefix (a /32, as some hosters give) is reached straight over the link.
  if (!contains({ address, prefix }, gateway)) lines.push(`route1=${formatAddress(gateway)}/32`);
  return [...lines, ...dnsLine(dns)];
}

/** `hasAddress`: a static address is configured, which puts the IPv6 floor under the MTU. */
function ipv6Section(
  get: (key: string) => string,
  dns: readonly string[],
  warn: (text: string) => void,
): { lines: string[]; hasAddress: boolean } {
  const auto = { lines: ['[ipv6]', 'method=auto', ...dnsLine(dns)], hasAddress: false };
  if (get('network6_mode') !== 'static') return auto;
  const address = parseIpv6(get('network6_ip'));
  const prefix = digits(get('network6_prefix') || '64', 128);
  if (!address || !prefix) {
    warn('static IPv6: network6_ip or network6_prefix missing or not valid; IPv6 stays automatic');
    return auto;
  }
  const gateway = parseIpv6(get('network6_gateway'));
  if (get('network6_gateway') !== '' && !gateway) warn('network6_gateway is no IPv6 address; it is left out');
  const own = `address1=${formatAddress(address)}/${prefix}`;
  // Without a gateway the routers' announcements give one, as the installer says: with `manual` NetworkManager ignores them.
  const lines = ['[ipv6]', gateway ? 'method=manual' : 'method=auto', gateway ? `${own},${formatAddress(gateway)}` : own];
  const isLinkLocal = gateway !== null && gateway.bits >> 118n === 0x3fan;
  if (gateway && !isLinkLocal && !contains({ address, prefix }, gateway)) lines.push(`route1=${formatAddress(gateway)}/128`);
  return { lines: [...lines, ...dnsLine(dns)], hasAddress: true };
}

/** The MTU to write, or null with the reason already warned about. */
function readMtu(text: string, hasIpv6Address: boolean, warn: (text: string) => void): number | null {
  const mtu = digits(text, MTU_MAX);
  if (mtu === null || mtu < MTU_MIN) {
    warn(`network_mtu is not a number from ${MTU_MIN} to ${MTU_MAX}; the link keeps its default`);
    return null;
  }
  if (hasIpv6Address && mtu < MTU_MIN_IPV6) {
    warn(`network_mtu ${mtu} is below ${MTU_MIN_IPV6}, the least a static IPv6 address works with; the link keeps its default`);
    return null;
  }
  return mtu;
}

function profileText(id: string, uuid: string, port: string, mtu: number | null, sections: readonly (readonly string[])[]): string {
  const connection = ['[connection]', `id=${id}`, `uuid=${uuid}`, 'type=ethernet', `interface-name=${port}`];
  connection.push('autoconnect=true', `autoconnect-priority=${PRIORITY}`);
  const ethernet = ['[ethernet]', ...(mtu === null ? [] : [`mtu=${mtu}`])];
  const head = '# Written from the STATE partition at every boot.';
  return `${head}\n${[connection, ethernet, ...sections].map((s) => s.join('\n')).join('\n\n')}\n`;
}

/**
 * @param values keys of spatium-config.yaml
 * @param uuidOf uuid for a profile by file name: the one it already has, or a stable new one
 */
export function renderNetwork(values: ReadonlyMap<string, string>, uuidOf: (fileName: string) => string): RenderedNetwork {
  const warnings: string[] = [];
  const warn = (text: string): void => {
    warnings.push(text);
  };
  const get = (key: string): string => (values.get(key) ?? '').trim();
  const mtuRequested = get('network_mtu');
  const mode = get('network_mode') === 'static' ? 'static' : 'dhcp';
  if (!['static', 'dhcp', ''].includes(get('network_mode'))) warn('network_mode is neither static nor dhcp; DHCP is used');
  const name = get('network_interface');
  const port = INTERFACE.test(name) ? name : null;
  if (name !== '' && port === null) warn('network_interface is no interface name; it is ignored');

  const without = (): RenderedNetwork => {
    if (mtuRequested !== '') warn('network_mtu needs a profile with a named interface to hold it; the link keeps its default');
    return { mode, interface: port, profile: null, mtuRequested, mtuOutcome: 'n/a', warnings };
  };
  const build = (fileName: string, id: string, v4: readonly string[], v6: { lines: string[]; hasAddress: boolean }): RenderedNetwork => {
    const mtu = mtuRequested === '' ? null : readMtu(mtuRequested, v6.hasAddress, warn);
    const mtuOutcome = mtuRequested === '' ? 'default' : mtu === null ? 'dropped' : 'applied';
    const text = profileText(id, uuidOf(fileName), port ?? '', mtu, [v4, v6.lines]);
    return { mode, interface: port, profile: { fileName, text }, mtuRequested, mtuOutcome, warnings };
  };

  if (mode === 'dhcp') {
    if (port === null) return without();
    return build(DHCP_PROFILE, 'spatium-dhcp', ['[ipv4]', 'method=auto'], { lines: ['[ipv6]', 'method=auto'], hasAddress: false });
  }
  const ipv4 = readIpv4(get, warn);
  if (port === null) warn('static network: network_interface missing; no profile is written and this machine comes up on DHCP');
  if (port === null || ipv4 === null) return without();
  const dns = readDns(get('network_dns'), warn);
  return build(STATIC_PROFILE, 'spatium-static', ipv4Section(ipv4, dns.v4), ipv6Section(get, dns.v6, warn));
}

/** uuid line of an existing profile; null when it has none worth keeping. */
export const uuidIn = (profile: string): string | null =>
  /^uuid=([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/m.exec(profile)?.[1] ?? null;
