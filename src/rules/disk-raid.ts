/** Refusals for members of arrays that this installer did not make. */
import type { BlockDevice, Reason } from '#model/machine.ts';
import type { DiskGraph } from './disk-graph.ts';
import { isOwnMirrorDisk } from './disk-own.ts';
import { listWords, pathOf, plain } from './disk-text.ts';

/** Firmware RAID signatures by the name operators know them by. */
const FIRMWARE_RAID: Readonly<Record<string, string>> = {
  isw_raid_member: 'Intel (IMSM) firmware RAID',
  ddf_raid_member: 'DDF firmware RAID',
};

const isArray = (device: BlockDevice): boolean =>
  /^(?:raid\d*|raid10|linear|md|container|multipath|faulty|dmraid)$/.test(device.type) &&
  (/^md/.test(device.kname) || device.type === 'dmraid');

const isContainer = (device: BlockDevice): boolean => device.type === 'container' || (device.type === 'md' && device.sizeBytes === 0);

function arrayName(array: BlockDevice): string {
  const level = /^raid/.test(array.type) ? ` (${plain(array.type)})` : '';
  return `${pathOf(array)}${level}`;
}

function memberText(graph: DiskGraph, member: BlockDevice): string {
  const arrays = member.children.map((k) => graph.get(k)).filter((d): d is BlockDevice => d !== null && isArray(d));
  const named = arrays.filter((a) => !isContainer(a));
  const kind =
    FIRMWARE_RAID[member.fsType ?? ''] ??
    (member.fsType === null || member.fsType === 'linux_raid_member' ? 'RAID' : `firmware RAID (${plain(member.fsType)})`);
  const label = member.fsLabel === null ? '' : ` "${plain(member.fsLabel)}"`;
  if (arrays.length === 0) return `${pathOf(member)} is a member of a stopped ${kind} array${label}`;
  return `${pathOf(member)} is a member of the ${kind} array ${listWords((named.length > 0 ? named : arrays).map(arrayName))}`;
}

/** One reason for each member on the disk, unless the whole disk is half of a mirror of ours. */
export function arrayReasons({ graph, disk, stack }: { graph: DiskGraph; disk: BlockDevice; stack: readonly BlockDevice[] }): Reason[] {
  if (isOwnMirrorDisk(graph, disk)) return [];
  const members = [disk, ...stack].filter(
    (d) => d.fsType?.endsWith('_raid_member') || d.children.some((k) => isArray(graph.get(k) ?? d) && graph.get(k) !== null),
  );
  return members
    .filter((m) => !isArray(m))
    .map((m) => ({
      code: FIRMWARE_RAID[m.fsType ?? ''] === undefined ? 'disk.raid-member' : 'disk.firmware-raid',
      text: `${memberText(graph, m)}, which this installer did not make. Take it out of the array first (mdadm --zero-superblock ${pathOf(m)} ends its membership)`,
    }));
}
