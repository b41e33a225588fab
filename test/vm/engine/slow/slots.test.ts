/** A slot that does not start is left by the machine itself: the next boot is the kept one's, with nobody at the keys. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Vm } from '../../lib/qemu.ts';
import { type Bench, installInVm, makeBench, type Outcome } from '../bench-vm.ts';
import { copyOfDisk, diskArguments, makeDiskFile, type VmDisk, WWN_PATHS } from '../disks.ts';
import { Installed } from '../installed.ts';

const BOOT_AND_RESTART_MS = 900_000;
const RUNNING_SLOT = 'blkid -s UUID -o value $(findmnt -no SOURCE /)';

let bench: Bench;
let disk: VmDisk;
let outcome: Outcome;
let machine: Installed | null = null;

beforeAll(async () => {
  bench = makeBench();
  disk = { file: makeDiskFile(bench.dir, 'one'), serial: 'ONE-DISK' };
  outcome = await installInVm(bench, [disk], { disks: [WWN_PATHS[0]] });
  expect(outcome.failure).toBeNull();
});
afterEach(async () => {
  await machine?.stop();
  machine = null;
});
afterAll(() => bench?.remove());

/** Spoils slot B, chooses it for one boot, and shuts down. */
async function spoil(own: VmDisk, firmware: 'bios' | 'uefi', command: string): Promise<void> {
  machine = await Installed.start([own], firmware);
  expect(await machine.run(RUNNING_SLOT)).toBe(outcome.uuids.root_a);
  await machine.run('spatium-upgrade-slot set-next-boot slot_b');
  await machine.run(command);
  await machine.off();
}

const IN_SLOT_B = (command: string) => `mkdir /mnt/b; mount /dev/disk/by-partlabel/root_B /mnt/b && { ${command}; umount /mnt/b; }; sync`;
const NO_INITRD = IN_SLOT_B('echo none >/mnt/b/boot/new; mv /mnt/b/boot/new $(readlink -f /mnt/b/boot/initrd.img)');
const NO_INIT = IN_SLOT_B('rm /mnt/b/usr/lib/systemd/systemd');
const NO_ROOT =
  "sed -i '/--id slot_b {/,/^}/ s/root=UUID=[^ ]*/root=UUID=00000000-0000-4000-8000-000000000000/' /boot/efi/grub/grub.cfg; sync";

it.each([
  ['its kernel panics', 'bios' as const, NO_INITRD],
  ['its root has no init', 'bios' as const, NO_INIT],
  ['its initrd finds no root', 'uefi' as const, NO_ROOT],
])('is restarted when %s (%s), and comes up on the kept slot', async (what, firmware, spoiling) => {
  const own = copyOfDisk(disk, what.replaceAll(' ', '-'));
  await spoil(own, firmware, spoiling);
  const vm = await Vm.start({ firmware, hardware: diskArguments([own]) });
  try {
    // The restart ends QEMU.
    await vm.ended(BOOT_AND_RESTART_MS, /login:/);
    expect(vm.screen.raw).toContain('(slot B');
  } finally {
    await vm.stop();
  }
  machine = await Installed.start([own], firmware);
  expect(await machine.run(RUNNING_SLOT)).toBe(outcome.uuids.root_a);
  expect(await machine.failedUnits()).toBe('');
});

it('falls back in the boot loader when the chosen slot cannot be read', async () => {
  const own = copyOfDisk(disk, 'unread');
  await spoil(own, 'uefi', 'wipefs --all --force /dev/disk/by-partlabel/root_B; sync');
  machine = await Installed.start([own], 'uefi');
  expect(await machine.run(RUNNING_SLOT)).toBe(outcome.uuids.root_a);
});
