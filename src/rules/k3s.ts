/** The cluster's own address ranges, and that they leave the LAN alone. */
import type { Answers, NetworkAnswers } from '#model/answers.ts';
import { DEFAULT_DNS, DEFAULT_POD_CIDR, DEFAULT_SERVICE_CIDR } from '#model/limits.ts';
import {
  type Address,
  type Cidr,
  contains,
  formatAddress,
  formatCidr,
  isPrivateRange,
  networkOf,
  overlaps,
  parseCidr,
  parseIpv4,
  range,
  specialKindsIn,
} from './addresses.ts';
import type { Case, Fault, Reading } from './case.ts';
import { readMode, readOwnIpv4 } from './network-readers.ts';
import { prefixOfNetmask } from './read-scalars.ts';

const NARROWEST = 22;
/** The API server allocates services from a bitmap; a wider range is refused by k3s. */
const WIDEST_SERVICE = 12;

export type RangeName = 'pod_cidr' | 'service_cidr';
const RANGES: readonly { readonly name: RangeName; readonly default: string }[] = [
  { name: 'pod_cidr', default: DEFAULT_POD_CIDR },
  { name: 'service_cidr', default: DEFAULT_SERVICE_CIDR },
];

function sizeFault(cidr: Cidr, name: RangeName): Fault | null {
  if (cidr.prefix > NARROWEST)
    return {
      rule: 'k3s.narrow',
      message: `is too small: /${NARROWEST} or wider is needed`,
      fix: `use a prefix length of ${NARROWEST} or less`,
    };
  if (name === 'service_cidr' && cidr.prefix < WIDEST_SERVICE)
    return { rule: 'k3s.wide', message: `is too wide: a service range may be no larger than /${WIDEST_SERVICE}` };
  return null;
}

/** A netmask, a leading zero of the length and blanks around the slash are put right; for anything else there is only an example. */
function rangeFix(text: string): string {
  const [address = '', length = ''] = text.split('/').map((part) => part.trim());
  const meant = parseCidr(`${address}/${prefixOfNetmask(length) ?? length.replace(/^0+(?=[0-9])/, '')}`);
  return meant ? `write ${formatCidr(meant)}` : 'write it in the form of 10.42.0.0/16';
}

/** The range with host bits cleared, and what is wrong or odd about it. */
export function readRange(text: string, name: RangeName): Reading<Cidr> {
  const fail = (fault: Fault): Reading<Cidr> => ({ value: null, faults: [fault] });
  if (text.includes(':')) return fail({ rule: 'k3s.range', message: 'is not an IPv4 range; the cluster uses IPv4 only' });
  const cidr = parseCidr(text);
  if (!cidr) {
    const fix = parseIpv4(text) ? `write ${text}/16, or the prefix length you mean` : rangeFix(text);
    return fail({ rule: 'k3s.range', message: 'is not an IPv4 range with a prefix length (CIDR)', fix });
  }
  const size = sizeFault(cidr, name);
  const special = specialKindsIn(cidr).map(
    (kind): Fault => ({ rule: 'k3s.special', message: `holds ${kind} addresses, which no pod or service can have` }),
  );
  const refused = [...(size ? [size] : []), ...special.slice(0, 1)];
  if (refused.length > 0) return { value: null, faults: refused };
  const network = networkOf(cidr);
  const faults: Fault[] = [];
  if (network.address.bits !== cidr.address.bits)
    faults.push({
      rule: 'k3s.host-bits',
      message: `has host bits set; the network ${formatCidr(network)} is used`,
      fix: `write ${formatCidr(network)}`,
    });
  if (!isPrivateRange(network))
    faults.push({
      rule: 'k3s.public',
      message: 'is not a private range: hosts on the public Internet with these addresses cannot be reached',
      fix: 'use a range of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16',
    });
  return { value: network, faults };
}

/** The pod and the service range that answers come to, defaults included; null for one that cannot be read. */
export const rangesOf = (answers: Answers): readonly (Cidr | null)[] =>
  RANGES.map(({ name, default: fallback }) => readRange(answers.k3s?.[name]?.trim() || fallback, name).value);

interface Lan {
  readonly path: string;
  readonly what: string;
  readonly range: Cidr;
}

const single = (address: Address): Cidr => ({ address, prefix: 32 });

/** Networks that the machine is in now, by the ports that the answers mean. A linter asks on another day, so it is not told. */
function leasesOf({ machine, mode }: Case, port: string | undefined): readonly Lan[] {
  if (mode === 'lint' || machine === null || machine.partial === true) return [];
  const ports = (machine.interfaces ?? []).filter(({ name, linkUp }) => linkUp === true && (port === undefined || port === name));
  return ports.flatMap(({ name, addresses }) =>
    addresses.flatMap((text): Lan[] => {
      const [address, prefix] = text.split('/');
      const own = parseIpv4(address ?? '');
      const lan = own && networkOf({ address: own, prefix: Number(prefix ?? 32) });
      return lan === null ? [] : [{ path: 'network', what: `the network ${formatCidr(lan)} that ${name} is in now`, range: lan }];
    }),
  );
}

/** What a static configuration says about the LAN; with DHCP, what the machine has been given. */
function lanOf(c: Case): readonly Lan[] {
  const n: NetworkAnswers | undefined = c.answers.network;
  const mode = n?.mode === undefined ? null : readMode(n.mode).value;
  if (n === undefined || mode === null) return [];
  if (mode === 'dhcp') return leasesOf(c, n.interface);
  const { address, prefix } = readOwnIpv4(n);
  const lan = address ? networkOf({ address, prefix: prefix ?? 32 }) : null;
  const found: Lan[] = lan ? [{ path: 'network.ip', what: `the LAN ${formatCidr(lan)}`, range: lan }] : [];
  const others: [string, string, string | undefined][] = [
    ['network.gateway', 'the gateway', n.gateway],
    ...(n.dns ?? DEFAULT_DNS).map((text): [string, string, string] => ['network.dns', 'the name server', text]),
  ];
  for (const [path, what, text] of others) {
    const other = text === undefined ? null : parseIpv4(text);
    if (other && !(lan && contains(lan, other))) found.push({ path, what: `${what} ${formatAddress(other)}`, range: single(other) });
  }
  return found;
}

function judgeLan(c: Case, name: RangeName, cidr: Cidr, isDefault: boolean): void {
  const path = `k3s.${name}`;
  for (const lan of lanOf(c)) {
    if (!overlaps(cidr, lan.range)) continue;
    const message = `${isDefault ? 'the default range' : 'the range'} ${formatCidr(cidr)} overlaps ${lan.what}`;
    if (c.role === 'appliance')
      c.report(lan.path, {
        rule: 'k3s.lan-inherited',
        message: `${lan.what} lies in ${formatCidr(cidr)}, a default range that the control plane may use`,
      });
    else c.report(path, { rule: 'k3s.lan', message, fix: `give another range as k3s.${name}` }, lan.path);
  }
}

/** Pod and service ranges, given or usual, against each other and the network of the machine: `k3s.*`. */
export function judgeK3s(c: Case): void {
  const written = c.answers.k3s;
  const isDropped = c.role === 'appliance';
  if (isDropped && c.isWritten('k3s'))
    c.report('k3s', {
      rule: 'key.unused',
      message: 'is not used by the role appliance, which takes the ranges of its control plane; the values are dropped',
    });
  const found: { name: RangeName; cidr: Cidr; isDefault: boolean }[] = [];
  for (const { name, default: fallback } of RANGES) {
    const text = written?.[name];
    if (text === undefined) {
      // A template or another fault stands where the value should be: there is no range to compare.
      if (!c.isWritten(`k3s.${name}`)) found.push({ name, cidr: range(fallback), isDefault: true });
      continue;
    }
    const read = readRange(text, name);
    for (const fault of read.faults) c.report(`k3s.${name}`, fault);
    if (read.value) found.push({ name, cidr: read.value, isDefault: false });
  }
  const [first, second] = found;
  if (first && second && overlaps(first.cidr, second.cidr)) {
    const at = second.isDefault ? first : second;
    const other = at === first ? second : first;
    c.report(`k3s.${at.name}`, {
      rule: 'k3s.overlap',
      message: `${formatCidr(at.cidr)} overlaps the ${other.isDefault ? 'default ' : ''}${other.name} ${formatCidr(other.cidr)}; the two ranges must be disjoint`,
    });
  }
  for (const { name, cidr, isDefault } of found) {
    if (isDropped) continue;
    judgeLan(c, name, cidr, isDefault);
  }
  if (isDropped) for (const { name, default: fallback } of RANGES) judgeLan(c, name, range(fallback), true);
}
