/** The disks that a file names, as far as this machine knows them: enough to warn, never enough to refuse. */
import type { Answers } from '#model/answers.ts';
import type { BlockDevice, Machine } from '#model/machine.ts';
import { blockDeviceSize } from './ports.ts';

function deviceOf(name: string, found: { readonly kname: string; readonly sizeBytes: number; readonly isWhole: boolean }): BlockDevice {
  return {
    kname: found.kname,
    path: name,
    type: found.isWhole ? 'disk' : 'part',
    parents: [],
    children: [],
    sizeBytes: found.sizeBytes,
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
    links: [name],
    dmUuid: null,
    mdName: null,
    mdMetadata: null,
  };
}

/** A partial machine that holds the named disks, where they are; no process is started and no device opened. */
export async function localDisks(answers: Answers): Promise<Machine> {
  const names = [...new Set([answers.target_disk, answers.mirror_disk])].flatMap((name) => (name === undefined ? [] : [name.trim()]));
  const devices: BlockDevice[] = [];
  for (const name of names) {
    const found = await blockDeviceSize(name);
    if (found) devices.push(deviceOf(name, found));
  }
  return {
    schema: 1,
    source: 'probe',
    capturedAt: null,
    firmware: 'bios',
    architecture: '',
    product: null,
    cpuCount: null,
    memoryBytes: null,
    devices,
    interfaces: null,
    resolvers: [],
    liveMedium: [],
    accounts: null,
    raw: {},
    partial: true,
  };
}
