/** Time servers: names or addresses, without ports or options. */
import { type Address, parseIpv4, parseIpv6, specialKind, withArticle } from './addresses.ts';
import type { Case, Fault, Reading } from './case.ts';
import { prefixFault } from './network-readers.ts';

const MAX_NAME = 253;
/** Words of chrony's configuration that people append. */
const OPTIONS = new Set(['iburst', 'burst', 'prefer', 'minpoll', 'maxpoll', 'nts', 'pool', 'server', 'peer', 'trust', 'require', 'xleave']);

const LABEL = /^[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?$/;

/** A DNS name of any depth, a final dot allowed. */
export function isDnsName(text: string): boolean {
  const name = text.replace(/\.$/, '');
  return name.length > 0 && name.length <= MAX_NAME && name.split('.').every((label) => LABEL.test(label));
}

/** An address at which no time server can answer, or only one of the appliance itself. */
function addressFaults(address: Address): readonly Fault[] {
  const kind = specialKind(address);
  if (kind === 'loopback')
    return [{ rule: 'ntp.loopback', message: 'is a loopback address; no time server listens there on the appliance' }];
  return kind === null || kind === 'link-local' || kind === 'IPv4-mapped'
    ? []
    : [{ rule: 'ntp.server', message: `is ${withArticle(kind)} address; no server has it` }];
}

/** An address, or null with its faults where no server can have it. */
function readServerAddress(text: string, address: Address): Reading<string> {
  const faults = addressFaults(address);
  return { value: faults.some((fault) => fault.rule === 'ntp.server') ? null : text, faults };
}

/** One server, brackets around an IPv6 address taken off. */
export function readTimeServer(text: string): Reading<string> {
  const fail = (fault: Fault): Reading<string> => ({ value: null, faults: [fault] });
  if (/[,;]/.test(text))
    return fail({
      rule: 'ntp.comma',
      message: 'servers are separated by blanks, or are a list; a comma is not a separator',
      fix: 'put a blank instead of the comma',
    });
  if (OPTIONS.has(text.toLowerCase()))
    return fail({
      rule: 'ntp.option',
      message: 'is an option of the time service, not a server; options cannot be given here',
      fix: 'take the word out',
    });
  const bare = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  const address = parseIpv6(bare) ?? parseIpv4(text);
  if (address) return readServerAddress(address.family === 6 ? bare : text, address);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return fail({ rule: 'ntp.server', message: 'is a URL; only a name or an address is wanted' });
  if (/\s/.test(text))
    return fail({
      rule: 'ntp.server',
      message: 'holds a blank; an entry of the list is one server, without options',
      fix: 'write each server as an entry of its own',
    });
  const prefix = prefixFault(text);
  if (prefix) return fail(prefix);
  if (/^(.+):[0-9]+$/.test(text) && (!/:.*:/.test(bare) || /^\[[^\]]*\]:/.test(text)))
    return fail({ rule: 'ntp.server', message: 'carries a port; time servers are reached at port 123 only', fix: 'take the port out' });
  if (text.length > MAX_NAME)
    return fail({ rule: 'ntp.server', message: `is longer than the ${MAX_NAME} characters that a host name can have` });
  if (bare !== text || !isDnsName(text) || /^[0-9.]+$/.test(text))
    return fail({ rule: 'ntp.server', message: 'is neither a host name nor an IPv4 or IPv6 address' });
  return { value: text, faults: [] };
}

/** Each time server by itself, and an empty list: `ntp.*`. */
export function judgeNtp(c: Case): void {
  const servers = c.answers.ntp_servers;
  if (servers === undefined) return;
  if (servers.length === 0)
    c.report('ntp_servers', {
      rule: 'ntp.none',
      message: 'the list is empty: the machine gets no time source, and certificates fail once its clock drifts',
      fix: 'take the key out for the default servers',
    });
  for (const [i, server] of servers.entries()) {
    if (server === '') continue;
    for (const fault of readTimeServer(server).faults) c.report(`ntp_servers[${i}]`, fault);
  }
}
