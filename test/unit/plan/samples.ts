/** Settings, machine and disks that the plan's tests share. */

import { makePlan, type PlanInput } from '#installer/plan/make-plan.ts';
import type { Settings } from '#model/answers.ts';
import { GIB } from '#model/limits.ts';
import type { DiskIdentity } from '#model/machine.ts';
import { bareMachine } from '../../support/machines.ts';

export function countingUuids(): () => string {
  let n = 0;
  return () => {
    n += 1;
    return `${(0xa0000000 + n).toString(16)}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
  };
}

export const disk = (overrides: Partial<DiskIdentity> = {}): DiskIdentity => ({
  kname: 'sda',
  path: '/dev/sda',
  byId: '/dev/disk/by-id/wwn-0x5000c500a1b2c3d4',
  wwn: '0x5000c500a1b2c3d4',
  serial: 'ZA1B2C3D',
  sizeBytes: 40 * GIB,
  logicalSectorBytes: 512,
  table: 'none',
  ...overrides,
});

export const machine = bareMachine;

export const settings = (overrides: Partial<Settings> = {}): Settings => ({
  role: 'control-plane',
  targetDisk: '/dev/disk/by-id/wwn-0x5000c500a1b2c3d4',
  mirrorDisk: null,
  keepVar: false,
  hostname: 'ddi-1',
  adminUser: 'admin',
  passwordKind: 'plain',
  setRootPassword: false,
  sshAuthorizedKeys: [],
  sshDisablePassword: false,
  timezone: 'UTC',
  ntpServers: ['pool.ntp.org'],
  keymap: 'us',
  network: { mode: 'dhcp', interface: null, ipv4: null, dns: ['1.1.1.1', '1.0.0.1'], ipv6: null, mtu: null },
  podCidr: '10.42.0.0/16',
  serviceCidr: '10.43.0.0/16',
  controlPlaneUrl: null,
  hasPairingCode: false,
  afterInstall: 'reboot',
  ...overrides,
});

export const planFor = (overrides: Partial<PlanInput> = {}) =>
  makePlan({
    settings: settings(),
    machine: machine(),
    target: disk(),
    uuids: countingUuids(),
    extraKernelWords: [],
    exportedAnswers: '# answers\n',
    ...overrides,
  });

export const applianceSettings = (): Settings =>
  settings({
    role: 'appliance',
    hostname: 'ddi-2',
    adminUser: 'ops',
    passwordKind: 'hash',
    sshAuthorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ ops "quoted"'],
    sshDisablePassword: true,
    timezone: 'Europe/Berlin',
    ntpServers: [],
    keymap: 'uk',
    network: {
      mode: 'static',
      interface: 'enp1s0',
      ipv4: { address: '192.0.2.10', prefix: 24, gateway: '192.0.2.1' },
      dns: ['192.0.2.53', '2001:db8::53'],
      ipv6: { address: '2001:db8::10', prefix: 64, gateway: null },
      mtu: 9000,
    },
    controlPlaneUrl: 'https://ddi.example.net',
    hasPairingCode: true,
    afterInstall: 'poweroff',
  });
