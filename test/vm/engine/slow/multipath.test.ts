/** A LUN over two paths: installed through its map, started through it, and alive when a path goes. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bench, installInVm, makeBench, type Outcome } from '../bench-vm.ts';
import { copyOfDisk, makeDiskFile, START_MULTIPATH, type VmDisk } from '../disks.ts';
import { Installed } from '../installed.ts';

let bench: Bench;
let lun: VmDisk;
let outcome: Outcome;
let machine: Installed | null = null;

beforeAll(async () => {
  bench = makeBench();
  lun = { file: makeDiskFile(bench.dir, 'lun'), serial: 'LUN-1', paths: 2 };
  outcome = await installInVm(bench, [lun], { disks: ['/dev/mapper/mpatha'] }, { prelude: START_MULTIPATH });
});
afterEach(async () => {
  await machine?.stop();
  machine = null;
});
afterAll(() => bench?.remove());

it('installs on the map, with every check passed', () => {
  expect(outcome.failure).toBeNull();
  expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
  expect(outcome.warnings).toEqual([]);
});

it('runs on the map, and goes on when one path is taken away', async () => {
  machine = await Installed.start([copyOfDisk(lun, 'two-paths')], 'bios');
  expect(await machine.run('findmnt -no SOURCE / ; findmnt -no SOURCE /var; findmnt -no SOURCE /boot/efi')).toMatch(
    /^\/dev\/mapper\/mpatha-part4\n\/dev\/mapper\/mpatha-part6\n\/dev\/mapper\/mpatha-part2$/,
  );
  expect(await machine.run('blkid -s UUID -o value $(findmnt -no SOURCE /)')).toBe(outcome.uuids.root_a);
  expect(await machine.failedUnits()).toBe('');
  expect((await machine.run('multipath -ll')).match(/active ready running/g)).toHaveLength(2);
  await machine.unplug(0, 0);
  await machine.run('sleep 8; echo written >/var/after-the-fault; sync; echo 3 >/proc/sys/vm/drop_caches');
  expect(await machine.run('cat /var/after-the-fault; sha256sum /usr/bin/spatium | wc -l')).toBe('written\n1');
  expect((await machine.run('multipath -ll')).match(/active ready running/g)).toHaveLength(1);
  expect(await machine.run('dmesg | grep -c -E "EXT4-fs error|Remounting filesystem read-only" || true')).toBe('0');
  await machine.off();
});

it('starts with one path left, from slot B too', async () => {
  const onePath: VmDisk = { ...copyOfDisk(lun, 'one-path'), paths: 1 };
  machine = await Installed.start([onePath], 'uefi');
  expect(await machine.run('findmnt -no SOURCE /')).toBe('/dev/mapper/mpatha-part4');
  await machine.run('spatium-upgrade-slot set-next-boot slot_b');
  await machine.off();
  machine = await Installed.start([onePath], 'uefi');
  expect(await machine.run('findmnt -no SOURCE /')).toBe('/dev/mapper/mpatha-part5');
});
