/** What `spatium machine disks` prints: the same words as the picker. */
import type { DiskVerdict, Machine } from '#model/machine.ts';
import { describeDisk } from './disk-passport.ts';

/** The published JSON form. */
export function disksAsJson(verdicts: readonly DiskVerdict[]): string {
  const disks = verdicts.map(({ kname, path, sizeBytes, selectable, reasons, warnings }) => ({
    kname,
    path,
    sizeBytes,
    selectable,
    reasons,
    warnings,
  }));
  return `${JSON.stringify({ disks }, null, 2)}\n`;
}

function diskText(machine: Machine, verdict: DiskVerdict): string[] {
  const passport = describeDisk(machine, verdict.kname);
  const serial = passport.facts.find((f) => f.label === 'Serial')?.value;
  const head = [passport.path, passport.sizeText, passport.title, ...(serial === undefined ? [] : [`serial ${serial}`])].join('  ');
  const table = ['none', 'not recorded'].includes(passport.contents.table) ? '' : `${passport.contents.table}: `;
  return [
    `${verdict.selectable ? '[ ok ]' : '[ no ]'} ${head}`,
    `       holds    ${passport.contents.blank ? 'nothing' : table + passport.contents.summary}`,
    `       name     ${passport.byId ?? passport.byPath ?? `${passport.path} (not stable)`}`,
    ...verdict.reasons.map((r) => `       refused  ${r.text} [${r.code}]`),
    ...verdict.warnings.map((w) => `       warning  ${w.text} [${w.code}]`),
  ];
}

/** For people: one block a disk, refused ones too. */
export function disksAsText(machine: Machine, verdicts: readonly DiskVerdict[]): string {
  if (verdicts.length === 0)
    return 'No disk found. Check that the controller is enabled in the firmware (for Intel RST/VMD: switch it to AHCI).\n';
  const usable = verdicts.filter((v) => v.selectable).length;
  const lines = verdicts.flatMap((v) => [...diskText(machine, v), '']);
  const count = verdicts.length === 1 ? `${usable} of 1 disk` : `${usable} of ${verdicts.length} disks`;
  return `Firmware ${machine.firmware}. ${count} may be installed on.\n\n${lines.join('\n')}`;
}
