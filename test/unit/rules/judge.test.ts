/** Every rule by its id: an answer that breaks it, and one beside it that does not. */
import { describe, expect, test } from 'vitest';
import type { Answers, Mode, NetworkAnswers } from '#model/answers.ts';
import { Secret } from '#model/secret.ts';
import { judge } from '#rules/judge.ts';

const good: Answers = {
  role: 'control-plane',
  target_disk: '/dev/disk/by-id/ata-X_1',
  confirm_wipe: 'true',
  hostname: 'ddi-one',
  admin_password: new Secret('Zephyr-98_Saffron'),
  timezone: 'UTC',
  network: { mode: 'dhcp' },
};
const appliance: Answers = {
  ...good,
  role: 'appliance',
  control_plane_url: 'https://cp.example.net',
  pairing_code: new Secret('12345678'),
};
const lan: NetworkAnswers = { mode: 'static', interface: 'eno1', ip: '192.168.40.10', prefix: '24', gateway: '192.168.40.1' };

const rulesOf = (answers: Answers, mode: Mode = 'lint'): string[] => judge(answers, null, mode).map((f) => f.rule);
const net = (over: NetworkAnswers): Answers => ({ ...good, network: { ...lan, ...over } });
const secret = (text: string) => new Secret(text);

test('good answers have no findings in any mode', () => {
  for (const answers of [good, appliance, net({})])
    for (const mode of ['field', 'lint', 'install'] as const) expect(rulesOf(answers, mode)).toEqual([]);
});

const HASH43 = 'a'.repeat(43);
const table: readonly (readonly [string, Answers, readonly string[]])[] = [
  ['role', { ...good, role: 'worker' }, ['role.unknown']],
  ['role, an alias', { ...good, role: 'First-Node' }, []],
  ['after install', { ...good, after_install: 'halt' }, ['after-install.unknown']],
  ['boolean 1', { ...good, keep_var: '1' }, ['boolean.invalid']],
  ['boolean yes', { ...good, keep_var: 'yes' }, ['boolean.word']],
  ['hostname, dot', { ...good, hostname: 'a.b' }, ['hostname.dot']],
  ['hostname, 63', { ...good, hostname: 'a'.repeat(63) }, []],
  ['hostname, 64', { ...good, hostname: 'a'.repeat(64) }, ['hostname.long']],
  ['hostname, underscore', { ...good, hostname: 'a_b' }, ['hostname.characters']],
  ['hostname, hyphen', { ...good, hostname: 'a-' }, ['hostname.hyphen']],
  ['hostname, localhost', { ...good, hostname: 'Localhost' }, ['hostname.localhost']],
  ['hostname, upper', { ...good, hostname: 'DDI' }, ['hostname.upper']],
  ['hostname, digits', { ...good, hostname: '123' }, ['hostname.digits']],
  ['template', { ...good, hostname: 'x-{{ n }}' }, ['value.template']],
  ['template in a list', { ...good, ntp_servers: ['$' + '{NTP}'] }, ['value.template']],
  ['empty', { ...good, timezone: ' ' }, ['value.empty']],
  ['blanks', { ...good, timezone: ' UTC ' }, ['value.blanks']],
  ['user, upper', { ...good, admin_user: 'Ops' }, ['user.characters']],
  ['user, 33', { ...good, admin_user: 'u'.repeat(33) }, ['user.long']],
  ['user, reserved', { ...good, admin_user: '_apt' }, ['user.reserved']],
  ['user, group', { ...good, admin_user: 'sudo' }, ['user.group']],
  ['password, short', { ...good, admin_password: secret('aB3$567') }, ['password.short']],
  ['password, eight', { ...good, admin_password: secret('aB3$5678') }, []],
  ['password, empty', { ...good, admin_password: secret('') }, ['password.empty']],
  ['password, newline', { ...good, admin_password: secret('Harbor-44\nroot:x') }, ['password.control']],
  ['password, C1 control', { ...good, admin_password: secret('Harbor-44\u0085x') }, ['password.control']],
  ['password, user', { ...good, admin_password: secret('NetOpsTeam'), admin_user: 'netopsteam' }, ['password.is-user']],
  ['password, host', { ...good, admin_password: secret('DDI-Control-1'), hostname: 'ddi-control-1' }, ['password.is-hostname']],
  ['password, hash', { ...good, admin_password: secret(`$5$salt$${HASH43}`) }, ['password.hash']],
  ['password, common', { ...good, admin_password: secret('Password1') }, ['password.common']],
  ['password, distinct', { ...good, admin_password: secret('aB1aB1aB1') }, ['password.few-distinct']],
  ['password, class', { ...good, admin_password: secret('abcdefghijk') }, ['password.one-class']],
  ['password, class but long', { ...good, admin_password: secret('abcdefghijklmnopq') }, []],
  ['password, too long', { ...good, admin_password: secret('aB3$'.repeat(128)) }, ['password.long', 'password.few-distinct'].slice(0, 1)],
  ['both forms', { ...good, admin_password_hash: secret(`$5$salt$${HASH43}`) }, ['password.both']],
  ['zone, unknown', { ...good, timezone: 'Mars/Base' }, ['timezone.unknown']],
  ['zone, region', { ...good, timezone: 'Europe' }, ['timezone.unknown']],
  ['zone, renamed', { ...good, timezone: 'US/Pacific' }, ['timezone.renamed']],
  ['zone, sign', { ...good, timezone: 'Etc/GMT+5' }, ['timezone.sign']],
  ['zone, Etc without sign', { ...good, timezone: 'Etc/GMT' }, []],
  ['ntp, comma', { ...good, ntp_servers: ['a,b'] }, ['ntp.comma']],
  ['ntp, option', { ...good, ntp_servers: ['a', 'iburst'] }, ['ntp.option']],
  ['ntp, port', { ...good, ntp_servers: ['a:123'] }, ['ntp.server']],
  ['ntp, unspecified', { ...good, ntp_servers: ['0.0.0.0', '::', '224.0.1.1'] }, ['ntp.server', 'ntp.server', 'ntp.server']],
  ['ntp, loopback', { ...good, ntp_servers: ['127.0.0.1', '[::1]'] }, ['ntp.loopback', 'ntp.loopback']],
  ['ntp, none', { ...good, ntp_servers: [] }, ['ntp.none']],
  ['ntp, fine', { ...good, ntp_servers: ['a.example', '[2001:db8::1]', '192.0.2.1'] }, []],
  ['keymap', { ...good, keymap: 'de;rm' }, ['keymap.characters']],
  ['interface, VLAN', net({ interface: 'eth0.100' }), ['network.interface']],
  ['interface, 15', net({ interface: 'enp0s31f6-lan01' }), []],
  ['interface, 16', net({ interface: 'enp0s31f6-lan012' }), ['network.interface']],
  ['ip, octal', net({ ip: '192.168.40.010' }), ['address.invalid']],
  ['ip, loopback', net({ ip: '127.0.0.1' }), ['address.special']],
  ['ip, class E', net({ ip: '250.0.0.1' }), ['address.special']],
  ['ip, network address', net({ ip: '192.168.40.0' }), ['network.edge']],
  ['ip, broadcast address', net({ ip: '192.168.40.255' }), ['network.edge']],
  ['ip, link-local', net({ ip: '169.254.1.9', gateway: '169.254.1.1' }), ['network.link-local']],
  ['prefix in ip', net({ ip: '192.168.40.10/24', prefix: '24' }), []],
  ['prefix twice', net({ ip: '192.168.40.10/25' }), ['network.prefix-twice']],
  ['prefix, plus', net({ prefix: '+24' }), ['number.invalid']],
  ['prefix, 33', net({ prefix: '33' }), ['number.range']],
  ['gateway, outside', net({ gateway: '192.168.41.1' }), ['gateway.outside']],
  ['gateway, self', net({ gateway: '192.168.40.10' }), ['gateway.self']],
  ['gateway, edge', net({ gateway: '192.168.40.255' }), ['gateway.edge']],
  ['gateway, multicast', net({ gateway: '224.0.0.1' }), ['gateway.special']],
  ['gateway, /31', net({ ip: '10.0.0.0', prefix: '31', gateway: '10.0.0.1' }), []],
  ['gateway, /32', net({ ip: '203.0.113.7', prefix: '32', gateway: '203.0.113.1' }), ['gateway.on-link']],
  ['dns, name', net({ dns: ['resolver'] }), ['address.invalid']],
  ['dns, loopback', net({ dns: ['127.0.0.53'] }), ['dns.loopback']],
  ['dns, four', net({ dns: ['1.1.1.1', '1.0.0.1', '8.8.8.8', '9.9.9.9'] }), ['dns.many']],
  ['ip6, link-local', net({ ip6: 'fe80::1' }), ['address.special']],
  ['ip6, gateway link-local', net({ ip6: '2001:db8::9', gateway6: 'fe80::1' }), []],
  ['ip6, gateway outside', net({ ip6: '2001:db8:1::9', gateway6: '2001:db8:2::1' }), ['gateway.outside']],
  ['ip6, /128', net({ ip6: '2001:db8:1::9', prefix6: '128', gateway6: '2001:db8:2::1' }), ['gateway.on-link']],
  ['prefix6 alone', net({ prefix6: '64' }), ['network6.no-address']],
  ['ip6 with dhcp', { ...good, network: { mode: 'dhcp', ip6: '2001:db8::9' } }, ['network6.dhcp']],
  ['ip with dhcp', { ...good, network: { mode: 'dhcp', ip: '192.0.2.1' } }, ['network.unused']],
  ['mtu, ends', net({ mtu: '576' }), []],
  ['mtu, 9001', net({ mtu: '9001' }), ['number.range']],
  ['mtu, IPv6', net({ mtu: '1279', ip6: '2001:db8::9' }), ['mtu.ipv6']],
  ['mtu, any port', { ...good, network: { mode: 'dhcp', mtu: '1400' } }, ['mtu.no-interface']],
  ['no mode', { ...good, network: {} }, ['network.missing']],
  ['k3s, /22', { ...good, k3s: { pod_cidr: '10.60.0.0/22' } }, []],
  ['k3s, /23', { ...good, k3s: { pod_cidr: '10.60.0.0/23' } }, ['k3s.narrow']],
  ['k3s, service /12', { ...good, k3s: { pod_cidr: '192.168.0.0/16', service_cidr: '10.0.0.0/12' } }, []],
  ['k3s, service /11', { ...good, k3s: { pod_cidr: '192.168.0.0/16', service_cidr: '10.0.0.0/11' } }, ['k3s.wide']],
  ['k3s, host bits', { ...good, k3s: { pod_cidr: '10.60.0.5/16' } }, ['k3s.host-bits']],
  ['k3s, public', { ...good, k3s: { pod_cidr: '8.0.0.0/8' } }, ['k3s.public']],
  ['k3s, shared space', { ...good, k3s: { pod_cidr: '100.64.0.0/10' } }, []],
  ['k3s, loopback', { ...good, k3s: { pod_cidr: '127.0.0.0/16' } }, ['k3s.special']],
  ['k3s, overlap with a default', { ...good, k3s: { pod_cidr: '10.43.0.0/16' } }, ['k3s.overlap']],
  ['k3s, LAN in a default', net({ ip: '10.42.7.20', gateway: '10.42.7.1' }), ['k3s.lan']],
  ['k3s, name server', net({ dns: ['10.43.0.10'] }), ['k3s.lan']],
  ['k3s on an appliance', { ...appliance, k3s: {} }, ['key.unused']],
  ['LAN of an appliance', { ...appliance, network: { ...lan, ip: '10.42.7.20', gateway: '10.42.7.1' } }, ['k3s.lan-inherited']],
  ['url, no scheme', { ...appliance, control_plane_url: 'cp.example.net' }, ['url.invalid']],
  ['url, no host', { ...appliance, control_plane_url: 'https://' }, ['url.invalid']],
  ['url, user', { ...appliance, control_plane_url: 'https://ops:Pewter-21@cp' }, ['url.user-info']],
  ['url, http', { ...appliance, control_plane_url: 'http://cp' }, ['url.plain-http']],
  ['url, IPv6', { ...appliance, control_plane_url: 'HTTPS://[2001:db8::1]:8443/' }, []],
  ['code, dashes', { ...appliance, pairing_code: secret('1234-5678') }, []],
  ['code, leading dash', { ...appliance, pairing_code: secret('-12345678') }, ['pairing.invalid']],
  ['code, nine', { ...appliance, pairing_code: secret('123456789') }, ['pairing.invalid']],
  ['code, Arabic digits', { ...appliance, pairing_code: secret('٤٨٢٩١٠٣٧') }, ['pairing.invalid']],
  ['unused keys', { ...good, control_plane_url: 'https://cp', pairing_code: secret('12345678') }, ['key.unused', 'key.unused']],
  ['disk, auto', { ...good, target_disk: 'auto' }, ['disk.auto']],
  ['disk, no path', { ...good, target_disk: 'sda' }, ['disk.name']],
  ['disk, partition', { ...good, target_disk: '/dev/disk/by-id/ata-X-part1' }, ['disk.partition']],
  ['disk, kernel name', { ...good, target_disk: '/dev/sda' }, ['disk.unstable']],
  ['disk, not confirmed', { ...good, confirm_wipe: 'false' }, ['disk.not-confirmed']],
  ['mirror, same', { ...good, mirror_disk: '/dev/disk/by-id/ata-X_1' }, ['mirror.same']],
  ['mirror, keep', { ...good, mirror_disk: '/dev/disk/by-id/ata-Y', keep_var: 'true' }, ['mirror.keep-var']],
  ['ssh, no key', { ...good, ssh_disable_password: 'true' }, ['ssh.no-way-in']],
];

test.each(table)('%s', (_name, answers, rules) => expect(rulesOf(answers)).toEqual(rules));

describe('missing answers', () => {
  test('are no fault of a file that will be asked about', () => expect(rulesOf({ hostname: 'a' })).toEqual([]));
  test('are errors when nothing may prompt', () => {
    const found = judge({ unattended: 'true', role: 'appliance', target_disk: '/dev/disk/by-id/a' }, null, 'lint');
    expect(found.map((f) => f.path)).toEqual([
      'confirm_wipe',
      'hostname',
      'admin_password',
      'network',
      'control_plane_url',
      'pairing_code',
    ]);
    expect(found.every((f) => f.severity === 'error')).toBe(true);
  });
  test('are errors at the door of the engine, defaults aside', () => {
    expect(rulesOf({ ...good, timezone: '', hostname: '' }, 'install')).toEqual(['value.empty', 'value.empty', 'answer.missing']);
  });
  test('a screen needs its answer', () => expect(rulesOf({ hostname: '' }, 'field')).toEqual(['value.required']));
});

test('no message repeats a secret that stands in another answer', () => {
  const answers: Answers = { ...good, admin_password: secret('Shared_Words9'), hostname: 'Shared_Words9' };
  const text = JSON.stringify(judge(answers, null, 'lint'));
  expect(text).not.toContain('Shared_Words9');
});
