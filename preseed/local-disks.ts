/** The disks that a file names, as far as this machine knows them: enough to warn, never enough to refuse. */
import type { Answers } from '#model/answers.ts';
import type { BlockDevice, Machine } from '#model/machine.ts';
import { unknownDevice, unknownMachine } from '#model/unknown-machine.ts';
import { blockDeviceSize } from './ports.ts';

/** A partial machine that holds the named disks, where they are; no process is started and no device opened. */
export async function localDisks(answers: Answers): Promise<Machine> {
  const names = [...new Set([answers.target_disk, answers.mirror_disk])].flatMap((name) => (name === undefined ? [] : [name.trim()]));
  const devices: BlockDevice[] = [];
  for (const name of names) {
    const found = await blockDeviceSize(name);
    if (found === null) continue;
    const { kname, sizeBytes, isWhole } = found;
    devices.push(unknownDevice({ kname, path: name, type: isWhole ? 'disk' : 'part', sizeBytes, links: [name] }));
  }
  return unknownMachine({ source: 'probe', firmware: 'bios', architecture: '', devices, partial: true });
}
