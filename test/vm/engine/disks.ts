/** Disks of the storage bench: files, and how QEMU is told of them. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** A disk as the machine sees it: virtio-scsi with a serial number, on one path or on two. */
export interface VmDisk {
  readonly file: string;
  readonly serial: string;
  /** qcow2 unless said. A disk whose power is cut is raw: QEMU itself then keeps nothing in memory that the guest wrote. */
  readonly format?: 'qcow2' | 'raw';
  readonly paths?: 1 | 2;
  /** Logical sectors; 512 unless said. */
  readonly sectorBytes?: 512 | 4096;
  /** Sectors of 512 bytes that cannot be written, or not read. Raw only. */
  readonly faults?: { readonly kind: 'write' | 'read'; readonly sectors: readonly number[] };
}

const tool = (file: string, ...args: string[]): void => {
  execFileSync(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
};

/** A blank disk; only what is written takes room. */
export function makeDiskFile(dir: string, name: string, sizeGib = 40, format: 'qcow2' | 'raw' = 'qcow2'): string {
  const file = path.join(dir, `${name}.${format}`);
  tool('qemu-img', 'create', '-q', '-f', format, file, `${sizeGib}G`);
  return file;
}

/** The same disk as it is now; what is done to the copy leaves the first as it was. */
export function copyOfDisk(disk: VmDisk, name: string): VmDisk {
  const file = path.join(path.dirname(disk.file), `${name}.qcow2`);
  tool('qemu-img', 'create', '-q', '-f', 'qcow2', '-F', disk.format ?? 'qcow2', '-b', disk.file, file);
  return { ...disk, file, format: 'qcow2' };
}

/** Throws when the two do not hold the same bytes. */
export const requireSameBytes = (a: VmDisk, b: VmDisk): void => tool('qemu-img', 'compare', '-q', a.file, b.file);

/** Id of a disk's path in QEMU, for taking it away while the machine runs. */
export const pathId = (diskIndex: number, path: 0 | 1): string => `disk${diskIndex}path${path}`;

/** Names under which the first and second disk of the bench are found in the guest. */
export const WWN_PATHS = ['/dev/disk/by-id/wwn-0x60014050000000a0', '/dev/disk/by-id/wwn-0x60014050000000a1'] as const;

function blockNodes(d: VmDisk, i: number): string[] {
  const { kind, sectors = [] } = d.faults ?? {};
  const file = { driver: 'file', filename: d.file, 'node-name': `f${i}`, cache: { direct: false, 'no-flush': true } };
  const rules = sectors.map((sector) => ({ event: 'none', iotype: kind, sector, errno: 5, once: false, immediately: false }));
  const faulty = { driver: 'blkdebug', image: `f${i}`, 'node-name': `e${i}`, 'inject-error': rules };
  const below = kind === undefined ? `f${i}` : `e${i}`;
  // A mirror's first synchronisation writes every byte of the disk: zeros must take no room on the host.
  const top = { driver: d.format ?? 'qcow2', file: below, 'node-name': `d${i}`, discard: 'unmap', 'detect-zeroes': 'unmap' };
  return [file, ...(kind === undefined ? [] : [faulty]), top].flatMap((node) => ['-blockdev', JSON.stringify(node)]);
}

/** Two controllers, so that a disk can be on both. Firmware tries the disks in their order, from `firstBootIndex` on. */
export function diskArguments(disks: readonly VmDisk[], firstBootIndex = 1): string[] {
  const args = ['-device', 'virtio-scsi-pci,id=scsi0', '-device', 'virtio-scsi-pci,id=scsi1'];
  disks.forEach((d, i) => {
    args.push(...blockNodes(d, i));
    const wwn = `0x60014050000000${(0xa0 + i).toString(16)}`;
    const device = `scsi-hd,drive=d${i},share-rw=on,logical_block_size=${d.sectorBytes ?? 512},physical_block_size=4096,serial=${d.serial},wwn=${wwn}`;
    args.push('-device', `${device},id=${pathId(i, 0)},bus=scsi0.0,scsi-id=${i},bootindex=${i + firstBootIndex}`);
    if (d.paths === 2) args.push('-device', `${device},id=${pathId(i, 1)},bus=scsi1.0,scsi-id=${i}`);
  });
  return args;
}

/** Shell text for the bench: what the medium's own service does at its start. */
export const START_MULTIPATH = `
mkdir -p /tmp/etc-upper /tmp/etc-work
mount -t overlay -o lowerdir=/etc,upperdir=/tmp/etc-upper,workdir=/tmp/etc-work overlay /etc
multipathd; sleep 5; multipath; udevadm settle; multipath -ll
`;
