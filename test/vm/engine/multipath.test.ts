/** A LUN over two paths: installed through its map, then started through the map with both paths and with one. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Bench, bootInstalled, installInVm, makeBench, makeQcow, type VmDisk } from './bench-vm.ts';

let bench: Bench;
let lun: VmDisk;
beforeAll(() => {
  bench = makeBench();
  lun = { file: makeQcow(bench, 'lun'), serial: 'LUN-1', paths: 2 };
});
afterAll(() => bench?.remove());

/** What the medium's own service does at its start. */
const PRELUDE = `
mkdir -p /tmp/etc-upper /tmp/etc-work
mount -t overlay -o lowerdir=/etc,upperdir=/tmp/etc-upper,workdir=/tmp/etc-work overlay /etc
printf 'defaults {\\n\\tfind_multipaths yes\\n\\tuser_friendly_names yes\\n}\\n' > /etc/multipath.conf
multipathd; sleep 5; multipath; udevadm settle; multipath -ll
`;

it('installs on the map, with every check passed', async () => {
  const outcome = await installInVm(bench, [lun], { disks: ['/dev/mapper/mpatha'] }, PRELUDE);
  if (!outcome.ok) console.log(outcome.serial.slice(-8000));
  expect(outcome.failure).toBeNull();
  expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
  expect(outcome.warnings).toEqual([]);
});

it('starts through the map with both paths', async () => {
  expect((await bootInstalled(bench, [lun], 'bios')).slice(-400)).toMatch(/ddi-1 login:/);
});

it('starts with one path left', async () => {
  expect((await bootInstalled(bench, [{ ...lun, paths: 1 }], 'uefi')).slice(-400)).toMatch(/ddi-1 login:/);
});
