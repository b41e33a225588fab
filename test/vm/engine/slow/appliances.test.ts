/** Two appliances' disks in one box, and a reinstallation that keeps /var: the other disk's names and labels must not matter. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bench, installInVm, makeBench, type Outcome } from '../bench-vm.ts';
import { copyOfDisk, makeDiskFile, requireSameBytes, type VmDisk, WWN_PATHS } from '../disks.ts';
import { Installed } from '../installed.ts';

let bench: Bench;
let other: VmDisk;
let own: VmDisk;
let first: Outcome;
let second: Outcome;
let hostKeys = '';
let machine: Installed | null = null;

beforeAll(async () => {
  bench = makeBench();
  other = { file: makeDiskFile(bench.dir, 'other'), serial: 'APPLIANCE-1' };
  own = { file: makeDiskFile(bench.dir, 'own'), serial: 'APPLIANCE-2' };
  first = await installInVm(bench, [other], { disks: [WWN_PATHS[0]], settings: { hostname: 'ddi-1' } });
  const before = copyOfDisk(other, 'other-in-use');
  second = await installInVm(bench, [before, own], { disks: [WWN_PATHS[1]], settings: { hostname: 'ddi-2' } });
  requireSameBytes(before, other);
});
afterEach(async () => {
  await machine?.stop();
  machine = null;
});
afterAll(() => bench?.remove());

/** PARTUUIDs of what is mounted, as a list. */
const MOUNTED = 'for m in / /var /var/lib/spatium-state /boot/efi; do blkid -s PARTUUID -o value $(findmnt -no SOURCE $m); done';
const partUuidsOf = ({ partUuids: p }: Outcome) => [p.root_a, p.var, p.state, p.esp].join('\n');
const HOST_KEYS = 'cat /etc/ssh/ssh_host_*_key.pub | sort | sha256sum; ls /etc/ssh/ssh_host_*_key.pub | wc -l';

it('installs beside the first appliance, and both with every check passed', () => {
  for (const outcome of [first, second]) {
    expect(outcome.failure).toBeNull();
    expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
  }
});

it.each([
  ['the other appliance', 'bios' as const, () => [copyOfDisk(other, 'other-1'), copyOfDisk(own, 'own-1')], () => first, 'ddi-1'],
  ['its own disk', 'uefi' as const, () => [own, copyOfDisk(other, 'other-2')], () => second, 'ddi-2'],
])('runs wholly from %s when firmware starts that one (%s)', async (name, firmware, disks, outcome, hostname) => {
  machine = await Installed.start(disks(), firmware);
  expect(await machine.run(MOUNTED)).toBe(partUuidsOf(outcome()));
  expect(await machine.run('hostname')).toBe(hostname);
  expect(await machine.failedUnits()).toBe('');
  if (name !== 'its own disk') return;
  hostKeys = await machine.run(HOST_KEYS);
  expect(hostKeys).toMatch(/\n3$/);
  await machine.run('echo precious >/var/lib/marker; echo log >/var/log/old.log; echo in-slot >/usr/local/marker; sync');
  await machine.off();
});

it('keeps /var and the SSH host keys through a reinstallation, with the other disk in the box', async () => {
  const before = copyOfDisk(other, 'other-in-use-2');
  const settings = { hostname: 'ddi-2', keepVar: true };
  const third = await installInVm(bench, [before, own], { disks: [WWN_PATHS[1]], settings });
  expect(third.failure).toBeNull();
  expect(third.checks.filter((c) => !c.ok)).toEqual([]);
  requireSameBytes(before, other);
  machine = await Installed.start([own, copyOfDisk(other, 'other-3')], 'uefi');
  expect(await machine.run(MOUNTED)).toBe(partUuidsOf(third));
  expect(await machine.run('cat /var/lib/marker /var/log/old.log')).toBe('precious\nlog');
  expect(await machine.run('test -e /usr/local/marker || echo gone')).toBe('gone');
  expect(await machine.run(HOST_KEYS)).toBe(hostKeys);
  expect(await machine.run('ls -d /var/persist/etc.previous')).toBe('/var/persist/etc.previous');
  expect(await machine.failedUnits()).toBe('');
});
