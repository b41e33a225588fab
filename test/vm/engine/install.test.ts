/** Installations with the real kernel and tools of Debian 13 in virtual machines, each then started from its disks. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, bootInstalled, installInVm, makeBench, makeQcow, type VmDisk } from './bench-vm.ts';

let bench: Bench;
beforeAll(() => {
  bench = makeBench();
});
afterAll(() => bench?.remove());

const A = '/dev/disk/by-id/wwn-0x60014050000000a0';
const B = '/dev/disk/by-id/wwn-0x60014050000000a1';

describe('mirror', () => {
  let a: VmDisk;
  let b: VmDisk;

  beforeAll(async () => {
    a = { file: makeQcow(bench, 'a'), serial: 'MIRROR-A' };
    b = { file: makeQcow(bench, 'b'), serial: 'MIRROR-B' };
  });

  it('installs on two disks, with every check passed', async () => {
    const outcome = await installInVm(bench, [a, b], { disks: [A, B] });
    if (!outcome.ok) console.log(outcome.serial.slice(-8000));
    expect(outcome.failure).toBeNull();
    expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
    expect(outcome.warnings).toEqual([]);
    expect(outcome.checks.filter((c) => c.name.startsWith('/boot/efi2'))).toHaveLength(3);
  });

  it.each([
    ['the second disk alone', 'bios' as const, () => [b]],
    ['the first disk alone', 'uefi' as const, () => [a]],
  ])('starts from %s (%s)', async (_name, firmware, disks) => {
    const serial = await bootInstalled(bench, disks(), firmware);
    expect(serial.slice(-400)).toMatch(/ddi-1 login:/);
  });
});

describe('a disk with sectors of 4096 bytes', () => {
  it('is installed by UEFI, and starts', async () => {
    const disk: VmDisk = { file: makeQcow(bench, '4kn'), serial: 'LARGE-SECTORS', sectorBytes: 4096 };
    const outcome = await installInVm(bench, [disk], { disks: [A] }, '', 'uefi');
    if (!outcome.ok) console.log(outcome.serial.slice(-8000));
    expect(outcome.failure).toBeNull();
    expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
    expect((await bootInstalled(bench, [disk], 'uefi')).slice(-400)).toMatch(/ddi-1 login:/);
  });
});
