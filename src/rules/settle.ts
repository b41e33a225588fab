/** Judged answers become typed settings: defaults applied, every spelling normalised. */
import type { Answers, InstallSecrets, NetworkAnswers, NetworkSettings, Settings } from '#model/answers.ts';
import {
  DEFAULT_ADMIN_USER,
  DEFAULT_DNS,
  DEFAULT_KEYMAP,
  DEFAULT_NTP,
  DEFAULT_POD_CIDR,
  DEFAULT_SERVICE_CIDR,
  DEFAULT_TIMEZONE,
  MTU_MAX,
  MTU_MIN,
} from '#model/limits.ts';
import { Secret } from '#model/secret.ts';
import { formatAddress, formatCidr, parseAddress, parseIpv4, parseIpv6 } from './addresses.ts';
import { openCase, type Reading } from './case.ts';
import { isSet, readAfterInstall, readRole } from './choices.ts';
import { readControlPlaneUrl, readPairingCode } from './control-plane.ts';
import { readHostname } from './hostname.ts';
import { readRange } from './k3s.ts';
import { readInterface, readMode, readOwnIpv4, readOwnIpv6 } from './network-readers.ts';
import { readTimeServer } from './ntp.ts';
import { readNumber } from './read-scalars.ts';
import { readTimezone } from './timezone.ts';

/** Only reached when answers were not judged first: a mistake in the program, not in the answers. */
function unjudged(path: string): never {
  throw new Error(`settle: ${path} was not judged`);
}

const must = <T>(path: string, reading: Reading<T> | undefined): T => reading?.value ?? unjudged(path);

const same = (text: string): string => text;

/** @throws only when the network was not judged */
export function settleNetwork(n: NetworkAnswers): NetworkSettings {
  const mode = must('network.mode', n.mode === undefined ? undefined : readMode(n.mode));
  const port = n.interface === undefined ? null : must('network.interface', readInterface(n.interface));
  const mtu = n.mtu === undefined ? null : must('network.mtu', readNumber(n.mtu, MTU_MIN, MTU_MAX));
  if (mode === 'dhcp') return { mode, interface: port, ipv4: null, dns: [], ipv6: null, mtu };
  const { address, prefix } = readOwnIpv4(n);
  const gateway = n.gateway === undefined ? null : parseIpv4(n.gateway);
  if (!address || prefix === null || !gateway) return unjudged('network');
  const own6 = readOwnIpv6(n);
  const gateway6 = n.gateway6 === undefined ? null : parseIpv6(n.gateway6);
  const written = n.dns?.filter((text) => text !== '') ?? [];
  const dns = (written.length > 0 ? written : DEFAULT_DNS).map((text) => formatAddress(parseAddress(text) ?? unjudged('network.dns')));
  return {
    mode,
    interface: port ?? unjudged('network.interface'),
    ipv4: { address: formatAddress(address), prefix, gateway: formatAddress(gateway) },
    dns: [...new Set(dns)],
    ipv6: own6 && { address: formatAddress(own6.address), prefix: own6.prefix, gateway: gateway6 && formatAddress(gateway6) },
    mtu,
  };
}

const settleTimeServers = (servers: readonly string[] | undefined): readonly string[] =>
  servers === undefined ? DEFAULT_NTP : servers.filter((text) => text !== '').map((text) => must('ntp_servers', readTimeServer(text)));

const settleKeys = (lines: readonly string[] | undefined): readonly string[] =>
  (lines ?? []).map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));

/**
 * @param answers without errors under `judge(answers, machine, 'install')`
 * @throws only when they were not judged
 */
export function settle(answers: Answers): Settings {
  const a = openCase(answers, null, 'install').case.answers;
  const role = must('role', a.role === undefined ? undefined : readRole(a.role));
  const isControlPlane = role === 'control-plane';
  const range = (name: 'pod_cidr' | 'service_cidr', fallback: string): string => {
    const text = isControlPlane ? a.k3s?.[name] : undefined;
    return text === undefined ? fallback : formatCidr(must(`k3s.${name}`, readRange(text, name)));
  };
  return {
    role,
    targetDisk: a.target_disk ?? unjudged('target_disk'),
    mirrorDisk: a.mirror_disk ?? null,
    keepVar: isSet(a, 'keep_var'),
    hostname: must('hostname', a.hostname === undefined ? undefined : readHostname(a.hostname, same)),
    adminUser: a.admin_user ?? DEFAULT_ADMIN_USER,
    passwordKind: a.admin_password_hash ? 'hash' : a.admin_password ? 'plain' : unjudged('admin_password'),
    setRootPassword: isSet(a, 'set_root_password'),
    sshAuthorizedKeys: settleKeys(a.ssh_authorized_keys),
    sshDisablePassword: isSet(a, 'ssh_disable_password'),
    timezone: a.timezone === undefined ? DEFAULT_TIMEZONE : must('timezone', readTimezone(a.timezone, same)),
    ntpServers: settleTimeServers(a.ntp_servers),
    keymap: a.keymap ?? DEFAULT_KEYMAP,
    network: settleNetwork(a.network ?? unjudged('network')),
    podCidr: range('pod_cidr', DEFAULT_POD_CIDR),
    serviceCidr: range('service_cidr', DEFAULT_SERVICE_CIDR),
    controlPlaneUrl:
      isControlPlane || a.control_plane_url === undefined ? null : must('control_plane_url', readControlPlaneUrl(a.control_plane_url)),
    hasPairingCode: !isControlPlane && a.pairing_code !== undefined,
    afterInstall: a.after_install === undefined ? 'reboot' : must('after_install', readAfterInstall(a.after_install)),
  };
}

/**
 * The secrets as they are used: a password to the character, a hash without the blanks around it (the shadow file would keep
 * them), a pairing code as its digits alone, which is what the supervisor looks for.
 * @throws only when the code was not judged
 */
export function settleSecrets(answers: Answers): InstallSecrets {
  const { admin_password: password, admin_password_hash: hash, pairing_code: code } = answers;
  const digits = code === undefined || code.reveal().trim() === '' ? null : must('pairing_code', readPairingCode(code.reveal()));
  return {
    adminPassword: password ?? null,
    adminPasswordHash: hash === undefined ? null : new Secret(hash.reveal().trim()),
    pairingCode: digits === null ? null : new Secret(digits),
  };
}
