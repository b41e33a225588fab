/** Network ports of this machine, as the running system holds them, and its resolvers. */
import os from 'node:os';
import type { NetInterface } from '#model/machine.ts';
import { numberIn, type Sources } from './sources.ts';

const NET = '/sys/class/net';
/** Ports that are made by software and carry no cable. */
const VIRTUAL =
  /^(?:lo|bonding_masters|veth|docker|cni|flannel|br-|virbr|kube|cali|tunl|nodelocaldns|dummy|ifb|sit|gre|ip6|vxlan|wg|tun|tap)/;

/** A port an installer may configure: wired by name, or with a device behind it. */
async function isPort(sources: Sources, name: string): Promise<boolean> {
  if (VIRTUAL.test(name)) return false;
  return /^(?:en|eth)/.test(name) || (await sources.target(`${NET}/${name}/device`)) !== null;
}

/** Default routes of /proc/net/route (addresses in hexadecimal, in the byte order of the machine), best metric first. */
export function parseGateways(route: string): ReadonlyMap<string, string> {
  const rows = route
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s+/))
    .filter(([, destination, gateway, , , , , mask]) => destination === '00000000' && mask === '00000000' && gateway !== '00000000')
    .sort((a, b) => Number(a[6]) - Number(b[6]));
  const gateways = new Map<string, string>();
  for (const [name = '', , hex = ''] of rows) {
    const octets = hex.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
    const ordered = os.endianness() === 'LE' ? octets.reverse() : octets;
    if (!gateways.has(name) && octets.length === 4) gateways.set(name, ordered.join('.'));
  }
  return gateways;
}

function addressesOf(name: string): string[] {
  return (os.networkInterfaces()[name] ?? []).flatMap((a) => (a.cidr === null ? [] : [a.cidr]));
}

/** `operstate`, because `carrier` cannot be read on a port that is down. */
async function linkUpOf(sources: Sources, name: string): Promise<boolean | null> {
  const state = await sources.text(`${NET}/${name}/operstate`);
  if (state === 'up') return true;
  if (state === 'down' || state === 'lowerlayerdown' || state === 'notpresent' || state === 'dormant') return false;
  // Drivers that never report say `unknown`; carrier then tells.
  const carrier = await sources.text(`${NET}/${name}/carrier`);
  return carrier === '1' ? true : carrier === '0' ? false : null;
}

async function interfaceOf(sources: Sources, name: string, gateways: ReadonlyMap<string, string>): Promise<NetInterface> {
  const driver = await sources.target(`${NET}/${name}/device/driver`);
  return {
    name,
    mac: await sources.text(`${NET}/${name}/address`),
    driver: driver?.split('/').pop() ?? null,
    linkUp: await linkUpOf(sources, name),
    speedMbps: await numberIn(sources, `${NET}/${name}/speed`),
    mtu: await numberIn(sources, `${NET}/${name}/mtu`),
    addresses: addressesOf(name),
    gateway4: gateways.get(name) ?? null,
  };
}

/** Every port that an installer may configure, sorted by name. */
export async function probeInterfaces(sources: Sources): Promise<NetInterface[]> {
  const gateways = parseGateways((await sources.text('/proc/net/route')) ?? '');
  const found: NetInterface[] = [];
  for (const name of await sources.names(NET)) if (await isPort(sources, name)) found.push(await interfaceOf(sources, name, gateways));
  return found;
}

const RESOLV = ['/run/systemd/resolve/resolv.conf', '/run/NetworkManager/resolv.conf', '/etc/resolv.conf'] as const;

/** Name servers of the first file that names one beyond this machine itself. */
export async function probeResolvers(sources: Sources): Promise<string[]> {
  for (const file of RESOLV) {
    const text = (await sources.text(file)) ?? '';
    const servers = [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map((m) => m[1] ?? '').filter((s) => !/^(?:127\.|::1$)/.test(s));
    if (servers.length > 0) return [...new Set(servers)];
  }
  return [];
}
