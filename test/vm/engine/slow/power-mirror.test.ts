/**
 * The power cut during an installation on two disks: between two arrays, with all of them and nothing on them, in both copies.
 * What stands then is partly a mirror, and must be taken up again. Each cut finds what the last one left.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bench, cutInVm, installInVm, makeBench, type Outcome, type PowerCut } from '../bench-vm.ts';
import { copyOfDisk, makeDiskFile, type VmDisk, WWN_PATHS } from '../disks.ts';
import { Installed } from '../installed.ts';

const JOB = { disks: WWN_PATHS, goOn: true };
const CHAIN_MS = 3_600_000;

/** `leaves`: title of the step that the next start must find open; null while there is no STATE that could tell. */
const CUTS: readonly (PowerCut & { readonly leaves: string | null })[] = [
  { at: /s started partition-mirror\b/, afterMs: 0, leaves: null },
  { at: /s started array-root_b\b/, afterMs: 0, leaves: null },
  { at: /s started format-state\b/, afterMs: 0, leaves: null },
  { at: /s started copy-system\b/, afterMs: 20_000, leaves: 'Copy the system' },
  { at: /s started array-config\b/, afterMs: 0, leaves: 'Describe the mirror to the boot image' },
  { at: /s started clone-slot\b/, afterMs: 12_000, leaves: 'Copy slot A to slot B' },
];

let bench: Bench;
let disks: readonly [VmDisk, VmDisk];
let outcome: Outcome;
let machine: Installed | null = null;

const rawDisk = (name: string): VmDisk => ({ file: makeDiskFile(bench.dir, name, 40, 'raw'), format: 'raw', serial: `CUT-${name}` });

beforeAll(() => {
  bench = makeBench();
  disks = [rawDisk('a'), rawDisk('b')];
});
afterEach(async () => {
  await machine?.stop();
  machine = null;
});
afterAll(() => bench?.remove());

it(
  'goes on after every cut, with every check passed',
  async () => {
    let found: string | null = null;
    for (const cut of CUTS) {
      const serial = await cutInVm(bench, disks, JOB, cut);
      expect(/going on at: (.*?)\r?$/m.exec(serial)?.[1] ?? null).toBe(found);
      found = cut.leaves;
    }
    outcome = await installInVm(bench, disks, JOB);
    expect(outcome.failure).toBeNull();
    expect(outcome.wentOnAt).toBe(found);
    expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
    expect(outcome.warnings).toEqual([]);
  },
  CHAIN_MS,
);

it.each([
  ['the second disk', 1, 'uefi' as const],
  ['the first disk', 0, 'bios' as const],
])('leaves a mirror that starts from %s alone', async (_, index, firmware) => {
  machine = await Installed.start([copyOfDisk(disks[index] as VmDisk, `alone-${index}`)], firmware);
  expect(await machine.run('blkid -s UUID -o value $(findmnt -no SOURCE /)')).toBe(outcome.uuids.root_a);
  expect(await machine.run('lsblk -dno TYPE $(findmnt -no SOURCE /var)')).toBe('raid1');
  expect(await machine.failedUnits()).toBe('');
});
