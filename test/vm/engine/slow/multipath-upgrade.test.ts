/** A fresh image on the other slot of a multipath map: applied, started through the map, kept, and back again. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bench, installInVm, makeBench, type Outcome } from '../bench-vm.ts';
import { makeDiskFile, START_MULTIPATH, type VmDisk } from '../disks.ts';
import { Installed } from '../installed.ts';

const APPLY_MS = 900_000;
const CHAIN_MS = 3_600_000;
const IMAGE_NODE = '/dev/disk/by-id/wwn-0x60014050000000a1';
const SLOT_A = '/dev/mapper/mpatha-part4';
const SLOT_B = '/dev/mapper/mpatha-part5';

let bench: Bench;
let lun: VmDisk;
let outcome: Outcome;
let machine: Installed | null = null;

beforeAll(async () => {
  bench = makeBench();
  lun = { file: makeDiskFile(bench.dir, 'lun'), serial: 'LUN-1', paths: 2 };
  outcome = await installInVm(bench, [lun], { disks: ['/dev/mapper/mpatha'] }, { prelude: START_MULTIPATH });
  expect(outcome.failure).toBeNull();
});
afterEach(async () => {
  await machine?.stop();
  machine = null;
});
afterAll(() => bench?.remove());

const uuidOn = (started: Installed, node: string) => started.run(`blkid -p -s UUID -o value ${node}`);

/** Everything that a start through the map must show. */
async function expectOnMap(started: Installed, slotNode: string): Promise<void> {
  const mounts = 'for m in / /var /var/lib/spatium-state /boot/efi; do findmnt -no SOURCE $m; done';
  expect(await started.run(mounts)).toBe(`${slotNode}\n/dev/mapper/mpatha-part6\n/dev/mapper/mpatha-part3\n/dev/mapper/mpatha-part2`);
  expect(await started.failedUnits()).toBe('');
  expect((await started.run('multipath -ll')).match(/active ready running/g)).toHaveLength(2);
}

it(
  'starts from the image through the map, and the slot before it can be made ready and started again',
  async () => {
    const image: VmDisk = { file: bench.squashfs, format: 'raw', serial: 'IMAGE' };
    machine = await Installed.start([lun, image], 'bios');
    await expectOnMap(machine, SLOT_A);
    const sum = await machine.run(`sha256sum ${IMAGE_NODE} | cut -d" " -f1`);
    await expect(machine.run(`spatium-upgrade-slot apply ${IMAGE_NODE} --sha256 ${'0'.repeat(64)} 2>&1`)).rejects.toThrow(
      /nothing was written/,
    );
    expect(await uuidOn(machine, SLOT_B)).toBe(outcome.uuids.root_b);
    expect(await machine.run(`spatium-upgrade-slot apply ${IMAGE_NODE} --sha256 ${sum}`, APPLY_MS)).toContain('slot_b is ready');
    const applied = await uuidOn(machine, SLOT_B);
    expect([outcome.uuids.root_a, outcome.uuids.root_b]).not.toContain(applied);
    // An image that was written block by block has one UUID on every machine, here that of the running slot.
    await machine.run(`e2fsck -fy ${SLOT_B} && tune2fs -U ${outcome.uuids.root_a} -L image ${SLOT_B} </dev/null`);
    expect(await machine.run('spatium-upgrade-slot prepare')).toContain('slot_b is ready');
    const prepared = await uuidOn(machine, SLOT_B);
    expect([outcome.uuids.root_a, outcome.uuids.root_b, applied]).not.toContain(prepared);
    expect(await machine.run(`blkid -p -s LABEL -o value ${SLOT_B}`)).toBe('root_b');
    expect(await machine.run(`grep -c ${prepared} /boot/efi/grub/grub.cfg`)).not.toBe('0');
    await machine.run('spatium-upgrade-slot set-next-boot');
    await machine.off();

    machine = await Installed.start([lun], 'bios');
    await expectOnMap(machine, SLOT_B);
    expect(await machine.run('findmnt -no FSTYPE /etc')).toBe('overlay');
    // Its own answer to "which slot runs", and the way back made from here.
    expect(await machine.run('spatium-upgrade-slot commit')).toContain('slot_b');
    expect(await machine.run('spatium-upgrade-slot prepare')).toContain('slot_a is ready');
    expect(await uuidOn(machine, SLOT_A)).toBe(outcome.uuids.root_a);
    await machine.run('spatium-upgrade-slot rollback');
    await machine.off();

    machine = await Installed.start([lun], 'uefi');
    await expectOnMap(machine, SLOT_A);
    expect(await machine.run('spatium-upgrade-slot status')).toMatch(/^slot_a .*running, kept/m);
    await machine.unplug(0, 0);
    await machine.run('sleep 8; echo 3 >/proc/sys/vm/drop_caches');
    expect(await machine.run('spatium-upgrade-slot prepare')).toContain('slot_b is ready');
    expect(await uuidOn(machine, SLOT_B)).toBe(prepared);
    await machine.off();
  },
  CHAIN_MS,
);
