/** A machine and a disk that an installation could run on; a test adds what it is about. */
import type { BlockDevice, Machine } from '#model/machine.ts';
import { unknownDevice, unknownMachine } from '#model/unknown-machine.ts';

export const bareMachine = (over: Partial<Machine> = {}): Machine =>
  unknownMachine({ source: 'probe', firmware: 'uefi', architecture: 'x86_64', cpuCount: 4, memoryBytes: 16 * 1024 ** 3, ...over });

/** A whole disk of 512-byte sectors with nothing on it. */
export const bareDisk = (kname: string, over: Partial<BlockDevice> = {}): BlockDevice =>
  unknownDevice({
    kname,
    path: `/dev/${kname}`,
    type: 'disk',
    sizeBytes: 40 * 1024 ** 3,
    logicalSectorBytes: 512,
    physicalSectorBytes: 512,
    rotational: false,
    transport: 'sata',
    model: 'EXAMPLE',
    serial: kname.toUpperCase(),
    ...over,
  });
