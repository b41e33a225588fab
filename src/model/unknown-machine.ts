/** A machine and a device of which nothing is known: what nobody looked at is null, so that no rule concludes anything from it. */
import type { BlockDevice, Machine } from './machine.ts';

/** `known` holds at least what has no word for "unknown". */
export const unknownMachine = ({
  source,
  firmware,
  architecture,
  ...known
}: Pick<Machine, 'source' | 'firmware' | 'architecture'> & Partial<Machine>): Machine => ({
  schema: 1,
  source,
  capturedAt: null,
  firmware,
  architecture,
  product: null,
  cpuCount: null,
  memoryBytes: null,
  devices: [],
  interfaces: null,
  resolvers: [],
  liveMedium: [],
  accounts: null,
  raw: {},
  ...known,
});

/** A device that holds nothing, belongs to nothing and may be written, as far as `known` does not say otherwise. */
export const unknownDevice = (known: Pick<BlockDevice, 'kname' | 'path' | 'type' | 'sizeBytes'> & Partial<BlockDevice>): BlockDevice => ({
  parents: [],
  children: [],
  logicalSectorBytes: null,
  physicalSectorBytes: null,
  removable: false,
  readOnly: false,
  rotational: null,
  transport: null,
  vendor: null,
  model: null,
  serial: null,
  wwn: null,
  partitionTable: null,
  partitionTableUuid: null,
  partNumber: null,
  partLabel: null,
  partType: null,
  partUuid: null,
  fsType: null,
  fsVersion: null,
  fsLabel: null,
  fsUuid: null,
  mountpoints: [],
  links: [],
  dmUuid: null,
  mdName: null,
  mdMetadata: null,
  ...known,
});
