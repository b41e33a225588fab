/**
 * Odd hardware, written down by hand from what kernels and tools show: each file of `odd/` holds machines and what has to be said of
 * their disks. A machine is read in every shape that lsblk has printed it in; the verdict may not depend on that.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { machineFromLsblk } from '#machine/from-lsblk.ts';
import type { DiskVerdict, Firmware } from '#model/machine.ts';
import { disksAsJson, disksAsText } from '#rules/disk-report.ts';
import { judgeDisks } from '#rules/disks.ts';
import { lsblkText, type OddDevice, SHAPES } from '../../support/lsblk-shapes.ts';

interface Want {
  offered?: string[];
  /** Kernel name → every code it is refused for, no more; `*`: refused, whatever for. */
  refused?: Record<string, string[]>;
  /** Never in the list. */
  hidden?: string[];
  /** In the list or not, but never to be chosen. */
  never?: string[];
  warned?: Record<string, string[]>;
  quiet?: Record<string, string[]>;
  /** No byte of a device's text reaches the terminal as a control character. */
  raw?: boolean;
}
interface OddCase {
  firmware: Firmware;
  have: Record<string, OddDevice>;
  /** Columns without which nobody can know. */
  needs?: string[];
  want: Want;
}

const dir = path.join(import.meta.dirname, 'odd');
const codes = (v: DiskVerdict | undefined): string[] => (v?.reasons ?? []).map((r) => r.code).sort();
const warnings = (v: DiskVerdict | undefined): string[] => (v?.warnings ?? []).map((r) => r.code);

function check(verdicts: readonly DiskVerdict[], want: Want): void {
  const by = new Map(verdicts.map((v) => [v.kname, v]));
  const offered = verdicts.filter((v) => v.selectable).map((v) => v.kname);
  expect(offered.sort(), 'offered').toEqual([...(want.offered ?? [])].sort());
  for (const [kname, expected] of Object.entries(want.refused ?? {})) {
    expect(by.has(kname), `${kname} is listed`).toBe(true);
    if (!expected.includes('*')) expect(codes(by.get(kname)), `${kname} refused`).toEqual([...expected].sort());
  }
  for (const kname of want.hidden ?? []) expect(by.has(kname), `${kname} is not listed`).toBe(false);
  for (const [kname, expected] of Object.entries(want.warned ?? {}))
    expect(warnings(by.get(kname)), `${kname} warned`).toEqual(expect.arrayContaining(expected));
  for (const [kname, unwanted] of Object.entries(want.quiet ?? {}))
    for (const code of unwanted) expect(warnings(by.get(kname)), `${kname} quiet`).not.toContain(code);
}

const everything = fs
  .readdirSync(dir)
  .map((file) => [file, parse(fs.readFileSync(path.join(dir, file), 'utf8')) as Record<string, OddCase>] as const);

describe.each(everything)('%s', (_file, cases) => {
  describe.each(Object.entries(cases))('%s', (_name, odd) => {
    const fit = SHAPES.filter((s) => (odd.needs ?? []).every((n) => s.columns.includes(n)));
    it.each(fit.filter((s) => s.layout === 'tree'))('lsblk $name', (shape) => {
      const machine = machineFromLsblk(Buffer.from(lsblkText(odd.have, shape)), { firmware: odd.firmware });
      const verdicts = judgeDisks(machine);
      check(verdicts, odd.want);
      if (odd.want.raw)
        expect(disksAsText(machine, verdicts)).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]/);
    });
    it.each(fit.filter((s) => s.layout !== 'tree'))('lsblk $name offers nothing more', (shape) => {
      let verdicts: readonly DiskVerdict[];
      try {
        verdicts = judgeDisks(machineFromLsblk(Buffer.from(lsblkText(odd.have, shape)), { firmware: odd.firmware }));
      } catch (e) {
        expect(String(e)).toMatch(/lsblk/);
        return;
      }
      const offered = verdicts.filter((v) => v.selectable).map((v) => v.kname);
      expect(
        offered.filter((k) => !odd.want.offered?.includes(k)),
        disksAsJson(verdicts),
      ).toEqual([]);
    });
  });
});
