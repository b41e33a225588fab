/** What SMBIOS says about this machine: the serial number, OEM strings, the machine's UUID. See docs/decisions/0013-identity.md. */
import path from 'node:path';
import { errnoOf, isMissing, listNames, readBytes } from '#system/files.ts';
import { judgeSerial, type Reading, type TokenVerdict } from './token.ts';

const ID_DIR = '/sys/class/dmi/id';
/** Type 11; where a hypervisor cannot set the serial number, it can set these. */
const ENTRIES_DIR = '/sys/firmware/dmi/entries';
const OEM_ENTRY = /^11-\d+$/;
/** sysfs ends values at 4095 bytes. */
const MAX_BYTES = 4096;
const MAX_TABLE_BYTES = 65_536;

async function readingOf(file: string): Promise<Reading> {
  try {
    return { kind: 'text', text: Buffer.from(await readBytes(file, MAX_BYTES)).toString('utf8') };
  } catch (error) {
    // Libraries make an empty serial of this, and nobody learns why.
    if (['EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return { kind: 'denied' };
    if (isMissing(error)) return { kind: 'absent' };
    throw error;
  }
}

/** Strings of a structure: after its formatted part, each ended by a NUL, the last by two. */
function stringsOf(table: Uint8Array): string[] {
  const length = table[1] ?? 0;
  return Buffer.from(table.subarray(length)).toString('latin1').split('\0').filter(Boolean);
}

async function oemStrings(root: string): Promise<string[]> {
  const dir = path.join(root, ENTRIES_DIR);
  const names = (await listNames(dir).catch(() => [])).filter((name) => OEM_ENTRY.test(name));
  const tables = await Promise.all(names.map((name) => readBytes(path.join(dir, name, 'raw'), MAX_TABLE_BYTES).catch(() => null)));
  return tables.flatMap((table) => (table === null ? [] : stringsOf(table)));
}

/** The token of the serial number, else of an OEM string; else what is wrong with the serial number. `root` is `/` but in tests. */
export async function readToken(root: string): Promise<TokenVerdict> {
  const serial = judgeSerial(await readingOf(path.join(root, ID_DIR, 'product_serial')));
  if (serial.kind === 'ok') return serial;
  const found = (await oemStrings(root)).map((text) => judgeSerial({ kind: 'text', text })).find((v) => v.kind === 'ok');
  return found ?? serial;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The machine's UUID in lower case; null when there is none, or none that names a machine. */
export async function readProductUuid(root: string): Promise<string | null> {
  const reading = await readingOf(path.join(root, ID_DIR, 'product_uuid'));
  const text = reading.kind === 'text' ? reading.text.trim().toLowerCase() : '';
  return UUID.test(text) && !/^[0f-]+$/.test(text) ? text : null;
}

/** The first three fields byte by byte reversed: firmware and tools disagree about their order (SMBIOS 2.6). */
const swapped = (uuid: string): string => {
  const reverse = (hex: string): string => (hex.match(/../g) ?? []).reverse().join('');
  const [a = '', b = '', c = '', ...rest] = uuid.split('-');
  return [reverse(a), reverse(b), reverse(c), ...rest].join('-');
};

/** False only when both are known and differ: what cannot be read proves no clone. */
export const isSameMachine = (stored: string | null, now: string | null): boolean =>
  stored === null || now === null || stored === now || stored === swapped(now);
