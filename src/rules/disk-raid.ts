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

const kindOf = (graph: DiskGraph, member: BlockDevice): string => {
  const signature = member.fsType;
  // An array can be seen by its holder alone; what shows through the member is then no RAID signature.
  if (!signature?.endsWith('_raid_member')) return member.children.some((k) => graph.get(k)?.type === 'dmraid') ? 'firmware RAID' : 'RAID';
  if (signature === 'linux_raid_member') return 'RAID';
  return FIRMWARE_RAID[signature] ?? `${plain(signature.replace(/_raid_member$/, '').replaceAll('_', ' '))} firmware RAID`;
};

function memberReason(graph: DiskGraph, kind: string, members: readonly BlockDevice[]): Reason {
  const arrays = members.flatMap((m) => m.children.map((k) => graph.get(k))).filter((d): d is BlockDevice => d !== null && isArray(d));
  const usable = arrays.filter((a) => !isContainer(a));
  const names = [...new Set((usable.length > 0 ? usable : arrays).map(arrayName))];
  const labels = [...new Set(members.flatMap((m) => (m.fsLabel === null ? [] : [`"${plain(m.fsLabel)}"`])))];
  const which =
    names.length > 0
      ? listWords(names)
      : labels.length > 1
        ? `the stopped arrays ${listWords(labels)}`
        : `a stopped array${labels.length > 0 ? ` ${labels[0]}` : ''}`;
  const parts = members.every((m) => m.type === 'disk') ? '' : ` (${listWords(members.map(pathOf))})`;
  return {
    code: kind === 'RAID' ? 'disk.raid-member' : 'disk.firmware-raid',
    text: `${kind} member${parts} of ${which}, which this installer did not make; take the disk out of the array first`,
  };
}

/** One reason for each kind of array that has members on the disk, unless the whole disk is half of a mirror of ours. */
export function arrayReasons({ graph, disk, stack }: { graph: DiskGraph; disk: BlockDevice; stack: readonly BlockDevice[] }): Reason[] {
  if (isOwnMirrorDisk(graph, disk)) return [];
  const feedsArray = (d: BlockDevice): boolean => d.children.some((k) => isArray(graph.get(k) ?? d));
  const members = [disk, ...stack].filter((d) => !isArray(d) && (d.fsType?.endsWith('_raid_member') || feedsArray(d)));
  return [...new Set(members.map((m) => kindOf(graph, m)))].map((kind) =>
    memberReason(
      graph,
      kind,
      members.filter((m) => kindOf(graph, m) === kind),
    ),
  );
}
