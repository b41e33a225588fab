/** Probing from a made-up tree of files and a made-up lsblk: no process, no root. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { probeMachine } from '#machine/probe.ts';
import { parseGateways } from '#machine/probe-network.ts';
import type { Machine } from '#model/machine.ts';
import { judgeDisks } from '#rules/disks.ts';
import type { Runner } from '#system/run.ts';
import { putFile } from '../../support/temp.ts';

const GIB = 1024 ** 3;
let root: string;
let machine: Machine;

const put = (file: string, text: string): void => putFile(path.join(root, file), text);
const link = (file: string, target: string): void => {
  fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  fs.symlinkSync(target, path.join(root, file));
};

const rows = [
  { kname: 'sda', type: 'disk', size: 100 * GIB, children: [{ kname: 'sda1', type: 'part', size: 99 * GIB, mountpoints: ['/media/usb'] }] },
  {
    kname: 'sdb',
    type: 'disk',
    size: 100 * GIB,
    children: [{ kname: 'dm-0', name: 'old', type: 'dm', size: 100 * GIB, children: [{ kname: 'md127', type: 'raid1', size: GIB }] }],
  },
  { kname: 'vda', type: 'disk', size: 100 * GIB, serial: null },
  { kname: 'loop0', type: 'loop', size: GIB, mountpoints: ['/run/live/medium'] },
];

const runner: Runner = async (argv) => {
  const base = { argv, stderr: '', tail: [], durationMs: 1 };
  if (argv[0] === 'lsblk') return { ...base, stdout: JSON.stringify({ blockdevices: rows }), kind: 'exited', code: 0 };
  if (argv[0] === 'mdadm' && argv.includes('--export'))
    return { ...base, stdout: 'MD_LEVEL=raid1\nMD_NAME=any:var\n', kind: 'exited', code: 0 };
  return { ...base, stdout: '', kind: 'not_started', errno: 'ENOENT' };
};

beforeAll(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'probe-'));
  for (const dev of ['sda', 'sda1', 'sdb', 'dm-0', 'md127', 'vda', 'loop0']) put(`dev/${dev}`, '');
  put('sys/class/block/loop0/loop/backing_file', '/media/usb/images/installer.iso\n');
  put('sys/class/block/dm-0/dm/name', 'renamed\n');
  put('sys/class/block/dm-0/dm/uuid', 'CRYPT-LUKS2-1\n');
  put('sys/class/block/md127/md/metadata_version', '1.2\n');
  put('sys/class/block/vda/serial', 'VSN1');
  put('sys/class/block/vda/holders/bcache0', '');
  put('sys/devices/x/sda/sda1/dev', '8:1');
  link('sys/dev/block/8:1', '../../devices/x/sda/sda1');
  link('dev/disk/by-id/wwn-0x5000', '../../sda');
  link('dev/disk/by-id/wwn-0x5000-part1', '../../sda1');
  link('dev/disk/by-path/pci-1', '../../sda');
  put('proc/self/mountinfo', '30 1 8:1 / /media/usb rw - vfat /dev/sda1 rw\n31 1 0:9 / / rw - overlay overlay rw\n');
  put('proc/meminfo', 'MemTotal:        4013268 kB\nMemFree: 1 kB\n');
  put(
    'proc/cmdline',
    'boot=live install.password=hunter2hunter2 spatium.preseed=https://me:hunter2@files.test/a.yaml?token=hunter2 quiet\n',
  );
  put('proc/net/route', 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\nen0\t00000000\t010200C0\t3\t0\t0\t100\t00000000\n');
  put('sys/devices/system/cpu/online', '0-3,6\n');
  put('sys/class/dmi/id/sys_vendor', 'Acme\n');
  put('sys/class/dmi/id/product_serial', 'To Be Filled By O.E.M.\n');
  put('sys/class/net/en0/operstate', 'up\n');
  put('sys/class/net/en0/speed', '-1\n');
  put('sys/class/net/en0/mtu', '1500\n');
  put('sys/class/net/lo/operstate', 'unknown\n');
  put('sys/class/net/vethx/operstate', 'up\n');
  put('etc/passwd', 'root:x:0:0::/root:/bin/sh\n# note\n_apt:x:42:65534::/:/bin/false\n');
  put('etc/resolv.conf', 'nameserver 127.0.0.53\nnameserver 192.0.2.53\n');
  machine = await probeMachine({ root, runner, raw: true });
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const device = (kname: string) => machine.devices.find((d) => d.kname === kname);

it('adds to lsblk what sysfs and udev know', () => {
  expect(device('sda')?.links).toEqual(['/dev/disk/by-id/wwn-0x5000', '/dev/disk/by-path/pci-1']);
  expect(device('dm-0')).toMatchObject({ path: '/dev/mapper/renamed', dmUuid: 'CRYPT-LUKS2-1' });
  expect(device('md127')).toMatchObject({ mdName: 'any:var', mdMetadata: '1.2' });
  expect(device('vda')?.serial).toBe('VSN1');
});

it('finds the live medium behind the backing file of a loop device', () => {
  expect(machine.liveMedium).toEqual(['sda', 'sda1', 'loop0']);
  expect(
    judgeDisks(machine)
      .find((v) => v.kname === 'sda')
      ?.reasons.map((r) => r.code),
  ).toContain('disk.live-medium');
});

it('reads what machine it is from sysfs and /proc, and leaves null what they do not say', () =>
  expect(machine).toMatchObject({
    firmware: 'bios',
    product: { vendor: 'Acme', name: null, serial: null, uuid: null },
    cpuCount: 5,
    memoryBytes: 4013268 * 1024,
    accounts: ['root', '_apt'],
    resolvers: ['192.0.2.53'],
    interfaces: [{ name: 'en0', linkUp: true, speedMbps: null, mtu: 1500, gateway4: '192.0.2.1' }],
  }));

it('keeps raw outputs, and no secret of the kernel command line', () => {
  expect(Object.keys(machine.raw)).toEqual(expect.arrayContaining(['lsblk', 'proc/self/mountinfo', 'proc/cmdline']));
  expect(JSON.stringify(machine)).not.toContain('hunter2');
  expect(machine.raw['proc/cmdline']).toContain('boot=live');
  expect(machine.raw['proc/cmdline']).toContain('https://***@files.test/a.yaml');
});

it('keeps only the listing unless asked for more', async () =>
  expect(Object.keys((await probeMachine({ root, runner })).raw)).toEqual(['lsblk']));

it('says so when lsblk cannot be run', async () => {
  const none: Runner = async (argv) => ({ argv, stdout: '', stderr: '', tail: [], durationMs: 1, kind: 'not_started', errno: 'ENOENT' });
  await expect(probeMachine({ root, runner: none })).rejects.toThrow('lsblk failed (not installed)');
});

it('takes a listing that lsblk ends with a complaint', async () => {
  const complaining: Runner = async (argv) => {
    const result = await runner(argv);
    return argv[0] === 'lsblk' && result.kind === 'exited' ? { ...result, code: 64 } : result;
  };
  expect((await probeMachine({ root, runner: complaining })).devices.length).toBe(machine.devices.length);
});

it('the default route with the lowest metric wins, other routes do not count', () => {
  const route = [
    'h',
    'a 00000000 0101A8C0 3 0 0 200 00000000',
    'a 00000000 FE01A8C0 3 0 0 100 00000000',
    'b 0000A8C0 01010101 3 0 0 0 0000FFFF',
  ].join('\n');
  expect([...parseGateways(route)]).toEqual([['a', '192.168.1.254']]);
});
