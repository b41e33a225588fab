/** Machine captures as files: written as JSON, read back with every field checked. Shape: schemas/machine.schema.json. */
import type { Machine } from '#model/machine.ts';
import { CaptureError, isObject, type JsonObject, parseJson } from './lsblk-json.ts';

export { CaptureError } from './lsblk-json.ts';

const WAY_OUT = 'Record one with `spatium machine capture -o FILE`, or make one with `spatium machine import --lsblk FILE`';

type Check = (value: unknown) => boolean;

const isText: Check = (v) => typeof v === 'string';
const isFlag: Check = (v) => typeof v === 'boolean';
const isCount: Check = (v) => typeof v === 'number' && Number.isInteger(v) && v >= 0;
const orNull =
  (check: Check): Check =>
  (v) =>
    v === null || check(v);
const optional =
  (check: Check): Check =>
  (v) =>
    v === undefined || check(v);
const listOf =
  (check: Check): Check =>
  (v) =>
    Array.isArray(v) && v.every(check);
const oneOf =
  (...words: readonly string[]): Check =>
  (v) =>
    typeof v === 'string' && words.includes(v);

type Shape = Readonly<Record<string, readonly [check: Check, what: string]>>;

const TEXT = [isText, 'text'] as const;
const TEXT_OR_NULL = [orNull(isText), 'text or null'] as const;
const COUNT = [isCount, 'a whole number'] as const;
const COUNT_OR_NULL = [orNull(isCount), 'a whole number or null'] as const;
const FLAG = [isFlag, 'true or false'] as const;
const TEXTS = [listOf(isText), 'a list of text'] as const;

const DEVICE: Shape = {
  kname: TEXT,
  path: TEXT,
  type: TEXT,
  parents: TEXTS,
  children: TEXTS,
  sizeBytes: COUNT,
  logicalSectorBytes: COUNT_OR_NULL,
  physicalSectorBytes: COUNT_OR_NULL,
  removable: FLAG,
  readOnly: FLAG,
  rotational: [orNull(isFlag), 'true, false or null'],
  transport: TEXT_OR_NULL,
  vendor: TEXT_OR_NULL,
  model: TEXT_OR_NULL,
  serial: TEXT_OR_NULL,
  wwn: TEXT_OR_NULL,
  partitionTable: TEXT_OR_NULL,
  partitionTableUuid: TEXT_OR_NULL,
  partNumber: COUNT_OR_NULL,
  partLabel: TEXT_OR_NULL,
  partType: TEXT_OR_NULL,
  partUuid: TEXT_OR_NULL,
  fsType: TEXT_OR_NULL,
  fsVersion: TEXT_OR_NULL,
  fsLabel: TEXT_OR_NULL,
  fsUuid: TEXT_OR_NULL,
  mountpoints: TEXTS,
  links: TEXTS,
  dmUuid: TEXT_OR_NULL,
  mdName: TEXT_OR_NULL,
  mdMetadata: TEXT_OR_NULL,
  state: [optional(orNull(isText)), 'text or null'],
  zoned: [optional(orNull(isText)), 'text or null'],
};

const INTERFACE: Shape = {
  name: TEXT,
  mac: TEXT_OR_NULL,
  driver: TEXT_OR_NULL,
  linkUp: [orNull(isFlag), 'true, false or null'],
  speedMbps: COUNT_OR_NULL,
  mtu: COUNT_OR_NULL,
  addresses: TEXTS,
  gateway4: TEXT_OR_NULL,
};

const PRODUCT: Shape = { vendor: TEXT_OR_NULL, name: TEXT_OR_NULL, serial: TEXT_OR_NULL, uuid: TEXT_OR_NULL };
const SLOT: Shape = { slot: [oneOf('A', 'B'), '"A" or "B"'], version: TEXT_OR_NULL };
const INSTALLED: Shape = { disk: TEXT, slots: [Array.isArray, 'a list'], lastBootAt: TEXT_OR_NULL };

const MACHINE: Shape = {
  source: [oneOf('probe', 'lsblk'), '"probe" or "lsblk"'],
  capturedAt: TEXT_OR_NULL,
  firmware: [oneOf('uefi', 'bios'), '"uefi" or "bios"'],
  architecture: TEXT,
  product: [orNull(isObject), 'an object or null'],
  cpuCount: COUNT_OR_NULL,
  memoryBytes: COUNT_OR_NULL,
  devices: [Array.isArray, 'a list'],
  interfaces: [orNull(Array.isArray), 'a list or null'],
  resolvers: TEXTS,
  liveMedium: TEXTS,
  installed: [optional(Array.isArray), 'a list'],
  accounts: [orNull(listOf(isText)), 'a list of text or null'],
  raw: [(v) => isObject(v) && Object.values(v).every(isText), 'an object of text'],
};

function checkShape(value: unknown, shape: Shape, at: string): void {
  if (!isObject(value)) throw new CaptureError(`${at} is not an object, so this is no machine capture. ${WAY_OUT}`);
  for (const [key, [check, what]] of Object.entries(shape)) {
    if (!check(value[key])) throw new CaptureError(`${at === '' ? '' : `${at}.`}${key} should be ${what}. ${WAY_OUT}`);
  }
}

const each = (value: unknown, shape: Shape, at: string): void => {
  if (Array.isArray(value)) for (const [i, entry] of value.entries()) checkShape(entry, shape, `${at}[${i}]`);
};

/** Edges must lead to devices of this capture, or the graph would have holes. */
function checkEdges(machine: Machine): void {
  const known = new Set(machine.devices.map((d) => d.kname));
  if (known.size !== machine.devices.length) throw new CaptureError(`two devices have the same kname. ${WAY_OUT}`);
  for (const device of machine.devices)
    for (const name of [...device.parents, ...device.children])
      if (!known.has(name)) throw new CaptureError(`${device.kname} refers to ${name}, which is not in the capture. ${WAY_OUT}`);
}

function checkVersion(value: JsonObject): void {
  if (Array.isArray(value['blockdevices']))
    throw new CaptureError('this is an lsblk listing, not a capture. Turn it into one: spatium machine import --lsblk FILE -o CAPTURE');
  if (value['schema'] === undefined) throw new CaptureError(`no "schema" field, so this is no machine capture. ${WAY_OUT}`);
  if (value['schema'] !== 1)
    throw new CaptureError(
      `capture format ${JSON.stringify(value['schema'])} is not known to this program, which reads format 1. ${WAY_OUT}`,
    );
}

/** Reads a capture. Throws CaptureError naming the field at fault and the way out; unknown fields are skipped. */
export function readCapture(text: string): Machine {
  let value: unknown;
  try {
    value = parseJson(text.replace(/^\ufeff/, ''));
  } catch (error) {
    const why = text.trim() === '' ? 'the file is empty' : error instanceof Error ? error.message : String(error);
    throw new CaptureError(`not JSON (${why}). ${WAY_OUT}`);
  }
  if (!isObject(value)) throw new CaptureError(`a machine capture is a JSON object. ${WAY_OUT}`);
  checkVersion(value);
  checkShape(value, MACHINE, '');
  each(value['devices'], DEVICE, 'devices');
  each(value['interfaces'], INTERFACE, 'interfaces');
  each(value['installed'], INSTALLED, 'installed');
  if (Array.isArray(value['installed']))
    for (const [i, entry] of value['installed'].entries()) each((entry as JsonObject)['slots'], SLOT, `installed[${i}].slots`);
  if (value['product'] !== null) checkShape(value['product'], PRODUCT, 'product');
  const machine = value as unknown as Machine;
  checkEdges(machine);
  return machine;
}

/** The text of a capture file. */
export const writeCapture = (machine: Machine): string => `${JSON.stringify(machine, null, 1)}\n`;
