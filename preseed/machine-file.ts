/** A recorded machine from a file. */
import type { Machine } from '#model/machine.ts';
import { readText } from '#system/files.ts';

export type LoadedMachine = { readonly ok: true; readonly machine: Machine } | { readonly ok: false; readonly why: string };

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What the rules lean on; the whole shape is checked where captures are made. */
function isMachine(value: unknown): value is Machine {
  if (!isRecord(value) || value['schema'] !== 1 || !Array.isArray(value['devices'])) return false;
  const lists = ['parents', 'children', 'mountpoints', 'links'];
  return (
    Array.isArray(value['liveMedium']) &&
    value['devices'].every(
      (device: unknown) =>
        isRecord(device) &&
        typeof device['kname'] === 'string' &&
        typeof device['path'] === 'string' &&
        typeof device['sizeBytes'] === 'number' &&
        lists.every((name) => Array.isArray(device[name])),
    )
  );
}

export async function loadMachine(file: string): Promise<LoadedMachine> {
  let value: unknown;
  try {
    value = JSON.parse(await readText(file));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    return { ok: false, why: `the machine capture ${file} ${why}` };
  }
  if (isMachine(value)) return { ok: true, machine: value };
  return { ok: false, why: `${file} is no machine capture; make one with: spatium machine capture -o FILE` };
}
