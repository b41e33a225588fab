/** The power cut at every step of one installation, each time gone on with at the next start. Each cut finds what the last one left. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Bench, cutInVm, installInVm, makeBench } from '../bench-vm.ts';
import { makeDiskFile, type VmDisk, WWN_PATHS } from '../disks.ts';
import { Installed } from '../installed.ts';

const JOB = { disks: [WWN_PATHS[0]], goOn: true };
const CHAIN_MS = 3_600_000;

let bench: Bench;
let steps: string[] = [];
let machine: Installed | null = null;

const rawDisk = (name: string): VmDisk => ({ file: makeDiskFile(bench.dir, name, 40, 'raw'), format: 'raw', serial: 'POWER-CUTS' });

beforeAll(async () => {
  bench = makeBench();
  const whole = await installInVm(bench, [rawDisk('whole')], { disks: [WWN_PATHS[0]] });
  expect(whole.failure).toBeNull();
  steps = [...whole.serial.matchAll(/s started ([a-z0-9_-]+)/g)].map((m) => m[1] ?? '');
  expect(steps.length).toBeGreaterThan(20);
});
afterEach(async () => {
  await machine?.stop();
  machine = null;
});
afterAll(() => bench?.remove());

it.each([
  ['as it starts', 0],
  ['half a second into it', 500],
])(
  'cut %s, every step is gone on with, and the end is a system that starts',
  async (_, afterMs) => {
    const disk = rawDisk(`cut-${afterMs}`);
    // After the last step's start the installation counts as whole. A short step may be over before a late cut: then it is skipped.
    for (const step of steps.slice(0, afterMs === 0 ? -1 : -3))
      await cutInVm(bench, [disk], JOB, { at: new RegExp(`s (started|skipped) ${step}\\b`), afterMs });
    const outcome = await installInVm(bench, [disk], JOB);
    expect(outcome.failure).toBeNull();
    expect(outcome.wentOnAt).not.toBeNull();
    expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
    machine = await Installed.start([disk], 'bios');
    expect(await machine.run('blkid -s UUID -o value $(findmnt -no SOURCE /)')).toBe(outcome.uuids.root_a);
    expect(await machine.failedUnits()).toBe('');
  },
  CHAIN_MS,
);
