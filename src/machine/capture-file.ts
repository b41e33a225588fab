/** Machine captures as files: written as JSON, read back with every field checked. */
import { isRecord } from '#model/json.ts';
import type { Machine } from '#model/machine.ts';
import { devicesFault } from './capture-faults.ts';
import { CAPTURE_FORMAT, faultIn } from './capture-shape.ts';
import { jsonFault } from './json-fault.ts';
import { CaptureError, type JsonObject, parseLooseJson } from './lsblk-json.ts';

export { CaptureError } from './lsblk-json.ts';

const WAY_OUT = 'Record one with `spatium machine capture -o FILE`, or make one with `spatium machine import --lsblk FILE -o CAPTURE`';

function kindFault(value: JsonObject): string | null {
  if (Array.isArray(value['blockdevices']))
    return 'this is an lsblk listing, not a capture. Turn it into one: spatium machine import --lsblk FILE -o CAPTURE';
  if (value['schema'] === undefined) return `no "schema" field, so this is no machine capture. ${WAY_OUT}`;
  if (value['schema'] !== CAPTURE_FORMAT)
    return `capture format ${JSON.stringify(value['schema'])} is not known to this program, which reads format ${CAPTURE_FORMAT}. ${WAY_OUT}`;
  return null;
}

/** Reads a capture. Throws CaptureError naming the field at fault and the way out; unknown fields are skipped. */
export function readCapture(text: string): Machine {
  let value: unknown;
  try {
    value = parseLooseJson(text.replace(/^\ufeff/, ''));
  } catch {
    throw new CaptureError(`not JSON: ${jsonFault(text.replace(/^\ufeff/, ''))}. ${WAY_OUT}`);
  }
  if (!isRecord(value)) throw new CaptureError(`a machine capture is a JSON object. ${WAY_OUT}`);
  const kind = kindFault(value);
  if (kind !== null) throw new CaptureError(kind);
  const fault = faultIn(value) ?? devicesFault((value as unknown as Machine).devices);
  if (fault !== null) throw new CaptureError(`${fault}. ${WAY_OUT}`);
  return value as unknown as Machine;
}

/** The text of a capture file. */
export const writeCapture = (machine: Machine): string => `${JSON.stringify(machine, null, 1)}\n`;
