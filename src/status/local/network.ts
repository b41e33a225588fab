/** Links, addresses, gateways and name servers, from /sys/class/net, /proc/net and the kernel's address list. */
import type os from 'node:os';
import { PATHS } from '#model/limits.ts';
import type { NetworkData } from '#model/status-sections.ts';
import { type HostView, parseKeyValues } from '#system/observe.ts';
import { type Collector, intOf, ok } from '../collector.ts';

type Interface = NetworkData['interfaces'][number];
type Address = Interface['addrs'][number];

/** Made by container networking: not this box's own doors. A LAN bridge br0 or br-lan is one. */
const CONTAINER_LINKS = /^(lo|cni\d*|flannel.*|veth.*|docker\d*|virbr\d*|kube-.*|cali.*|tunl\d*|br-[0-9a-f]{12})$/;

/** Little-endian hex of /proc/net/route to dotted quad. */
const hexToIpv4 = (hex: string): string =>
  (hex.match(/../g) ?? [])
    .map((b) => Number.parseInt(b, 16))
    .reverse()
    .join('.');

const RTF_GATEWAY = 0x2;

/** Gateway of the default route with the lowest metric. */
export function defaultGateway4(table: string): string | null {
  const routes = table
    .split('\n')
    .slice(1)
    .map((l) => l.split(/\s+/))
    .filter((f) => f[1] === '00000000' && f[7] === '00000000' && (Number.parseInt(f[3] ?? '0', 16) & RTF_GATEWAY) !== 0)
    .sort((a, b) => Number(a[6]) - Number(b[6]));
  return routes[0]?.[2] ? hexToIpv4(routes[0][2]) : null;
}

/** 32 hex digits to the shortest text form. */
export function hexToIpv6(hex: string): string {
  const groups = (hex.match(/.{4}/g) ?? []).map((g) => Number.parseInt(g, 16).toString(16));
  const runs = [...groups.join(' ').matchAll(/(?:^|(?<= ))0(?: 0)+(?= |$)/g)].map((m) => m[0]);
  const longest = runs.sort((a, b) => b.length - a.length)[0];
  if (!longest) return groups.join(':');
  const [left = '', right = ''] = ` ${groups.join(' ')} `.split(` ${longest} `);
  return `${left.trim().replaceAll(' ', ':')}::${right.trim().replaceAll(' ', ':')}`;
}

/** /proc/net/ipv6_route: destination, prefix, source, prefix, next hop, metric, … */
export function defaultGateway6(table: string): string | null {
  const zero = '0'.repeat(32);
  const routes = table
    .split('\n')
    .map((l) => l.trim().split(/\s+/))
    .filter((f) => f[0] === zero && f[1] === '00' && f[4] !== undefined && f[4] !== zero)
    .sort((a, b) => Number.parseInt(a[5] ?? '0', 16) - Number.parseInt(b[5] ?? '0', 16));
  return routes[0]?.[4] ? hexToIpv6(routes[0][4]) : null;
}

function scopeOf(addr: string): Address['scope'] {
  if (addr.startsWith('169.254.') || /^fe[89ab]/i.test(addr)) return 'link';
  if (addr.startsWith('127.') || addr === '::1') return 'host';
  return 'global';
}

function addressOf(a: os.NetworkInterfaceInfo): Address {
  const prefix = intOf(a.cidr?.split('/')[1]);
  const v6 = a.family === 'IPv6';
  return { addr: a.address, prefix: prefix ?? (v6 ? 128 : 32), family: v6 ? 'v6' : 'v4', scope: scopeOf(a.address), dynamic: null };
}

async function kindOf(host: HostView, name: string): Promise<Interface['kind']> {
  const at = `/sys/class/net/${name}`;
  if (await host.exists(`${at}/wireless`)) return 'wireless';
  if (await host.exists(`${at}/bonding`)) return 'bond';
  if (await host.exists(`${at}/bridge`)) return 'bridge';
  if (/^DEVTYPE=vlan$/m.test((await host.text(`${at}/uevent`)) ?? '')) return 'vlan';
  return (await host.exists(`${at}/device`)) ? 'ethernet' : 'other';
}

interface Counters {
  readonly atMs: number;
  readonly rx: number;
  readonly tx: number;
}

const rate = (before: number, now: number, ms: number): number | null =>
  ms > 0 && now >= before ? Math.round((1000 * (now - before)) / ms) : null;

async function readInterface(host: HostView, name: string, addrs: readonly Address[], before: Counters | undefined, nowMs: number) {
  const at = `/sys/class/net/${name}`;
  // speed and carrier fail with EINVAL while the link is down.
  const word = (file: string): Promise<string | null> => host.word(`${at}/${file}`).catch(() => null);
  const [kind, mac, operstate, carrier, speed, mtu, flags, rx, tx] = await Promise.all([
    kindOf(host, name),
    word('address'),
    word('operstate'),
    word('carrier'),
    word('speed'),
    word('mtu'),
    word('flags'),
    word('statistics/rx_bytes'),
    word('statistics/tx_bytes'),
  ]);
  const speedMbps = intOf(speed);
  const counters: Counters | null = rx !== null && tx !== null ? { atMs: nowMs, rx: Number(rx), tx: Number(tx) } : null;
  const elapsedMs = before ? nowMs - before.atMs : 0;
  const found: Interface = {
    name,
    kind,
    mac: mac === '00:00:00:00:00:00' ? null : mac,
    // Some drivers never report operstate; IFF_UP is the administrative state.
    up: operstate === 'up' || (operstate === 'unknown' && (Number.parseInt(flags ?? '0', 16) & 1) === 1),
    carrier: carrier === null ? null : carrier === '1',
    speed_mbps: speedMbps !== null && speedMbps > 0 ? speedMbps : null,
    mtu: intOf(mtu),
    addrs: [...addrs],
    managed: null,
    rx_bytes_per_s: counters && before ? rate(before.rx, counters.rx, elapsedMs) : null,
    tx_bytes_per_s: counters && before ? rate(before.tx, counters.tx, elapsedMs) : null,
  };
  return { found, counters };
}

const MODES: readonly string[] = ['dhcp', 'static', 'slaac', 'disabled'];
const MTU_STATES: readonly string[] = ['default', 'applied', 'dropped', 'n/a'];

async function mtuStatus(host: HostView): Promise<Pick<NetworkData, 'mtu' | 'mode4'>> {
  const text = await host.text(PATHS.networkStatus).catch(() => null);
  if (text === null) return { mtu: null, mode4: null };
  const v = parseKeyValues(text);
  // The file describes one boot; another boot's says nothing about this one.
  const matches = v.get('BOOT_ID') === (await host.word('/proc/sys/kernel/random/boot_id'));
  if (!matches) return { mtu: null, mode4: null };
  const status = v.get('MTU_APPLIED') ?? '';
  const mode = v.get('MODE') ?? '';
  return {
    mode4: MODES.includes(mode) ? (mode as NetworkData['mode4']) : null,
    mtu: MTU_STATES.includes(status)
      ? {
          interface: v.get('INTERFACE') || null,
          applied: intOf(v.get('MTU')),
          requested: intOf(v.get('MTU_REQUESTED')),
          status: status as NonNullable<NetworkData['mtu']>['status'],
          reason: null,
          boot_id_matches: true,
        }
      : null,
  };
}

/** The addresses a browser can use: the virtual one first, IPv4 before IPv6; IPv6 in brackets. */
export function webUiUrls(interfaces: readonly Interface[], vip: NetworkData['vip'] = null): NetworkData['web_ui_urls'] {
  const urlOf = (addr: string): string => (addr.includes(':') ? `https://[${addr}]` : `https://${addr}`);
  const virtual = [vip?.v4, vip?.v6].filter((a): a is string => typeof a === 'string');
  const global = interfaces.flatMap((i) => i.addrs).filter((a) => a.scope === 'global' && !virtual.includes(a.addr));
  const nodes = [...global.filter((a) => a.family === 'v4'), ...global.filter((a) => a.family === 'v6')];
  return [
    ...virtual.map((a) => ({ url: urlOf(a), kind: 'vip', family: a.includes(':') ? 'v6' : 'v4' }) as const),
    ...nodes.map((a) => ({ url: urlOf(a.addr), kind: 'node', family: a.family }) as const),
  ];
}

const PERMANENT = 0x80;

/** Addresses of /proc/net/if_inet6 that have a lifetime: learned from a router or by DHCP. Keys are interface and 32 hex digits. */
export function learnedAddresses(table: string): ReadonlySet<string> {
  const rows = table.split('\n').map((l) => l.trim().split(/\s+/));
  return new Set(
    rows.filter((f) => f.length >= 6 && (Number.parseInt(f[4] ?? '', 16) & PERMANENT) === 0).map((f) => `${f[5]} ${hexToIpv6(f[0] ?? '')}`),
  );
}

function mode6Of(interfaces: readonly Interface[]): NetworkData['mode6'] {
  const global = interfaces.flatMap((i) => i.addrs).filter((a) => a.family === 'v6' && a.scope === 'global' && a.dynamic !== null);
  if (global.length === 0) return null;
  return global.some((a) => a.dynamic) ? 'slaac' : 'static';
}

/** What only a supervisor can add. */
export interface NetworkExtras {
  readonly vip?: () => NetworkData['vip'];
  readonly connectivity?: (gateway: string | null, servers: readonly string[]) => Promise<NetworkData['connectivity']>;
  readonly adopt?: () => Promise<NetworkData['adopt']>;
}

export function networkCollector(host: HostView, monoMs: () => number, extras: NetworkExtras = {}): Collector<'network'> {
  const counters = new Map<string, Counters>();
  return {
    name: 'network',
    periodMs: 5000,
    timeLimitMs: 3000,
    ttlMs: 10_000,
    source: '/sys/class/net, /proc/net',
    async collect() {
      const known = host.interfaces();
      const table6 = await host.text('/proc/net/if_inet6');
      const learned = table6 === null ? null : learnedAddresses(table6);
      const withOrigin = (name: string, a: Address): Address =>
        a.family === 'v4' || learned === null ? a : { ...a, dynamic: learned.has(`${name} ${a.addr}`) };
      const names = (await host.names('/sys/class/net')).filter((n) => !CONTAINER_LINKS.test(n));
      const read = await Promise.all(
        names.map(async (name) => {
          const addrs = (known[name] ?? []).map((a) => withOrigin(name, addressOf(a)));
          const r = await readInterface(host, name, addrs, counters.get(name), monoMs());
          if (r.counters) counters.set(name, r.counters);
          return r.found;
        }),
      );
      // Tunnels and test devices without an address are nobody's business here.
      const interfaces = read.filter((i) => i.kind !== 'other' || i.addrs.some((a) => a.scope === 'global'));
      const [route4, route6, resolv, mtu] = await Promise.all([
        host.text('/proc/net/route'),
        host.text('/proc/net/ipv6_route'),
        host.text('/etc/resolv.conf').catch(() => null),
        mtuStatus(host),
      ]);
      const virtual = extras.vip?.() ?? null;
      const gateway4 = route4 === null ? null : defaultGateway4(route4);
      const dnsServers = [...(resolv ?? '').matchAll(/^\s*nameserver\s+(\S+)/gm)].map((m) => m[1] as string);
      return ok({
        web_ui_urls: webUiUrls(interfaces, virtual),
        vip: virtual,
        interfaces,
        gateway4,
        gateway6: route6 === null ? null : defaultGateway6(route6),
        dns_servers: dnsServers,
        mode6: mode6Of(interfaces),
        ...mtu,
        connectivity: (await extras.connectivity?.(gateway4, dnsServers)) ?? null,
        adopt: (await extras.adopt?.()) ?? null,
      });
    },
  };
}
