/**
 * A mirror on the real kernel: installed, then run without its first disk, which comes back later. What the survivor's boot
 * menu was told in the meantime must hold for the one that returns. SPATIUM_VM_STORAGE=1 adds the other boots.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, installInVm, makeBench, type Outcome } from './bench-vm.ts';
import { copyOfDisk, makeDiskFile, type VmDisk, WWN_PATHS } from './disks.ts';
import { Installed } from './installed.ts';

let bench: Bench;
let a: VmDisk;
let b: VmDisk;
let outcome: Outcome;
let machine: Installed | null = null;
const isLong = Boolean(process.env['SPATIUM_VM_STORAGE']);

const uuidOf = (mount: string) => `blkid -s UUID -o value $(findmnt -no SOURCE ${mount})`;

beforeAll(async () => {
  bench = makeBench();
  a = { file: makeDiskFile(bench.dir, 'a'), serial: 'MIRROR-A' };
  b = { file: makeDiskFile(bench.dir, 'b'), serial: 'MIRROR-B' };
  outcome = await installInVm(bench, [a, b], { disks: WWN_PATHS });
});
afterEach(async () => {
  await machine?.stop();
  machine = null;
});
afterAll(() => bench?.remove());

it('is installed on two disks, with every check passed', () => {
  expect(outcome.failure).toBeNull();
  expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
  expect(outcome.warnings).toEqual([]);
  expect(outcome.checks.filter((c) => c.name.startsWith('/boot/efi2'))).toHaveLength(4);
});

/** What every start of a mirror must show. */
async function expectOnArrays(started: Installed, slot: 'a' | 'b', disks: number): Promise<void> {
  expect(await started.run(uuidOf('/'))).toBe(outcome.uuids[`root_${slot}`]);
  expect(await started.run(uuidOf('/var'))).toBe(outcome.uuids.var);
  for (const mount of ['/', '/var', '/var/lib/spatium-state'])
    expect(await started.run(`lsblk -dno TYPE $(findmnt -no SOURCE ${mount})`)).toBe('raid1');
  expect(await started.run('mdadm --detail /dev/md/var | sed -n "s/ *Active Devices : //p"')).toBe(String(disks));
  expect(await started.run('readlink -f /dev/md/root_a /dev/md/root_b | sort -u | wc -l')).toBe('2');
}

describe('without its first disk, UEFI', () => {
  it('starts, has the second boot partition in place, and takes a choice of slot', async () => {
    const survivor = copyOfDisk(b, 'survivor');
    machine = await Installed.start([survivor], 'uefi');
    await expectOnArrays(machine, 'a', 1);
    expect(await machine.failedUnits()).toBe('');
    expect(await machine.run('cat /var/log/spatiumddi/esp-sync.log')).toContain('the second one is in its place');
    expect(
      await machine.run(
        `test "$(${uuidOf('/boot/efi')})" = "$(sed -n 's#^UUID=\\([^\\t]*\\)\\t/boot/efi2\\t.*#\\1#p' /etc/fstab)" && echo same`,
      ),
    ).toBe('same');
    await machine.run('spatium-upgrade-slot set-default slot_b');
    await machine.off();
    if (!isLong) return;
    machine = await Installed.start([survivor], 'uefi');
    await expectOnArrays(machine, 'b', 1);
    await machine.off();
    // Firmware finds the returned disk first; its menu is the old one until the system brings it in step.
    machine = await Installed.start([copyOfDisk(a, 'returned'), survivor], 'bios');
    await machine.failedUnits();
    expect(await machine.run('cat /var/log/spatiumddi/esp-sync.log')).toContain('the first disk is back');
    expect(await machine.run('grep -a -o saved_entry=slot_b /boot/efi/grub/grubenv')).toBe('saved_entry=slot_b');
    expect(await machine.run('spatiumddi-esp-sync --check')).toContain('in step');
  });
});

describe.runIf(isLong)('with both disks, and without the second', () => {
  it('runs on both, and the one-boot choice of a slot reaches the second disk', async () => {
    const both = [copyOfDisk(a, 'both-a'), copyOfDisk(b, 'both-b')] as const;
    machine = await Installed.start(both, 'bios');
    await expectOnArrays(machine, 'a', 2);
    expect(await machine.failedUnits()).toBe('');
    expect(await machine.run('spatiumddi-esp-sync --check')).toContain('in step');
    await machine.run('spatium-upgrade-slot set-next-boot slot_b');
    await machine.off();
    machine = await Installed.start([both[1]], 'bios');
    await expectOnArrays(machine, 'b', 1);
  });

  it('makes a slot out of a fresh image that starts from the mirror', async () => {
    const both = [copyOfDisk(a, 'image-a'), copyOfDisk(b, 'image-b')] as const;
    const image: VmDisk = { file: bench.squashfs, format: 'raw', serial: 'IMAGE' };
    machine = await Installed.start([...both, image], 'uefi');
    // As any image, it knows nothing of this machine: no mounts, no arrays.
    const node = '/dev/disk/by-id/wwn-0x60014050000000a2';
    const sum = await machine.run(`sha256sum ${node} | cut -d" " -f1`);
    await expect(machine.run(`spatium-upgrade-slot apply ${node} --sha256 ${'0'.repeat(64)} 2>&1`)).rejects.toThrow(/nothing was written/);
    expect(await machine.run(`spatium-upgrade-slot apply ${node} --sha256 ${sum}`, 900_000)).toContain('slot_b is ready');
    await machine.run('spatium-upgrade-slot set-next-boot slot_b');
    expect(await machine.run('spatiumddi-esp-sync --check')).toContain('in step');
    const uuid = await machine.run('blkid -p -s UUID -o value /dev/md/root_b');
    expect(uuid).not.toBe(outcome.uuids.root_a);
    await machine.off();
    machine = await Installed.start(both, 'uefi');
    expect(await machine.run(uuidOf('/'))).toBe(uuid);
    expect(await machine.run('findmnt -no FSTYPE /etc')).toBe('overlay');
    expect(await machine.failedUnits()).toBe('');
  });
});
