/** Which volume group each LVM physical volume belongs to. lsblk shows only the volumes that are active. */
import { isRecord } from '#model/json.ts';
import type { BlockDevice } from '#model/machine.ts';
import { parseLooseJson, textOf } from './lsblk-json.ts';
import type { Sources } from './sources.ts';

const TIMEOUT_MS = 10_000;

/** Group by the name of the physical volume, as `pvs` reports it; null for one without a group. */
function parsePvs(json: string): ReadonlyMap<string, string | null> {
  const value = parseLooseJson(json);
  const reports = isRecord(value) && Array.isArray(value['report']) ? value['report'].filter(isRecord) : [];
  const rows = reports.flatMap((report) => (Array.isArray(report['pv']) ? report['pv'].filter(isRecord) : []));
  return new Map(rows.flatMap((row) => [[textOf(row, 'pv_name') ?? '', textOf(row, 'vg_name')] as const]));
}

/** The devices with `volumeGroup` set on physical volumes; unchanged where there are none, or no lvm. */
export async function withVolumeGroups(sources: Sources, devices: readonly BlockDevice[]): Promise<readonly BlockDevice[]> {
  if (!devices.some((d) => d.fsType === 'LVM2_member')) return devices;
  const json = await sources.output(['pvs', '--reportformat', 'json', '-o', 'pv_name,vg_name'], TIMEOUT_MS);
  if (json === null) return devices;
  const groups = parsePvs(json);
  return devices.map((device) => {
    const names = [device.path, `/dev/${device.kname}`, ...device.links];
    const name = device.fsType === 'LVM2_member' ? names.find((n) => groups.has(n)) : undefined;
    return name === undefined ? device : { ...device, volumeGroup: groups.get(name) ?? null };
  });
}
