/** What an additional node needs to pair: the control plane's URL and a one-use code. */
import type { Answers } from '#model/answers.ts';
import { PAIRING_CODE_DIGITS } from '#model/limits.ts';
import { parseAddress, parseIpv4, parseIpv6, sameAddress, specialKind, withArticle } from './addresses.ts';
import type { Case, Fault, Reading } from './case.ts';
import { readOwnIpv4, readOwnIpv6 } from './network-readers.ts';
import { isDnsName } from './ntp.ts';
import { oddBlankFault } from './odd-blanks.ts';

const bad = (message: string, fix?: string): Reading<string> => ({
  value: null,
  faults: [{ rule: 'url.invalid', message, ...(fix === undefined ? {} : { fix }) }],
});

const OWN_HOST: Fault = { rule: 'url.own-host', message: 'points at the appliance itself' };

const EXAMPLE = 'write https://NAME or https://NAME:PORT';

function hostFault(authority: string): string | null {
  const parts = /^(\[[^\]]*\]|[^:]*)(?::([0-9]*))?$/.exec(authority);
  if (!parts) return 'holds no usable host: an IPv6 address needs square brackets, a port is a number';
  const [host = '', port] = [parts[1], parts[2]];
  if (host === '') return 'has no host';
  if (port !== undefined && (!/^[1-9][0-9]{0,4}$/.test(port) || Number(port) > 65535))
    return 'has a port that is no number between 1 and 65535 in plain decimal digits';
  if (host.startsWith('[')) return parseIpv6(host.slice(1, -1)) ? null : 'has a host that is no IPv6 address';
  if (/^[0-9.]+$/.test(host) || /^0x/i.test(host)) return parseIpv4(host) ? null : 'has a host that is no IPv4 address';
  return isDnsName(host) ? null : 'has a host that is neither a DNS name nor an address';
}

/** Kinds of address at which no control plane can answer. The own host has words of its own. */
const NO_SERVER: readonly (string | null)[] = ['multicast', 'broadcast', 'reserved (class E)', 'IPv4-mapped'];

/** What RFC 3986 takes nowhere without percent signs, and `$(`, which a shell was to replace. */
const NO_URL_TEXT = /[^\x21-\x7e]|["<>\\^`{|}]|\$\(/;

const hostOf = (authority: string): string =>
  authority
    .replace(/:[0-9]+$/, '')
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

function isOwnHost(authority: string): boolean {
  const host = hostOf(authority);
  const address = parseAddress(host);
  return host === 'localhost' || (address !== null && ['loopback', 'unspecified'].includes(specialKind(address) ?? ''));
}

/** An absolute http(s) URL with a host; nothing of it appears in a message, since it may hold a password. */
export function readControlPlaneUrl(text: string): Reading<string> {
  if (/[\s\u0000-\u001f\u007f]/.test(text)) return bad('may not hold blanks or control characters');
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#\\]*)(.*)$/.exec(text);
  if (!parts) return bad('is not an absolute URL: the scheme (https://) is missing', /^[A-Za-z0-9.[]/.test(text) ? EXAMPLE : undefined);
  const [scheme = '', authority = '', rest = ''] = [parts[1]?.toLowerCase(), parts[2], parts[3]];
  if (scheme !== 'https' && scheme !== 'http') return bad('has a scheme other than https (or http)', EXAMPLE);
  if (authority.includes('@'))
    return {
      value: null,
      faults: [
        {
          rule: 'url.user-info',
          message: 'carries a user name or password before the @; credentials do not belong in this URL',
          fix: 'take everything up to the @ out',
        },
      ],
    };
  const fault = hostFault(authority);
  if (fault !== null) return bad(fault, /[^\x21-\x7e]/.test(authority) ? 'write the host name in ASCII, or in its xn-- form' : EXAMPLE);
  const faults: Fault[] = [];
  if (NO_URL_TEXT.test(rest))
    return bad(
      'holds what no URL does: quotes, backslashes, shell text or letters outside ASCII',
      'write the address of the control plane only',
    );
  const address = parseAddress(hostOf(authority));
  const kind = address && specialKind(address);
  if (kind && NO_SERVER.includes(kind)) return bad(`has ${withArticle(kind)} address as host; no server has it`);
  if (/[?#]/.test(rest))
    faults.push({
      rule: 'url.more',
      message: 'carries a query or a fragment, which the appliance cannot use; it is dropped',
      fix: 'write the address of the control plane only',
    });
  if (isOwnHost(authority)) faults.push(OWN_HOST);
  if (scheme === 'http')
    faults.push({
      rule: 'url.plain-http',
      message: 'plain http is not encrypted: anybody on the way can read the pairing code',
      fix: 'use https',
    });
  // A query often carries a token; what is not used must not reach a plan or a file.
  return { value: `${scheme}${text.slice(scheme.length)}`.replace(/[?#].*$/, ''), faults };
}

/** What most likely happened to a code, told by its kind of characters alone. */
function codeFix(code: string): string {
  if (/[\u2010-\u2015\u2212]/.test(code)) return 'write plain dashes (-) instead of typographic ones, or leave them out';
  if (/\p{Nd}/u.test(code.replace(/[0-9]/g, ''))) return 'type the digits anew, as 0 to 9';
  if (/['"\u2018-\u201f]/.test(code)) return 'put straight quotes around the code, and none inside';
  return 'write its 8 digits as the control plane shows them, in quotes';
}

/** Eight digits; blanks, and dashes between digits, are dropped. A no-break space is no blank: other readers keep it. */
export function readPairingCode(text: string): Reading<string> {
  const fail = (message: string, fix?: string): Reading<string> => ({
    value: null,
    faults: [{ rule: 'pairing.invalid', message, ...(fix === undefined ? {} : { fix }) }],
  });
  const odd = oddBlankFault(text, 'digits 0-9 (ASCII) are wanted, with plain blanks or dashes between them');
  if (odd) return { value: null, faults: [odd] };
  const code = text.trim();
  if (code === '') return fail('the pairing code is empty', 'write its 8 digits, in quotes');
  if (/[^0-9\s-]/.test(code))
    return fail(
      'may hold only the digits 0-9 (ASCII), with blanks or dashes between them; it holds a letter, a colon, an underscore or another character',
      codeFix(code),
    );
  if (/(^|[^0-9])-|-([^0-9]|$)/.test(code))
    return fail('has a dash that does not stand between two digits', 'take the dash out; one may stand between two digits');
  const digits = code.replace(/[\s-]/g, '');
  if (digits.length !== PAIRING_CODE_DIGITS) return fail(`has ${digits.length} digits; exactly ${PAIRING_CODE_DIGITS} are needed`);
  return { value: digits, faults: [] };
}

/** Does the URL name the machine by the host name or a static address of these answers? */
function isNamedHere(url: string, { hostname, network = {} }: Answers): boolean {
  const host = hostOf(/^[^:]*:\/\/([^/?#]*)/.exec(url)?.[1] ?? '');
  const address = parseAddress(host);
  const own = [readOwnIpv4(network).address, readOwnIpv6(network)?.address ?? null];
  if (address) return own.some((mine) => mine !== null && sameAddress(mine, address));
  const name = hostname?.toLowerCase();
  return name !== undefined && [name, `${name}.local`, `${name}.localdomain`].includes(host);
}

/** Address and pairing code of the control plane that an appliance joins: `url.*`, `pairing.*`. */
export function judgeControlPlane(c: Case): void {
  const { control_plane_url: url, pairing_code: code } = c.answers;
  if (url !== undefined) {
    const { value, faults } = readControlPlaneUrl(url);
    for (const fault of faults) c.report('control_plane_url', fault);
    const isOpen = value !== null && c.role !== 'control-plane' && !faults.includes(OWN_HOST);
    if (isOpen && isNamedHere(value, c.answers)) c.report('control_plane_url', OWN_HOST);
  }
  if (code !== undefined) for (const fault of readPairingCode(code.reveal()).faults) c.report('pairing_code', fault);
}
