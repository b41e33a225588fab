/** Words about devices. Text that a device or a file system supplied goes through `plain` before anyone sees it. */
import type { BlockDevice } from '#model/machine.ts';

/** Printable ASCII stays; every other character is spelled `\xNN` or `\uNNNN`, so that no terminal obeys it. */
export function plain(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, (c) => {
    const code = c.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** `40 GiB`, `931.5 GiB`, `512 bytes`: binary units, one decimal unless it is whole. */
export function roundSize(sizeBytes: number): string {
  let value = sizeBytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = value.toFixed(1);
  return `${digits.endsWith('.0') ? digits.slice(0, -2) : digits} ${UNITS[unit]}`;
}

/** `42949672960 bytes (40 GiB)`. */
export const exactSize = (sizeBytes: number): string => `${sizeBytes} bytes (${roundSize(sizeBytes)})`;

/** `a`, `a and b`, `a, b and c`; past `limit` the rest is counted. */
export const listWords = (words: readonly string[], limit = 4): string => listOf(words, (word) => word, limit);

/** The same for things that have a name; only those that are shown are asked for it. */
function listOf<T>(things: readonly T[], nameOf: (thing: T) => string, limit = 4): string {
  const isLong = things.length > limit;
  const shown = things.slice(0, isLong ? limit - 1 : limit).map(nameOf);
  if (isLong) shown.push(`${things.length - limit + 1} more`);
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}

/** A device's path, fit for a screen: a capture may hold anything. */
export const pathOf = (device: BlockDevice): string => plain(device.path);

/** Paths of devices as `listWords` lists words. */
export const listPaths = (devices: readonly BlockDevice[]): string => listOf(devices, pathOf);
