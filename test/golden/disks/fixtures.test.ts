/** Every shared lsblk fixture gives the verdict that its expected.json states. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { machineFromLsblk } from '#machine/from-lsblk.ts';
import type { DiskVerdict, Firmware } from '#model/machine.ts';
import { disksAsJson } from '#rules/disk-report.ts';
import { judgeDisks } from '#rules/disks.ts';

interface Expected {
  firmware: Firmware;
  offered: string[];
  refused?: Record<string, string[]>;
  hidden_any?: string[];
  either?: string[];
  warn_any?: string[];
  also?: Expected;
}

const shared = process.env['SPATIUM_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared');

const listingOf = (dir: string, name: string): string => {
  const nested = path.join(dir, name, 'lsblk.json');
  return fs.existsSync(nested) ? nested : path.join(dir, `${name}.lsblk.json`);
};

function check(verdicts: readonly DiskVerdict[], want: Expected): void {
  const offered = verdicts.filter((v) => v.selectable && !want.either?.includes(v.kname)).map((v) => v.kname);
  expect(offered.sort()).toEqual([...want.offered].sort());
  for (const [kname, words] of Object.entries(want.refused ?? {})) {
    const text = JSON.stringify(verdicts.find((v) => v.kname === kname)?.reasons ?? []).toLowerCase();
    expect(
      words.some((w) => text.includes(w)),
      `${kname}: ${text}`,
    ).toBe(true);
  }
  for (const kname of want.hidden_any ?? []) expect(verdicts.map((v) => v.kname)).not.toContain(kname);
  if (want.warn_any) expect(want.warn_any.some((w) => disksAsJson(verdicts).toLowerCase().includes(w))).toBe(true);
}

for (const group of ['disks', 'machines']) {
  const dir = path.join(shared, 'fixtures', group);
  const file = path.join(dir, 'expected.json');
  const expected: Record<string, Expected> = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  describe.skipIf(Object.keys(expected).length === 0)(`shared fixtures: ${group}`, () => {
    it.each(Object.keys(expected))('%s', (name) => {
      const bytes = fs.readFileSync(listingOf(dir, name));
      for (const want of [expected[name] as Expected, expected[name]?.also].filter((w) => w !== undefined))
        check(judgeDisks(machineFromLsblk(bytes, { firmware: want.firmware })), want);
    });
  });
}
