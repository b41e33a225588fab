import { describe, expect, it } from 'vitest';
import type { Settings } from '#model/answers.ts';
import { isError } from '#model/finding.ts';
import { exportAnswers } from '#preseed/export.ts';
import { lintFile } from '#preseed/lint.ts';
import { settle } from '#rules/settle.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ "quoted \\ comment" # é';

const BASE: Settings = {
  role: 'control-plane',
  targetDisk: '/dev/sda',
  mirrorDisk: null,
  keepVar: false,
  hostname: 'cp-01',
  adminUser: 'operator',
  passwordKind: 'hash',
  setRootPassword: false,
  sshAuthorizedKeys: [KEY],
  sshDisablePassword: true,
  timezone: 'Europe/Berlin',
  ntpServers: ['ntp.example.org'],
  keymap: 'de',
  network: {
    mode: 'static',
    interface: 'enp1s0',
    ipv4: { address: '192.0.2.10', prefix: 24, gateway: '192.0.2.1' },
    dns: ['192.0.2.53', '2001:db8::53'],
    ipv6: { address: '2001:db8::10', prefix: 64, gateway: 'fe80::1' },
    mtu: 1400,
  },
  podCidr: '10.42.0.0/16',
  serviceCidr: '10.43.0.0/16',
  controlPlaneUrl: null,
  hasPairingCode: false,
  afterInstall: 'reboot',
};

const APPLIANCE: Settings = {
  ...BASE,
  role: 'appliance',
  sshAuthorizedKeys: [],
  sshDisablePassword: false,
  ntpServers: [],
  network: { mode: 'dhcp', interface: null, ipv4: null, dns: [], ipv6: null, mtu: null },
  controlPlaneUrl: 'https://cp.example.org',
  hasPairingCode: true,
  afterInstall: 'poweroff',
};

const disks = { targetById: '/dev/disk/by-id/wwn-0x5000c500a1b2c3d4', mirrorById: null };
const lint = (text: string) => lintFile(new TextEncoder().encode(text), { file: 'spatium-preseed.yaml', explicit: true }, null);
const secrets = `  admin_password_hash: "$6$saltsalt$${'a'.repeat(86)}"\n  pairing_code: "24681357"\n`;

describe('the exported answers', () => {
  it.each([
    ['a control plane with everything', BASE],
    ['an appliance with little', APPLIANCE],
    ['a mirror', { ...BASE, mirrorDisk: '/dev/sdb' }],
    ['a reinstallation', { ...BASE, keepVar: true }],
  ] satisfies [string, Settings][])('of %s hold no secret, and lint clean once the secrets are added', (_, settings) => {
    const text = exportAnswers(settings, { ...disks, mirrorById: settings.mirrorDisk && '/dev/disk/by-id/wwn-0x5000c500a1b2c3d5' });
    const { findings, read, isFullyUnattended } = lint(text + (settings.role === 'appliance' ? secrets : secrets.split('\n')[0]));
    expect(findings.filter(isError)).toEqual([]);
    expect(isFullyUnattended).toBe(true);
    const again = settle(read.answers);
    expect(again).toEqual({
      ...settings,
      targetDisk: disks.targetById,
      mirrorDisk: settings.mirrorDisk && '/dev/disk/by-id/wwn-0x5000c500a1b2c3d5',
    });
  });

  it('says so when the disk has no stable name', () => {
    const text = exportAnswers(BASE, { targetById: null, mirrorById: null });
    expect(text).toContain('target_disk: "/dev/sda"');
    expect(text).toContain('no stable name');
  });
});
