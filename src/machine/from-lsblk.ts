/** A machine from nothing but an `lsblk -J -b` listing. */
import type { Firmware, Machine } from '#model/machine.ts';
import { devicesFromRows, liveMediumOf } from './devices.ts';
import { parseLsblk } from './lsblk-json.ts';
import { boundedText } from './raw.ts';

export interface ImportOptions {
  readonly firmware: Firmware;
  /** As `uname -m` prints it. Default x86_64, the only one that has a BIOS. */
  readonly architecture?: string;
}

/** Everything the listing does not say stays null, so that no rule concludes from it. Throws CaptureError. */
export function machineFromLsblk(bytes: Uint8Array, options: ImportOptions): Machine {
  const { text, rows } = parseLsblk(bytes);
  const devices = devicesFromRows(rows);
  return {
    schema: 1,
    source: 'lsblk',
    capturedAt: null,
    firmware: options.firmware,
    architecture: options.architecture ?? 'x86_64',
    product: null,
    cpuCount: null,
    memoryBytes: null,
    devices,
    interfaces: null,
    resolvers: [],
    liveMedium: liveMediumOf(devices),
    accounts: null,
    raw: { lsblk: boundedText(text) },
  };
}
