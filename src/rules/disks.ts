/**
 * Which disks may be installed on, and why not. Pure: everything comes from the machine document,
 * so the picker, `machine disks`, the linter and the engine say the same about the same disk.
 */
import type { BlockDevice, DiskVerdict, Machine, Reason } from '#model/machine.ts';
import { diskGraph, isWholeDisk, mapOver, stackOn } from './disk-graph.ts';
import { bestById, usableSerial } from './disk-identity.ts';
import { type DiskContext, refusalsOf } from './disk-refusals.ts';
import { exactSize, pathOf } from './disk-text.ts';
import { warningsOf } from './disk-warnings.ts';

export type { DiskContents } from './disk-contents.ts';
export { bestById, identityOf, sameDisk } from './disk-identity.ts';
export { type KeptLayout, type KeptPartition, keptLayoutOf } from './disk-own.ts';
export { type ConfirmWord, confirmWordOf, type DiskPassport, describeDisk } from './disk-passport.ts';
export { exactSize, plain, roundSize } from './disk-text.ts';

/** A machine document never changes, and each rule about disks asks again. */
const judged = new WeakMap<Machine, readonly DiskVerdict[]>();

/** One verdict for every whole disk that a picker lists, in the order of the machine's devices. */
export function judgeDisks(machine: Machine): DiskVerdict[] {
  const verdicts = judged.get(machine) ?? verdictsOf(machine);
  judged.set(machine, verdicts);
  return [...verdicts];
}

function verdictsOf(machine: Machine): readonly DiskVerdict[] {
  const graph = diskGraph(machine.devices);
  const live = new Set(machine.liveMedium);
  return graph.devices.filter(isWholeDisk).map((disk) => {
    const context: DiskContext = { machine, graph, disk, live, stack: stackOn(graph, disk) };
    const reasons = refusalsOf(context);
    return {
      kname: disk.kname,
      path: disk.path,
      sizeBytes: disk.sizeBytes,
      selectable: reasons.length === 0,
      reasons,
      warnings: warningsOf(context, reasons.length === 0),
    };
  });
}

const BY_ID = '/dev/disk/by-id/';

/** Does a by-id name fit what is known of a device whose links were not recorded? */
function fitsById(device: BlockDevice, name: string): boolean {
  const wwn = device.wwn?.toLowerCase() ?? null;
  const serial = usableSerial(device.serial);
  if (wwn !== null && [`wwn-${wwn}`, `nvme-${wwn}`, `scsi-3${wwn.replace(/^0x/, '')}`].includes(name.toLowerCase())) return true;
  return serial !== null && isWholeDisk(device) && (name.endsWith(`_${serial}`) || name === `virtio-${serial}`);
}

/** One device of several that carry the same name: the map when they are its paths, none when they are different disks. */
function onlyOne(machine: Machine, found: readonly BlockDevice[]): BlockDevice | null {
  if (found.length < 2) return found[0] ?? null;
  const graph = diskGraph(machine.devices);
  const ends = new Set(found.map((d) => mapOver(graph, d) ?? d));
  const [end] = ends;
  return ends.size === 1 && end !== undefined ? end : null;
}

/**
 * The block device of a name: a path, a kernel name with or without /dev/, a by-id or by-path link.
 * null when there is none, or when more than one could be meant. It may be no whole disk: look for its verdict.
 */
export function findDisk(machine: Machine, name: string): BlockDevice | null {
  const { devices } = machine;
  const bare = name.startsWith('/dev/') ? name.slice('/dev/'.length) : name;
  const direct = devices.find((d) => d.path === name) ?? devices.find((d) => d.kname === bare.replaceAll('/', '!'));
  if (direct !== undefined) return direct;
  const linked = devices.filter((d) => d.links.includes(name));
  if (linked.length > 0) return onlyOne(machine, linked);
  if (!name.startsWith(BY_ID) || /-part\d+$/.test(name)) return null;
  const byId = name.slice(BY_ID.length);
  return onlyOne(
    machine,
    devices.filter((d) => d.links.length === 0 && fitsById(d, byId)),
  );
}

/** Why `memberKname` may not be the second half of a mirror on `targetKname`; null when it may. */
export function mirrorRefusal(machine: Machine, targetKname: string, memberKname: string): Reason | null {
  const graph = diskGraph(machine.devices);
  const target = graph.get(targetKname);
  const member = graph.get(memberKname);
  const verdict = judgeDisks(machine).find((v) => v.kname === memberKname);
  if (target === null || member === null || verdict === undefined) return { code: 'mirror.no-disk', text: 'no such disk in this machine' };
  const shared = [member.kname, ...member.parents].some((k) => [target.kname, ...target.parents].includes(k));
  if (shared) return { code: 'mirror.same-disk', text: `${pathOf(member)} is the target disk itself; a mirror needs two disks` };
  const [refusal] = verdict.reasons;
  if (refusal !== undefined) return refusal;
  if (member.sizeBytes < target.sizeBytes) {
    const text = `${pathOf(member)} is smaller than the target: ${exactSize(member.sizeBytes)}, and the target has ${exactSize(target.sizeBytes)}`;
    return { code: 'mirror.too-small', text };
  }
  if (member.logicalSectorBytes !== null && target.logicalSectorBytes !== null && member.logicalSectorBytes !== target.logicalSectorBytes) {
    const text = `sectors of ${member.logicalSectorBytes} bytes, and the target has ${target.logicalSectorBytes}; a mirror needs the same on both`;
    return { code: 'mirror.sector-size', text };
  }
  return null;
}

/** Disks that may mirror the target: selectable, not the target, at least as large in bytes, same sector size. */
export function eligibleMirrors(machine: Machine, targetKname: string): DiskVerdict[] {
  return judgeDisks(machine).filter((v) => mirrorRefusal(machine, targetKname, v.kname) === null);
}

/** The name to write into an answer file: by-id, else by-path, else the node. */
export function stableNameOf(device: BlockDevice): string {
  return bestById(device) ?? device.links.find((l) => l.startsWith('/dev/disk/by-path/')) ?? device.path;
}
