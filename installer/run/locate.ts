/** The light of a disk's bay, where an enclosure (SES) lets it be switched: the kernel links each disk to its bay. */
import path from 'node:path';
import type { Machine } from '#model/machine.ts';
import { judgeDisks } from '#rules/disks.ts';
import { exists, listNames, writeInPlace } from '#system/files.ts';

/** Files that switch the lights of a disk; of a map, those of all its paths' bays. */
async function lightsOf(machine: Machine, kname: string, sys: string): Promise<readonly string[]> {
  const device = machine.devices.find((candidate) => candidate.kname === kname);
  const parents = device?.parents ?? [];
  const lights = await Promise.all(
    (parents.length > 0 ? parents : [kname]).map(async (name) => {
      const dir = path.join(sys, 'class/block', name, 'device');
      const bays = (await listNames(dir)).filter((entry) => entry.startsWith('enclosure_device:'));
      const files = bays.map((bay) => path.join(dir, bay, 'locate'));
      const known = await Promise.all(files.map(exists));
      return files.filter((_, i) => known[i]);
    }),
  );
  return lights.flat();
}

/** Kernel names of the disks whose light can be switched. */
export async function locatableDisks(machine: Machine, sys = '/sys'): Promise<readonly string[]> {
  const names = judgeDisks(machine).map((verdict) => verdict.kname);
  const lights = await Promise.all(names.map((kname) => lightsOf(machine, kname, sys)));
  return names.filter((_, i) => (lights[i]?.length ?? 0) > 0);
}

/** Switches the light of one disk. @throws when the enclosure does not take it */
export async function setLight(machine: Machine, kname: string, isOn: boolean, sys = '/sys'): Promise<void> {
  for (const file of await lightsOf(machine, kname, sys)) await writeInPlace(file, isOn ? '1' : '0');
}
