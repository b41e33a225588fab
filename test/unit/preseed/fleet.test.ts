import { expect, test } from 'vitest';
import type { BlockDevice, Machine } from '#model/machine.ts';
import { judgeFleet, matrixText } from '#preseed/fleet.ts';
import { lintFile } from '#preseed/lint.ts';
import { jsonReport } from '#preseed/report.ts';
import { bareDisk, bareMachine } from '../../support/machines.ts';

const disk = (kname: string, sizeGib: number, links: readonly string[]): BlockDevice =>
  bareDisk(kname, { sizeBytes: sizeGib * 1024 ** 3, links });

const machine = (devices: readonly BlockDevice[], ports: readonly string[]): Machine =>
  bareMachine({
    devices,
    interfaces: ports.map((name) => ({
      name,
      mac: null,
      driver: null,
      linkUp: true,
      speedMbps: null,
      mtu: 1500,
      addresses: [],
      gateway4: null,
    })),
  });

const file = (name: string, over: Readonly<Record<string, string>> = {}) => {
  const keys = {
    role: 'control-plane',
    target_disk: `/dev/disk/by-id/ata-${name}`,
    confirm_wipe: 'true',
    hostname: name,
    admin_password: "'Zephyr-98_Saffron'",
    timezone: 'UTC',
    network: '{mode: dhcp, interface: eno1}',
    ...over,
  };
  const text = Object.entries(keys)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('');
  const path = `${name}.yaml`;
  return { file: path, result: lintFile(new TextEncoder().encode(text), { file: path, explicit: true }, null) };
};

const rulesOf = (fleet: ReturnType<typeof judgeFleet>, n: number): string[] => fleet.reports[n]!.result.findings.map((f) => f.rule);
const lan = (ip: string) => `{mode: static, interface: eno1, ip: ${ip}/24, gateway: 192.0.2.1}`;

test('files that share nothing are left alone', () => {
  const fleet = judgeFleet([file('a'), file('b')], []);
  expect(fleet.reports.every(({ result }) => result.isValid)).toBe(true);
  expect(fleet.matrix).toEqual([]);
});

test.each([
  ['hostname', file('b', { hostname: 'A' }), 'fleet.hostname'],
  ['disk', file('b', { target_disk: '/dev/disk/by-id/ata-a' }), 'fleet.disk'],
  ['ranges', file('b', { k3s: '{pod_cidr: 10.60.0.0/16}' }), 'fleet.ranges'],
])('the same %s', (_name, second, rule) => {
  const fleet = judgeFleet([file('a'), second], []);
  expect(rulesOf(fleet, 0)).toEqual([]);
  expect(rulesOf(fleet, 1)).toContain(rule);
  expect(fleet.reports[1]!.result.isValid).toBe(false);
});

test('the same address, whatever way it is written', () => {
  const fleet = judgeFleet(
    [
      file('a', { network: lan('192.0.2.9') }),
      file('b', { network: '{mode: static, interface: eno1, ip: 192.0.2.9, prefix: 24, gateway: 192.0.2.1}' }),
    ],
    [],
  );
  expect(rulesOf(fleet, 1)).toEqual(['fleet.address']);
});

test('the same pairing code is told without the code', () => {
  const node = (name: string, code: string) =>
    file(name, { role: 'appliance', control_plane_url: 'https://cp', pairing_code: `'${code}'` });
  const fleet = judgeFleet([node('a', '24681357'), node('b', '2468-1357')], []);
  expect(rulesOf(fleet, 1)).toEqual(['fleet.pairing-code']);
  expect(jsonReport(fleet.reports)).not.toMatch(/24681357|2468-1357/);
});

test('/dev/sda is another disk in every machine', () => {
  const fleet = judgeFleet([file('a', { target_disk: '/dev/sda' }), file('b', { target_disk: '/dev/sda' })], []);
  expect(fleet.reports.every(({ result }) => result.isValid)).toBe(true);
});

test('the matrix says what fits, and why not', () => {
  const machines = [
    { name: 'rack1', machine: machine([disk('sda', 64, ['/dev/disk/by-id/ata-a'])], ['eno1']) },
    { name: 'rack2', machine: machine([disk('sda', 16, ['/dev/disk/by-id/ata-b'])], ['ens3']) },
  ];
  const fleet = judgeFleet([file('a'), file('b')], machines);
  expect(fleet.matrix.map((fit) => fit.fits)).toEqual([true, false, false, false]);
  expect(fleet.matrix[3]!.reasons.join(' ')).toMatch(/32/);
  expect(fleet.matrix[3]!.reasons.join(' ')).toMatch(/no interface/);
  expect(rulesOf(fleet, 0)).toEqual([]);
  expect(rulesOf(fleet, 1)).toEqual(['fleet.no-machine']);
  expect(matrixText(fleet.matrix)).toMatch(/^FITS a\.yaml {2}on {2}rack1\nNO {3}a\.yaml/);
});
