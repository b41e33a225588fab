/** What an lsblk listing must keep to before it is made into a machine: nothing that it says may be dropped unread. */
import { isRecord } from '#model/json.ts';
import type { JsonObject } from './lsblk-json.ts';

const isWholeNumber = (v: unknown): boolean => (typeof v === 'number' || typeof v === 'string') && /^\s*\d*\s*$/.test(String(v));
const isFlag = (v: unknown): boolean => typeof v === 'boolean' || [0, 1, '', '0', '1', 'true', 'false'].includes(v as string | number);
const isText = (v: unknown): boolean => typeof v === 'string' || typeof v === 'number';
const isMountList = (v: unknown): boolean =>
  typeof v === 'string' || (Array.isArray(v) && v.every((e) => e === null || typeof e === 'string'));

interface Kind {
  readonly what: string;
  readonly fits: (value: unknown) => boolean;
  readonly columns: readonly string[];
}

/** Only columns that are read; of any other, nothing depends on what it holds. Null is always allowed: it means none. */
const KINDS: readonly Kind[] = [
  { what: 'a whole number', fits: isWholeNumber, columns: ['log-sec', 'phy-sec', 'partn'] },
  { what: 'true or false', fits: isFlag, columns: ['ro', 'rm', 'rota'] },
  { what: 'text', fits: (v) => typeof v === 'string', columns: ['name', 'kname', 'path', 'pkname', 'type', 'mountpoint'] },
  { what: 'a list of text', fits: isMountList, columns: ['mountpoints'] },
  { what: 'a list of devices', fits: (v) => Array.isArray(v) && v.every(isRecord), columns: ['children'] },
  { what: 'text or a number', fits: isText, columns: ['size', 'maj:min', 'tran', 'vendor', 'model', 'serial', 'wwn', 'state', 'zoned'] },
  { what: 'text or a number', fits: isText, columns: ['pttype', 'ptuuid', 'partlabel', 'parttype', 'partuuid', 'id-link'] },
  { what: 'text or a number', fits: isText, columns: ['fstype', 'fsver', 'label', 'uuid'] },
];

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}

const nameOf = (row: JsonObject): string => {
  const name = [row['kname'], row['name']].find((n) => typeof n === 'string');
  return name === undefined ? 'a device without NAME and KNAME' : String(name).slice(0, 60);
};

function rowFault(row: JsonObject): string | null {
  for (const { what, fits, columns } of KINDS) {
    const column = columns.find((c) => row[c] !== undefined && row[c] !== null && !fits(row[c]));
    if (column !== undefined)
      return `the listing is damaged: ${column.toUpperCase()} of ${nameOf(row)} should be ${what}, not ${shown(row[column])}`;
  }
  return typeof row['type'] === 'string' && row['type'].trim() !== '' ? null : `${nameOf(row)} has no TYPE`;
}

/** Every row of the trees. Children that are no rows are left out: the fault of their parent names them. */
export function allRows(rows: readonly JsonObject[]): JsonObject[] {
  const all: JsonObject[] = [];
  const queue = [...rows].reverse();
  for (let row = queue.pop(); row !== undefined; row = queue.pop()) {
    all.push(row);
    const children = row['children'];
    if (Array.isArray(children)) for (const child of children.filter(isRecord).reverse()) queue.push(child);
  }
  return all;
}

/** What stands on one device at most, so that PKNAME alone tells all of its parents. */
const ONE_PARENT = /^(?:part|loop|rom)$/;

const text = (row: JsonObject, column: string): string => (typeof row[column] === 'string' ? String(row[column]).trim() : '');

/** Listings whose form hides what stands on what: merged (-M) and flat (-l) ones name one parent of several, -s turns all upside down. */
function formFault(rows: readonly JsonObject[], all: readonly JsonObject[]): string | null {
  const lost = rows.find((row) => text(row, 'pkname') !== '' && !ONE_PARENT.test(text(row, 'type')));
  if (lost !== undefined) return `the listing was made with -l or -M, which tells one disk below ${nameOf(lost)} and leaves out the others`;
  const inverse = all.find((row) => {
    const children = row['children'];
    const isOn = (child: unknown): boolean =>
      isRecord(child) && text(child, 'type') === 'disk' && text(row, 'name').startsWith(text(child, 'name'));
    return text(row, 'type') === 'part' && Array.isArray(children) && children.some(isOn);
  });
  return inverse === undefined ? null : `the listing was made with -s: it shows the disk of ${nameOf(inverse)} as standing on it`;
}

/** The first fault, naming device and column; null for a listing that can be read whole. */
export function listingFault(rows: readonly JsonObject[]): string | null {
  const all = allRows(rows);
  if (all.length > 0 && !all.some((row) => 'type' in row)) return 'the listing has no TYPE column, which tells disks from everything else';
  for (const row of all) {
    const fault = rowFault(row);
    if (fault !== null) return fault;
  }
  return formFault(rows, all);
}
