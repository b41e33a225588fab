/** Disks out of the ordinary: sectors of 4096 bytes under UEFI, and more than BIOS partition tables could name. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Settings } from '#model/answers.ts';
import { type Bench, installInVm, makeBench } from '../bench-vm.ts';
import { makeDiskFile, type VmDisk, WWN_PATHS } from '../disks.ts';
import { Installed } from '../installed.ts';

/** An IPv6 address without a gateway: the router of QEMU's network announces itself. */
const NETWORK: Settings['network'] = {
  mode: 'static',
  interface: 'enp0s2',
  ipv4: { address: '10.0.2.77', prefix: 24, gateway: '10.0.2.2' },
  dns: [],
  ipv6: { address: 'fec0::77', prefix: 64, gateway: null },
  mtu: null,
};

let bench: Bench;
let machine: Installed | null = null;
beforeAll(() => {
  bench = makeBench();
});
afterEach(async () => {
  await machine?.stop();
  machine = null;
});
afterAll(() => bench?.remove());

it.each([
  ['4096-byte sectors', 'uefi' as const, { sizeGib: 40, sectorBytes: 4096 as const }],
  ['3 TiB', 'bios' as const, { sizeGib: 3072, sectorBytes: 512 as const }],
])('installs on a disk of %s by %s, and starts from it', async (name, firmware, { sizeGib, sectorBytes }) => {
  const disk: VmDisk = { file: makeDiskFile(bench.dir, name.replace(/\W/g, ''), sizeGib), serial: 'ODD-DISK', sectorBytes };
  const outcome = await installInVm(bench, [disk], { disks: [WWN_PATHS[0]], settings: { network: NETWORK } }, { firmware });
  expect(outcome.failure).toBeNull();
  expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
  machine = await Installed.start([disk], firmware);
  expect(await machine.run('blkid -s PARTUUID -o value $(findmnt -no SOURCE /)')).toBe(outcome.partUuids.root_a);
  expect(await machine.run('blkid -s PARTUUID -o value $(findmnt -no SOURCE /var)')).toBe(outcome.partUuids.var);
  expect(await machine.run('cat /sys/block/sda/queue/logical_block_size')).toBe(String(sectorBytes));
  expect(await machine.run('test -d /sys/firmware/efi && echo uefi || echo bios')).toBe(firmware);
  const varGib = Number(await machine.run('df --output=size -BG /var | tail -n 1 | tr -dc 0-9'));
  expect(varGib).toBeGreaterThan((sizeGib - 17) * 0.95);
  expect(await machine.run('ip -6 addr show dev enp0s2')).toContain('fec0::77/64');
  expect(await machine.run('ip -6 route show default')).toContain('via fe80::2');
  expect(await machine.failedUnits()).toBe('');
});
