import { expect, test } from 'vitest';
import type { Answers } from '#model/answers.ts';
import { Secret } from '#model/secret.ts';
import { isFullyUnattended, missingAnswers } from '#rules/completeness.ts';
import { judge } from '#rules/judge.ts';
import { settle, settleSecrets } from '#rules/settle.ts';

const minimal: Answers = {
  role: 'First-Node',
  target_disk: '/dev/disk/by-id/ata-X_1',
  confirm_wipe: 'true',
  hostname: ' DDI-One ',
  admin_password: new Secret('Zephyr-98_Saffron'),
  network: { mode: 'DHCP' },
};

test('defaults, aliases and lower case', () => {
  expect(settle(minimal)).toEqual({
    role: 'control-plane',
    targetDisk: '/dev/disk/by-id/ata-X_1',
    mirrorDisk: null,
    keepVar: false,
    hostname: 'ddi-one',
    adminUser: 'admin',
    passwordKind: 'plain',
    setRootPassword: false,
    sshAuthorizedKeys: [],
    sshDisablePassword: false,
    timezone: 'UTC',
    ntpServers: ['pool.ntp.org'],
    keymap: 'us',
    network: { mode: 'dhcp', interface: null, ipv4: null, dns: [], ipv6: null, mtu: null },
    podCidr: '10.42.0.0/16',
    serviceCidr: '10.43.0.0/16',
    controlPlaneUrl: null,
    hasPairingCode: false,
    afterInstall: 'reboot',
  });
});

test('a static network is normalised, ranges are masked, zones renamed', () => {
  const settings = settle({
    ...minimal,
    timezone: 'Europe/Kiev',
    ntp_servers: ['[2001:db8::1]'],
    k3s: { pod_cidr: '10.60.9.9/16' },
    network: {
      mode: 'static',
      interface: 'eno1',
      ip: '192.0.2.10/24',
      gateway: '192.0.2.1',
      dns: ['2001:DB8:0:0::53', '1.1.1.1'],
      ip6: '2001:db8::A/48',
      gateway6: 'fe80::1',
      mtu: '1500',
    },
  });
  expect(settings.network).toEqual({
    mode: 'static',
    interface: 'eno1',
    ipv4: { address: '192.0.2.10', prefix: 24, gateway: '192.0.2.1' },
    dns: ['2001:db8::53', '1.1.1.1'],
    ipv6: { address: '2001:db8::a', prefix: 48, gateway: 'fe80::1' },
    mtu: 1500,
  });
  expect(settings).toMatchObject({ timezone: 'Europe/Kyiv', ntpServers: ['2001:db8::1'], podCidr: '10.60.0.0/16' });
});

test('an appliance inherits its ranges and keeps its URL', () => {
  const settings = settle({
    ...minimal,
    role: 'agent',
    k3s: { pod_cidr: '10.60.0.0/16' },
    control_plane_url: 'HTTPS://cp/?token=s3cret#x',
    pairing_code: new Secret('1234 5678'),
  });
  expect(settings).toMatchObject({ podCidr: '10.42.0.0/16', controlPlaneUrl: 'https://cp/', hasPairingCode: true });
});

test('answers without errors always settle, and settle never keeps a secret', () => {
  expect(judge(minimal, null, 'install').filter((f) => f.severity === 'error')).toEqual([]);
  expect(JSON.stringify(settle(minimal))).not.toContain('Zephyr');
});

test('unjudged answers are a mistake of the program', () => expect(() => settle({ ...minimal, hostname: 'a.b' })).toThrow(/not judged/));

test('what will be asked, and whether anybody must be there', () => {
  expect(missingAnswers(minimal)).toEqual(['timezone']);
  expect(isFullyUnattended(minimal)).toBe(false);
  expect(isFullyUnattended({ ...minimal, timezone: 'UTC' })).toBe(true);
  expect(isFullyUnattended({ ...minimal, unattended: 'true' })).toBe(true);
  expect(missingAnswers({ ...minimal, role: 'appliance', confirm_wipe: 'no' })).toEqual([
    'confirm_wipe',
    'timezone',
    'control_plane_url',
    'pairing_code',
  ]);
});

test.each(['4829 1037', '48-29-10-37', ' 48291037 ', '48291037'])('the supervisor gets the digits of the code %s', (code) =>
  expect(settleSecrets({ pairing_code: new Secret(code) }).pairingCode?.reveal()).toBe('48291037'),
);

test('a password keeps its blanks, and a hash has none around it', () => {
  const secrets = settleSecrets({ admin_password: new Secret(' two blanks '), admin_password_hash: new Secret(' $6$salt$digest\n') });
  expect(secrets.adminPassword?.reveal()).toBe(' two blanks ');
  expect(secrets.adminPasswordHash?.reveal()).toBe('$6$salt$digest');
  expect(settleSecrets({})).toEqual({ adminPassword: null, adminPasswordHash: null, pairingCode: null });
});

test('a code that was not judged is a mistake of the program', () =>
  expect(() => settleSecrets({ pairing_code: new Secret('1234') })).toThrow(/not judged/));
