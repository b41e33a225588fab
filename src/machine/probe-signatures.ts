/**
 * What lies on each device, read from the device itself. lsblk repeats the udev database, which is empty where no udev
 * runs and old where it has not caught up; a disk must never look blank because of that.
 */
import { isRecord } from '#model/json.ts';
import type { BlockDevice } from '#model/machine.ts';
import { parseLooseJson, textOf } from './lsblk-json.ts';
import { mapLimited, type Sources } from './sources.ts';

const AT_A_TIME = 8;
/** A failing disk answers late or never; what lsblk said then stands. */
const TIMEOUT_MS = 10_000;
/** blkid's exit status for more than one signature. */
const AMBIVALENT = 8;

const holdsData = (device: BlockDevice): boolean =>
  device.sizeBytes > 0 && !['rom', 'container'].includes(device.type) && !/^(?:zram|ram|fd|sr)\d/.test(device.kname);

/** `KEY=VALUE` lines of `blkid -o export`, whose values escape blanks and such with a backslash. */
function parseExport(text: string): ReadonlyMap<string, string> {
  const pairs = text.split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1).replace(/\\(.)/g, '$1')] as const];
  });
  return new Map(pairs);
}

/** The signature that matters most of several: a RAID member before a file system that shows through it. */
function strongest(json: string): { type: string; label: string | null; uuid: string | null } | null {
  const value = parseLooseJson(json);
  const list = isRecord(value) ? value['signatures'] : null;
  const rows = Array.isArray(list) ? list.filter(isRecord) : [];
  const row =
    rows.find((r) => textOf(r, 'type')?.endsWith('_member')) ?? rows.find((r) => !['gpt', 'dos', 'PMBR'].includes(textOf(r, 'type') ?? ''));
  const type = row === undefined ? null : textOf(row, 'type');
  return row === undefined || type === null ? null : { type, label: textOf(row, 'label'), uuid: textOf(row, 'uuid') };
}

async function fromWipefs(sources: Sources, device: BlockDevice): Promise<BlockDevice> {
  const json = await sources.output(['wipefs', '-J', device.path], TIMEOUT_MS);
  if (json === null) return device;
  const found = strongest(json);
  return found === null ? device : { ...device, fsType: found.type, fsLabel: found.label, fsUuid: found.uuid };
}

function merge(device: BlockDevice, found: ReadonlyMap<string, string>): BlockDevice {
  const get = (key: string, known: string | null): string | null => found.get(key) ?? known;
  // Only multipathd knows its paths; blkid sees what lies on the map.
  const isPath = device.fsType === 'mpath_member';
  const type = isPath ? undefined : found.get('TYPE');
  const signature =
    type === undefined
      ? {}
      : {
          fsType: type,
          fsVersion: found.get('VERSION') ?? null,
          fsLabel: found.get('LABEL') ?? null,
          fsUuid: found.get('UUID') ?? null,
        };
  const entry =
    device.type !== 'part'
      ? {}
      : {
          partLabel: get('PART_ENTRY_NAME', device.partLabel),
          partType: get('PART_ENTRY_TYPE', device.partType),
          partUuid: get('PART_ENTRY_UUID', device.partUuid),
          partNumber: Number(found.get('PART_ENTRY_NUMBER') ?? Number.NaN) || device.partNumber,
        };
  const table =
    device.type === 'part'
      ? {}
      : {
          partitionTable: get('PTTYPE', device.partitionTable),
          partitionTableUuid: get('PTUUID', device.partitionTableUuid),
        };
  return { ...device, ...signature, ...entry, ...table };
}

async function readOne(sources: Sources, device: BlockDevice): Promise<BlockDevice> {
  const result = await sources.result(['blkid', '-p', '-o', 'export', device.path], TIMEOUT_MS);
  if (result.kind !== 'exited') return device;
  if (result.code === AMBIVALENT) return fromWipefs(sources, device);
  return result.code === 0 ? merge(device, parseExport(result.stdout)) : device;
}

/** The devices with their signatures read anew where they can be read. */
export const withSignatures = (sources: Sources, devices: readonly BlockDevice[]): Promise<BlockDevice[]> =>
  mapLimited(devices, AT_A_TIME, (device) => (holdsData(device) ? readOne(sources, device) : Promise.resolve(device)));
