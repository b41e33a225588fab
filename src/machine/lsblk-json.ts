/**
 * Reads what `lsblk -J` printed, of any util-linux since 2.33: values as strings or as numbers and booleans,
 * bytes that are not UTF-8, control characters and `\x` escapes that JSON forbids.
 */

import { isRecord } from '#model/json.ts';
import { jsonFault } from './json-fault.ts';

/** A file that cannot be used. The message says what is wrong and the way out. */
export class CaptureError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CaptureError';
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

const hex2 = (byte: number): string => byte.toString(16).padStart(2, '0');

/** Length of the valid UTF-8 sequence at `at`, 0 when there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length === 0 || first > 0xf4) return 0;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(at, at + length));
    return at + length <= bytes.length ? length : 0;
  } catch {
    return 0;
  }
}

/** UTF-8 with every stray byte spelled `\\xNN`, which stays two different texts for two different serials. */
function decodeStrayBytes(bytes: Uint8Array): string {
  const decoder = new TextDecoder();
  let text = '';
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    text += `${decoder.decode(bytes.subarray(from, at))}\\\\x${hex2(bytes[at] ?? 0)}`;
    at += 1;
    from = at;
  }
  return text + decoder.decode(bytes.subarray(from));
}

/** Bytes of a JSON file as text. Takes UTF-8 with or without a mark, UTF-16 with one, and stray bytes inside strings. */
export function decodeJsonText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return decodeStrayBytes(bytes);
  }
}

/** Inside strings: raw control characters become `\u00NN`, escapes that JSON does not know keep their backslash. */
function repairStrings(text: string): string {
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"/g, (string) =>
    string
      .replace(/[\u0000-\u001f]/g, (c) => `\\u00${hex2(c.charCodeAt(0))}`)
      .replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\/g, (seq) => (seq === '\\' ? '\\\\' : seq)),
  );
}

/** What a JSON text holds, also one that lsblk wrote badly. Throws SyntaxError when it cannot be read even so. */
export function parseLooseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return JSON.parse(repairStrings(text));
  }
}

/** The rows of an lsblk listing, as trees. Throws CaptureError for anything else. */
export function parseLsblk(bytes: Uint8Array): { readonly text: string; readonly rows: readonly JsonObject[] } {
  const text = decodeJsonText(bytes);
  let value: unknown;
  try {
    value = parseLooseJson(text);
  } catch {
    throw new CaptureError(`not JSON: ${jsonFault(text)}. Make the listing with: lsblk -J -b -O > FILE`);
  }
  const rows = isRecord(value) ? value['blockdevices'] : undefined;
  if (!Array.isArray(rows)) {
    throw new CaptureError('no "blockdevices" list, so this is not what lsblk -J prints. Make the listing with: lsblk -J -b -O > FILE');
  }
  const odd = rows.findIndex((row) => !isRecord(row));
  if (odd >= 0)
    throw new CaptureError(
      `the listing is damaged: entry ${odd + 1} of "blockdevices" is no device. Make the listing with: lsblk -J -b -O > FILE`,
    );
  return { text, rows };
}

/** Columns of `wanted` that no row has: the listing was made without them. */
export function missingColumns(rows: readonly JsonObject[], wanted: readonly string[]): string[] {
  return wanted.filter((column) => !rows.some((row) => column in row));
}

/** Text of a column; blanks at the ends dropped, empty is null. */
export function textOf(row: JsonObject, column: string): string | null {
  const value = row[column];
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value).trim();
  return text === '' ? null : text;
}

/** Whole number of a column, null when absent or not one. */
export function numberOf(row: JsonObject, column: string): number | null {
  const text = textOf(row, column);
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
}

/** true/false, 1/0, "1"/"0", "true"/"false"; null when absent. */
export function flagOf(row: JsonObject, column: string): boolean | null {
  const value = row[column];
  if (typeof value === 'boolean') return value;
  const text = textOf(row, column);
  return text === '1' || text === 'true' ? true : text === '0' || text === 'false' ? false : null;
}

/** Text entries of a list column, nulls dropped; one text counts as a list of one. */
export function listOf(row: JsonObject, column: string): string[] {
  const value = row[column];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((v): v is string => typeof v === 'string' && v !== '');
}
