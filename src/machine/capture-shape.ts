/**
 * The shape of a machine capture, once: it checks what is read, and schemas/machine.schema.json is made from it.
 * `satisfies` ties the keys to the types of src/model/machine.ts, so that neither can drift.
 */
import { isRecord } from '#model/json.ts';
import type { BlockDevice, InstalledSlot, InstalledSystem, Machine, NetInterface, NvmePath } from '#model/machine.ts';
import type { JsonObject } from './lsblk-json.ts';

interface Field {
  /** What the value should be, for the message. */
  readonly what: string;
  check(value: unknown): boolean;
  readonly schema: JsonObject;
  readonly optional?: boolean;
  /** Set for objects and lists of objects, which are checked field by field. */
  readonly shape?: Shape;
}
export type Shape = Readonly<Record<string, Field>>;
type ShapeOf<T> = Readonly<Record<keyof Required<T>, Field>>;

const text: Field = { what: 'text', check: (v) => typeof v === 'string', schema: { type: 'string' } };
const flag: Field = { what: 'true or false', check: (v) => typeof v === 'boolean', schema: { type: 'boolean' } };
const count: Field = {
  what: 'a whole number',
  check: (v) => typeof v === 'number' && Number.isSafeInteger(v) && v >= 0,
  schema: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
};

const oneOf = (...words: readonly string[]): Field => ({
  what: words.map((w) => `"${w}"`).join(' or '),
  check: (v) => typeof v === 'string' && words.includes(v),
  schema: { enum: words },
});

const orNull = (field: Field): Field => ({
  ...field,
  what: `${field.what} or null`,
  check: (v) => v === null || field.check(v),
  schema: { anyOf: [field.schema, { type: 'null' }] },
});

const optional = (field: Field): Field => ({ ...field, optional: true });

const texts: Field = {
  what: 'a list of text',
  check: (v) => Array.isArray(v) && v.every((e) => typeof e === 'string'),
  schema: { type: 'array', items: { type: 'string' } },
};

const object = (shape: Shape): Field => ({ what: 'an object', check: isRecord, schema: schemaOf(shape), shape });
const listOf = (shape: Shape): Field => ({
  what: 'a list',
  check: Array.isArray,
  schema: { type: 'array', items: schemaOf(shape) },
  shape,
});

const rawTexts: Field = {
  what: 'an object of text',
  check: (v) => isRecord(v) && Object.values(v).every((e) => typeof e === 'string'),
  schema: { type: 'object', additionalProperties: { type: 'string' } },
};

function schemaOf(shape: Shape): JsonObject {
  return {
    type: 'object',
    required: Object.keys(shape).filter((key) => !shape[key]?.optional),
    properties: Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, field.schema])),
  };
}

const NVME_PATH = { kname: text, state: orNull(text) } satisfies ShapeOf<NvmePath>;

const DEVICE = {
  kname: text,
  path: text,
  type: text,
  parents: texts,
  children: texts,
  sizeBytes: count,
  logicalSectorBytes: orNull(count),
  physicalSectorBytes: orNull(count),
  removable: flag,
  readOnly: flag,
  rotational: orNull(flag),
  transport: orNull(text),
  vendor: orNull(text),
  model: orNull(text),
  serial: orNull(text),
  wwn: orNull(text),
  partitionTable: orNull(text),
  partitionTableUuid: orNull(text),
  partNumber: orNull(count),
  partLabel: orNull(text),
  partType: orNull(text),
  partUuid: orNull(text),
  fsType: orNull(text),
  fsVersion: orNull(text),
  fsLabel: orNull(text),
  fsUuid: orNull(text),
  mountpoints: texts,
  links: texts,
  dmUuid: orNull(text),
  mdName: orNull(text),
  mdMetadata: orNull(text),
  usageRecorded: optional(flag),
  readOnlyRecorded: optional(flag),
  state: optional(orNull(text)),
  zoned: optional(orNull(text)),
  claimed: optional(flag),
  volumeGroup: optional(orNull(text)),
  nvmePaths: optional(listOf(NVME_PATH)),
} satisfies ShapeOf<BlockDevice>;

const INTERFACE = {
  name: text,
  mac: orNull(text),
  driver: orNull(text),
  linkUp: orNull(flag),
  speedMbps: orNull(count),
  mtu: orNull(count),
  addresses: texts,
  gateway4: orNull(text),
} satisfies ShapeOf<NetInterface>;

const PRODUCT = { vendor: orNull(text), name: orNull(text), serial: orNull(text), uuid: orNull(text) } satisfies ShapeOf<
  NonNullable<Machine['product']>
>;

const SLOT = { slot: oneOf('A', 'B'), version: orNull(text) } satisfies ShapeOf<InstalledSlot>;
const INSTALLED = {
  disk: text,
  slots: listOf(SLOT),
  stateConfig: optional(orNull(text)),
  lastBootAt: orNull(text),
} satisfies ShapeOf<InstalledSystem>;

export const CAPTURE_FORMAT = 1;

const MACHINE = {
  schema: { what: `${CAPTURE_FORMAT}`, check: (v) => v === CAPTURE_FORMAT, schema: { const: CAPTURE_FORMAT } },
  source: oneOf('probe', 'lsblk'),
  capturedAt: orNull(text),
  firmware: oneOf('uefi', 'bios'),
  architecture: text,
  product: orNull(object(PRODUCT)),
  cpuCount: orNull(count),
  memoryBytes: orNull(count),
  devices: listOf(DEVICE),
  interfaces: orNull(listOf(INTERFACE)),
  resolvers: texts,
  liveMedium: texts,
  contentsRecorded: optional(flag),
  installed: optional(listOf(INSTALLED)),
  accounts: orNull(texts),
  raw: rawTexts,
  partial: optional(flag),
} satisfies ShapeOf<Machine>;

/** First fault of a value as `path should be WHAT`, null when it fits. Unknown fields are allowed. */
export function faultIn(value: unknown, shape: Shape = MACHINE, at = ''): string | null {
  if (!isRecord(value)) return `${at || 'the file'} should be an object`;
  for (const [key, field] of Object.entries(shape)) {
    const path = at === '' ? key : `${at}.${key}`;
    const entry = value[key];
    if (entry === undefined && field.optional) continue;
    if (!field.check(entry)) return `${path} should be ${field.what}`;
    if (field.shape === undefined || entry === null) continue;
    const inner = field.shape;
    const fault = Array.isArray(entry)
      ? entry.map((e, i) => faultIn(e, inner, `${path}[${i}]`)).find((f) => f !== null)
      : faultIn(entry, inner, path);
    if (fault) return fault;
  }
  return null;
}

/** The published schema. */
export const machineSchema = (): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Machine capture',
  description:
    'What is in a machine, as written by `spatium machine capture` and `spatium machine import`. Fields are explained in src/model/machine.ts.',
  ...schemaOf(MACHINE),
});
