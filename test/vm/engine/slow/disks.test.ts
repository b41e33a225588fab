/** Disks out of the ordinary: sectors of 4096 bytes under UEFI, and more than BIOS partition tables could name. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bench, installInVm, makeBench } from '../bench-vm.ts';
import { makeDiskFile, type VmDisk, WWN_PATHS } from '../disks.ts';
import { Installed } from '../installed.ts';

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
  const outcome = await installInVm(bench, [disk], { disks: [WWN_PATHS[0]] }, { firmware });
  expect(outcome.failure).toBeNull();
  expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
  machine = await Installed.start([disk], firmware);
  expect(await machine.run('blkid -s PARTUUID -o value $(findmnt -no SOURCE /)')).toBe(outcome.partUuids.root_a);
  expect(await machine.run('blkid -s PARTUUID -o value $(findmnt -no SOURCE /var)')).toBe(outcome.partUuids.var);
  expect(await machine.run('cat /sys/block/sda/queue/logical_block_size')).toBe(String(sectorBytes));
  expect(await machine.run('test -d /sys/firmware/efi && echo uefi || echo bios')).toBe(firmware);
  const varGib = Number(await machine.run('df --output=size -BG /var | tail -n 1 | tr -dc 0-9'));
  expect(varGib).toBeGreaterThan((sizeGib - 17) * 0.95);
  expect(await machine.failedUnits()).toBe('');
});
