/** What a disk and a power line do to an installation: errors in writing and reading, and a cut in the middle of the copy. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, cutInVm, installInVm, makeBench } from './bench-vm.ts';
import { makeDiskFile, type VmDisk, WWN_PATHS } from './disks.ts';
import { Installed } from './installed.ts';

/** Half of it is left to `npm run test:vm-storage`. */
const isLong = Boolean(process.env['SPATIUM_VM_STORAGE']);
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

/** First sectors of partitions of the specified table, in units of 512 bytes. */
const ROOT_A = 1_576_960;
const MIB = 2048;
/** Where the copy of some hundred MiB passes for certain: every eighth MiB of slot A's second to fifth 100 MiB. */
const IN_THE_COPY = Array.from({ length: 50 }, (_, i) => ROOT_A + (100 + 8 * i) * MIB);

const KINDS: readonly (readonly ['write' | 'read', RegExp, RegExp])[] = [
  ['write', /copy-system|clone-slot/, /input\/output error|i\/o error/i],
  ['read', /clone-slot/, /reading \/dev\/sda4 at byte \d+: .*i\/o error/i],
];

describe('a disk with bad sectors', () => {
  it.each(isLong ? KINDS : KINDS.slice(0, 1))(
    'that fail to %s: the run ends there, in plain words, and claims nothing',
    async (kind, step, cause) => {
      const disk: VmDisk = {
        file: makeDiskFile(bench.dir, `bad-${kind}`, 40, 'raw'),
        format: 'raw',
        serial: 'BAD-SECTORS',
        faults: { kind, sectors: IN_THE_COPY },
      };
      const outcome = await installInVm(bench, [disk], { disks: [WWN_PATHS[0]] });
      expect(outcome.ok).toBe(false);
      expect(outcome.failure?.id).toMatch(step);
      expect(outcome.failure?.nothingWritten).toBe(false);
      expect(outcome.failure?.message).toMatch(cause);
      expect(outcome.failure?.message).toContain('failing');
      expect(outcome.checks).toEqual([]);
    },
  );
});

describe.runIf(isLong)('a power cut in the middle of the copy', () => {
  it('is found at the next start, gone on with, and ends in a system that starts', async () => {
    const disk: VmDisk = { file: makeDiskFile(bench.dir, 'cut', 40, 'raw'), format: 'raw', serial: 'POWER-CUT' };
    await cutInVm(bench, [disk], { disks: [WWN_PATHS[0]] }, { at: /started copy-system/, afterMs: 8000 });
    const outcome = await installInVm(bench, [disk], { disks: [WWN_PATHS[0]], goOn: true });
    expect(outcome.wentOnAt).toBe('Copy the system');
    expect(outcome.failure).toBeNull();
    expect(outcome.checks.filter((c) => !c.ok)).toEqual([]);
    machine = await Installed.start([disk], 'uefi');
    expect(await machine.run('blkid -s UUID -o value $(findmnt -no SOURCE /)')).toBe(outcome.uuids.root_a);
    expect(await machine.failedUnits()).toBe('');
  });
});
