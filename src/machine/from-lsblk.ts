/** A machine from nothing but an `lsblk -J -b` listing. */
import type { Firmware, Machine } from '#model/machine.ts';
import { unknownMachine } from '#model/unknown-machine.ts';
import { devicesFault } from './capture-faults.ts';
import { faultIn } from './capture-shape.ts';
import { devicesFromRows, liveMediumOf, tellsUse } from './devices.ts';
import { allRows, listingFault } from './lsblk-faults.ts';
import { CaptureError, flagOf, type JsonObject, missingColumns, parseLsblk } from './lsblk-json.ts';
import { boundedText } from './raw.ts';

export interface ImportOptions {
  readonly firmware: Firmware;
  /** As `uname -m` prints it. Default x86_64, the only one that has a BIOS. */
  readonly architecture?: string;
}

/** Columns whose absence hides something that a disk may be refused or asked about for, and what that is. */
const TELLING: Readonly<Record<string, string>> = {
  fstype: 'what is on the disks, stopped RAID arrays included',
  serial: 'serial numbers',
  wwn: 'WWNs',
  'log-sec': 'sector sizes',
  mountpoints: 'which disks are in use',
  ro: 'which disks are read-only',
};

/** What the listing cannot tell, in words; null when it has every column that matters. */
function gapsIn(rows: readonly JsonObject[]): string | null {
  const all = allRows(rows);
  const isMissing = (column: string): boolean => {
    // These two are asked of every device: for one without them, no default would be safe.
    if (column === 'mountpoints') return !all.every(tellsUse);
    if (column === 'ro') return all.some((row) => flagOf(row, 'ro') === null);
    return missingColumns(rows, [column]).length > 0;
  };
  const missing = Object.keys(TELLING).filter(isMissing);
  if (rows.length === 0 || missing.length === 0) return null;
  const unknown = missing.map((column) => TELLING[column]).join('; ');
  return `the listing has no ${missing.map((c) => c.toUpperCase()).join(', ')}, so these stay unknown: ${unknown}. lsblk -J -b -O records them`;
}

/** The gaps of a listing as bytes; throws CaptureError as `machineFromLsblk` does. */
export const listingGaps = (bytes: Uint8Array): string | null => gapsIn(parseLsblk(bytes).rows);

function refuse(fault: string | null): void {
  if (fault !== null) throw new CaptureError(`${fault}. Make the listing with: lsblk -J -b -O > FILE`);
}

/** Everything the listing does not say stays null, so that no rule concludes from it. Throws CaptureError. */
export function machineFromLsblk(bytes: Uint8Array, options: ImportOptions): Machine {
  const { text, rows } = parseLsblk(bytes);
  refuse(listingFault(rows));
  const devices = devicesFromRows(rows);
  const machine = unknownMachine({
    source: 'lsblk',
    firmware: options.firmware,
    architecture: options.architecture ?? 'x86_64',
    devices,
    liveMedium: liveMediumOf(devices),
    ...(missingColumns(rows, ['fstype']).length > 0 ? { contentsRecorded: false } : {}),
    raw: { lsblk: boundedText(text) },
  });
  // What is made here is read again later, so it has to pass the same checks.
  refuse(faultIn(machine) ?? devicesFault(devices));
  return machine;
}
