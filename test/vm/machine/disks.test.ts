/** Disks as the real kernel, udev, md and device-mapper show them: recorded on the booted medium, judged as everywhere. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCapture } from '#machine/capture-file.ts';
import type { DiskVerdict, Machine } from '#model/machine.ts';
import { describeDisk, findDisk, identityOf, judgeDisks, keptLayoutOf } from '#rules/disks.ts';
import { bootMedium, ISO, requireIso } from '../lib/medium.ts';
import { Vm } from '../lib/qemu.ts';

const MIB = 1024 ** 2;
const BOOT_MS = 300_000;
const WORK_MS = 300_000;
/** Another way to call the program than the medium's own, for trying a change without building a medium. */
const PROGRAM = process.env['SPATIUM_VM_PROGRAM'] ?? '';
const EXTRA_FILES = process.env['SPATIUM_VM_FILES'] ?? '';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-disks-'));
const tool = (file: string, ...args: string[]): void => {
  execFileSync(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
};
const disk = (name: string, size = '40G'): string => {
  const file = path.join(dir, `${name}.qcow2`);
  tool('qemu-img', 'create', '-q', '-f', 'qcow2', file, size);
  return file;
};

const tree = (name: string, files: Readonly<Record<string, string>>): string => {
  for (const [file, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(dir, name, file)), { recursive: true });
    fs.writeFileSync(path.join(dir, name, file), text);
  }
  return path.join(dir, name);
};

/** A disk with our six partitions and a version in each slot, made with the real tools and no kernel. */
function installedDisk(): string {
  const file = path.join(dir, 'own.raw');
  fs.writeFileSync(file, '');
  fs.truncateSync(file, 40 * 1024 * MIB);
  const parts: readonly [name: string, startMib: number, sizeMib: number, code: string][] = [
    ['bios_boot', 1, 1, 'ef02'],
    ['ESP', 2, 64, 'ef00'],
    ['state', 66, 64, '8300'],
    ['root_A', 130, 64, '8304'],
    ['root_B', 194, 64, '8304'],
    ['var', 258, 64, '8310'],
  ];
  const words = parts.flatMap(([name, start, size, code], i) => [
    `-n${i + 1}:${start}M:+${size}M`,
    `-t${i + 1}:${code}`,
    `-c${i + 1}:${name}`,
  ]);
  tool('sgdisk', ...words, file);
  const release = (version: string) => ({ 'etc/spatiumddi/appliance-release': `APPLIANCE_VERSION="${version}"\n` });
  const contents: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    state: { x: '' },
    root_A: release('2026.10.2-1'),
    root_B: release('2026.09.1-1'),
    var: { x: '' },
  };
  for (const [name, start, size] of parts) {
    const files = contents[name];
    if (files === undefined) continue;
    const options = ['-q', '-F', '-L', name.toLowerCase(), '-d', tree(`fs-${name}`, files), '-E', `offset=${start * MIB}`];
    tool('mkfs.ext4', ...options, file, `${size * 1024}k`);
  }
  tool('mkfs.vfat', '-F', '32', '-n', 'ESP', '--offset', String((2 * MIB) / 512), file, String(64 * 1024));
  return file;
}

function toolsVolume(): string {
  const files = tree('tools', { go: fs.readFileSync(path.join(import.meta.dirname, 'guest.sh'), 'utf8') });
  if (EXTRA_FILES !== '') fs.cpSync(EXTRA_FILES, files, { recursive: true });
  const file = path.join(dir, 'tools.img');
  fs.writeFileSync(file, '');
  fs.truncateSync(file, 256 * MIB);
  tool('mkfs.ext4', '-q', '-F', '-L', 'TOOLS', '-d', files, file);
  return file;
}

function hardware(): string[] {
  const drive = (id: string, file: string, more = ''): string[] => ['-drive', `if=none,id=${id},file=${file},cache=unsafe${more}`];
  const device = (words: string): string[] => ['-device', words];
  const node = (id: string, file: string): string[] => ['-blockdev', `driver=qcow2,node-name=${id},file.driver=file,file.filename=${file}`];
  return [
    ...device('virtio-scsi-pci,id=scsi0'),
    ...device('virtio-scsi-pci,id=scsi1'),
    ...node('lun', disk('lun')),
    ...[0, 1].flatMap((i) =>
      device(`scsi-hd,bus=scsi${i}.0,drive=lun,share-rw=on,serial=LUN-1,wwn=0x600140500000beef,vendor=LIO-ORG,product=LAB-LUN`),
    ),
    ...drive('d4k', disk('d4k'), ',format=qcow2'),
    ...device('scsi-hd,bus=scsi0.0,drive=d4k,serial=4KN-1,logical_block_size=4096,physical_block_size=4096'),
    ...drive('own', installedDisk(), ',format=raw'),
    ...device('ide-hd,bus=ide.1,drive=own,serial=OWN-1,model=OWN DISK,wwn=0x5000c50015ea71b0'),
    ...device('nvme-subsys,id=ss0,nqn=lab'),
    ...device('nvme,id=c0,serial=NVME-1,subsys=ss0'),
    ...device('nvme,id=c1,serial=NVME-1,subsys=ss0'),
    ...drive('ns', disk('ns'), ',format=qcow2'),
    ...device('nvme-ns,drive=ns,bus=c0,nsid=1,shared=on'),
    ...device('qemu-xhci,id=xhci'),
    ...drive('stick', disk('stick'), ',format=qcow2'),
    ...device('usb-storage,bus=xhci.0,drive=stick,serial=USB-1,removable=on'),
    ...['MD-1', 'MD-2', 'LVM-1', 'LUKS-1'].flatMap((serial) => [
      ...drive(serial, disk(serial), ',format=qcow2'),
      ...device(`virtio-blk-pci,drive=${serial},serial=${serial}`),
    ]),
    ...drive('anon', disk('anon'), ',format=qcow2'),
    ...device('virtio-blk-pci,drive=anon'),
  ];
}

let raw = '';
const section = (name: string): string => {
  const text = new RegExp(`<<${name}\\r?\\n([A-Za-z0-9+/=\\r\\n]+)>>`).exec(raw)?.[1];
  if (text === undefined) throw new Error(`the guest printed no section ${name}:\n${raw.slice(-2000)}`);
  return zlib.gunzipSync(Buffer.from(text.replace(/\s/g, ''), 'base64')).toString('utf8');
};
const machineAt = (name: string): Machine => readCapture(section(name));

/** Verdicts by serial number; a map counts as itself. */
function verdicts(machine: Machine): Map<string, DiskVerdict> {
  return new Map(
    judgeDisks(machine).map((v) => {
      const device = machine.devices.find((d) => d.kname === v.kname);
      return [device?.type === 'mpath' ? v.path : (device?.serial ?? `no serial, ${v.sizeBytes}`), v];
    }),
  );
}
const codes = (found: Map<string, DiskVerdict>, name: string): string[] => found.get(name)?.reasons.map((r) => r.code) ?? ['not listed'];
const warnings = (found: Map<string, DiskVerdict>, name: string): string[] =>
  found.get(name)?.warnings.map((r) => r.code) ?? ['not listed'];

describe('disks on the booted medium', () => {
  let vm: Vm | null = null;
  beforeAll(async () => {
    requireIso();
    vm = await Vm.start({ firmware: 'bios', iso: ISO, volumes: [toolsVolume()], hardware: hardware() });
    await bootMedium(vm, 'rescue');
    await vm.screen.waitFor(/~#/, BOOT_MS, 'rescue shell');
    vm.screen.type(`mkdir /t; mount -r /dev/disk/by-label/TOOLS /t; sh /t/go ${PROGRAM}\n`);
    await vm.screen.waitFor(/GUEST-DONE/, WORK_MS);
    ({ raw } = vm.screen);
  });
  afterAll(async () => {
    await vm?.stop();
    fs.rmSync(dir, { recursive: true, force: true });
  });

  test.each(['first', 'second', 'third'])('the program on the medium says what this source says: %s', (name) => {
    const { disks } = JSON.parse(section(`${name}-disks`)) as { disks: DiskVerdict[] };
    expect(disks).toEqual(judgeDisks(machineAt(name)));
  });

  test('two paths without a map are refused, with the way out', () => {
    const machine = machineAt('third');
    const found = judgeDisks(machine).filter((v) => machine.devices.find((d) => d.kname === v.kname)?.serial === 'LUN-1');
    expect(found.length).toBe(2);
    for (const { reasons } of found) {
      expect(reasons.map((r) => r.code).join()).toMatch(/^disk\.multipath-(?:path|unassembled)$/);
      expect(reasons[0]?.text).toContain('start multipathd');
    }
  });

  test('the CD is the live medium, and only disks are listed', () => {
    const machine = machineAt('first');
    expect(machine.liveMedium).toEqual(expect.arrayContaining(['sr0', 'loop0']));
    expect(judgeDisks(machine).every((v) => /^(?:sd|vd|nvme\d+n|dm-)/.test(v.kname))).toBe(true);
  });

  test('blank, 4Kn, USB, NVMe over two controllers, and a disk without a name', () => {
    const machine = machineAt('first');
    const found = verdicts(machine);
    expect(codes(found, '4KN-1')).toEqual(['disk.4kn-bios']);
    for (const name of ['MD-1', 'LVM-1', 'LUKS-1', 'NVME-1', 'USB-1', 'OWN-1']) expect(codes(found, name)).toEqual([]);
    // The disk with our installation is in the box, which is worth a word beside every other one.
    expect(warnings(found, 'USB-1')).toEqual(['disk.removable', 'disk.other-installation']);
    expect(warnings(found, 'NVME-1')).toEqual(['disk.other-installation']);
    expect(warnings(found, 'OWN-1')).toEqual(['disk.own-installation']);
    const nvme = found.get('NVME-1')?.kname ?? '';
    expect(describeDisk(machine, nvme).facts.find((f) => f.label === 'Paths')?.value).toMatch(/^2: .*live.*live/);
    const anonymous = judgeDisks(machine).find(
      (v) => v.warnings.some((w) => w.code === 'disk.no-stable-identity') && v.sizeBytes > 2 ** 35,
    );
    expect(anonymous?.selectable).toBe(true);
    expect(describeDisk(machine, anonymous?.kname ?? '').byPath).toMatch(/^\/dev\/disk\/by-path\//);
  });

  test('our own installation, with its versions and its name for an answer file', () => {
    const machine = machineAt('first');
    const own = verdicts(machine).get('OWN-1')?.kname ?? '';
    expect(describeDisk(machine, own).contents.summary).toContain('slot A 2026.10.2-1 and slot B 2026.09.1-1');
    expect(keptLayoutOf(machine, own).kind).toBe('layout');
    expect(findDisk(machine, '/dev/disk/by-id/wwn-0x5000c50015ea71b0')?.kname).toBe(own);
    expect(identityOf(machine, own)).toMatchObject({
      wwn: '0x5000c50015ea71b0',
      serial: 'OWN-1',
      byId: '/dev/disk/by-id/wwn-0x5000c50015ea71b0',
    });
  });

  test('an assembled map is the only way to the disk behind it', () => {
    const machine = machineAt('second');
    const map = judgeDisks(machine).find((v) => v.path === '/dev/mapper/mpatha');
    expect(map?.reasons).toEqual([]);
    const paths = judgeDisks(machine).filter((v) => v.reasons.some((r) => r.code === 'disk.multipath-path'));
    expect(paths.length).toBe(2);
    expect(identityOf(machine, map?.kname ?? '')).toMatchObject({ wwn: '0x600140500000beef', serial: 'LUN-1' });
  });

  test('a foreign array, a mounted volume, an open but unused LUKS volume', () => {
    const machine = machineAt('second');
    const found = verdicts(machine);
    expect(codes(found, 'MD-1')).toEqual(['disk.raid-member']);
    expect(found.get('MD-2')?.reasons[0]?.text).toContain('/dev/md/data');
    expect(codes(found, 'LVM-1')).toEqual(['disk.mounted']);
    expect(found.get('LVM-1')?.reasons[0]?.text).toContain('/mnt/old');
    expect(codes(found, 'LUKS-1')).toEqual([]);
    expect(warnings(found, 'LUKS-1')).toEqual(['disk.existing-data', 'disk.active-volumes', 'disk.other-installation']);
  });

  test('a stopped array still holds its members; volumes that nobody uses do not', () => {
    const found = verdicts(machineAt('third'));
    expect(codes(found, 'MD-1')).toEqual(['disk.raid-member']);
    expect(found.get('MD-1')?.reasons[0]?.text).toContain('stopped array "nas:data"');
    expect(codes(found, 'LVM-1')).toEqual([]);
  });
});
