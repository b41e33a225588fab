/** What an operator should know before choosing a disk that may be chosen. */
import { GIB, RECOMMENDED_CONTROL_PLANE_DISK_BYTES } from '#model/limits.ts';
import type { BlockDevice, Reason } from '#model/machine.ts';
import { contentsOf, isEmptyDisk } from './disk-contents.ts';
import { hardwareOf, isMultipathMap, isWholeDisk, mapOver } from './disk-graph.ts';
import { usableSerial, usableWwn } from './disk-identity.ts';
import { indexOf } from './disk-index.ts';
import { hasOwnLayout, isOwnMirrorDisk } from './disk-own.ts';
import type { DiskContext } from './disk-refusals.ts';
import { sharesOf } from './disk-shared.ts';
import { exactSize, listPaths, listWords, plain } from './disk-text.ts';

type Rule = (context: DiskContext) => readonly Reason[];

/** Those of some disks that are others than this one, the paths of this very map left out. */
function othersAmong(disks: readonly BlockDevice[], { disk }: DiskContext): readonly BlockDevice[] {
  const own = new Set([disk.kname, ...disk.parents, ...disk.children]);
  return disks.filter((d) => !own.has(d.kname) && !d.children.some((k) => own.has(k)));
}

function identity(context: DiskContext): Reason[] {
  const { graph, disk } = context;
  const hardware = hardwareOf(graph, disk);
  const serial = usableSerial(hardware.serial);
  const wwn = usableWwn(hardware.wwn);
  if (serial === null && wwn === null) {
    const why = hardware.wwn === null ? 'no serial number, no WWN' : `no serial number, and the WWN ${plain(hardware.wwn)} names nothing`;
    const text = `no stable identity (${why}): the kernel may renumber it at the next boot; answer files need its /dev/disk/by-path name`;
    return [{ code: 'disk.no-stable-identity', text }];
  }
  const index = indexOf(graph);
  const othersOf = (disks: readonly BlockDevice[]) => othersAmong(disks, context).filter((d) => !isMultipathMap(d));
  const reasons: Reason[] = [];
  const sameSerial = serial !== null && wwn === null ? othersOf(index.withSerial(serial)) : [];
  if (sameSerial.length > 0)
    reasons.push({
      code: 'disk.duplicate-serial',
      text: `the serial number is not unique: ${listPaths(sameSerial)} ${sameSerial.length > 1 ? 'have' : 'has'} the same, and there is no WWN to tell them apart`,
    });
  // Proven twins are refused as what they are.
  const sameWwn = wwn === null ? [] : othersOf(index.sharingWwn(hardware));
  if (sameWwn.length > 0)
    reasons.push({
      code: 'disk.shared-wwn',
      text: `the WWN is not unique: ${listPaths(sameWwn)} ${sameWwn.length > 1 ? 'have' : 'has'} the same; if they are two paths of one disk, start multipathd and look again`,
    });
  return reasons;
}

function firmwareLimits({ machine, disk }: DiskContext): Reason[] {
  if (machine.firmware !== 'bios') return [];
  const reasons: Reason[] = [];
  if (disk.sizeBytes > 2048 * GIB)
    reasons.push({
      code: 'disk.over-2tib-bios',
      text: `${exactSize(disk.sizeBytes)} on BIOS: some BIOSes read only the first 2 TiB; UEFI is safer`,
    });
  if (disk.logicalSectorBytes === null)
    reasons.push({ code: 'disk.sector-unknown', text: 'the sector size is not recorded; a 4Kn disk cannot be booted by BIOS' });
  return reasons;
}

function attachment({ graph, disk }: DiskContext): Reason[] {
  const hardware = hardwareOf(graph, disk);
  const transport = hardware.transport ?? '';
  if (transport === 'usb' || hardware.removable)
    return [
      {
        code: 'disk.removable',
        text: `a ${transport === 'usb' ? 'USB' : 'removable'} disk: it can be pulled out, and is rarely meant for an appliance`,
      },
    ];
  if (['iscsi', 'fc', 'fcoe', 'nvme-tcp', 'tcp', 'rdma'].includes(transport))
    return [{ code: 'disk.network-attached', text: `attached over ${plain(transport)}: the firmware must be able to boot from it` }];
  return [];
}

function data(context: DiskContext): Reason[] {
  const { machine, graph, disk, stack } = context;
  const contents = contentsOf(machine, graph, disk, stack);
  if (contents.blank || mapOver(graph, disk) !== null) return [];
  if (!contents.recorded || (machine.contentsRecorded === false && stack.length === 0))
    return [
      { code: 'disk.contents-unknown', text: 'what is on it is not recorded; it may hold data, or be a member of a stopped RAID array' },
    ];
  if (isEmptyDisk(disk, stack)) return [];
  if (isOwnMirrorDisk(graph, disk)) return [{ code: 'disk.own-mirror', text: `${contents.summary}: choosing it destroys the mirror` }];
  if (hasOwnLayout(graph, disk)) return [{ code: 'disk.own-installation', text: `holds ${contents.summary}` }];
  return [{ code: 'disk.existing-data', text: `holds data: ${contents.summary}` }];
}

/** Facts that would refuse a disk, and that nothing recorded. */
function unrecorded({ disk, stack }: DiskContext): Reason[] {
  const reasons: Reason[] = [];
  if ([disk, ...stack].some((d) => d.usageRecorded === false))
    reasons.push({
      code: 'disk.use-unknown',
      text: 'whether it is in use is not recorded; it may be mounted, or be what the machine runs from',
    });
  if (disk.readOnlyRecorded === false) reasons.push({ code: 'disk.read-only-unknown', text: 'whether it is read-only is not recorded' });
  return reasons;
}

/** Volumes that the engine has to stop before it erases, and disks that lose data with this one. */
function volumes(context: DiskContext): Reason[] {
  const { graph, disk, stack } = context;
  const active = stack.filter(
    (d) => d.type === 'lvm' || d.type === 'crypt' || (d.kname.startsWith('dm-') && d.type !== 'mpath' && d.type !== 'part'),
  );
  const mine = new Set([disk.kname, ...disk.parents]);
  const shared = sharesOf(graph, [disk, ...stack]).flatMap((share) => share.others);
  const below = [...active, ...shared].flatMap((d) => [d, ...graph.below(d.kname)]);
  const others = [...new Set(below)].filter((d) => isWholeDisk(d) && !mine.has(d.kname) && mapOver(graph, d) === null);
  const reasons: Reason[] = [];
  if (active.length > 0) {
    const text = `volumes are active and will be stopped before it is erased: ${listPaths(active)}`;
    reasons.push({ code: 'disk.active-volumes', text });
  }
  if (others.length > 0)
    reasons.push({
      code: 'disk.shared-volumes',
      text: `what is on it also lies on ${listPaths(others)}; the data there is lost as well`,
    });
  return reasons;
}

/** Each path with whether it is known to be down. */
function pathsOf({ graph, disk }: DiskContext): { kname: string; isDown: boolean }[] {
  if (disk.nvmePaths) return disk.nvmePaths.map(({ kname, state }) => ({ kname, isDown: state !== null && state !== 'live' }));
  if (!isMultipathMap(disk)) return [];
  const known = disk.parents.map((k) => graph.get(k)).filter((d) => d !== null);
  return known.map(({ kname, state = null }) => ({ kname, isDown: state !== null && state !== 'running' }));
}

function paths(context: DiskContext): Reason[] {
  const all = pathsOf(context);
  const down = all.filter((p) => p.isDown);
  const alive = all.length - down.length;
  if (all.length === 0 && !isMultipathMap(context.disk)) return [];
  if (alive < 2)
    return [
      { code: 'disk.single-path', text: `multipath device with ${alive === 1 ? 'one working path' : 'no working path'}: no failover` },
    ];
  if (down.length === 0) return [];
  return [{ code: 'disk.path-down', text: `${down.length} of ${all.length} paths down: ${listWords(down.map((p) => plain(p.kname)))}` }];
}

function recommended({ disk }: DiskContext): Reason[] {
  if (disk.sizeBytes >= RECOMMENDED_CONTROL_PLANE_DISK_BYTES) return [];
  return [
    {
      code: 'disk.below-recommended',
      text: `${exactSize(disk.sizeBytes)}: a control plane should have ${exactSize(RECOMMENDED_CONTROL_PLANE_DISK_BYTES)}`,
    },
  ];
}

/** Firmware that lists two disks of ours may start the other one. */
function otherInstallation(context: DiskContext): Reason[] {
  const { graph, disk } = context;
  const isMirror = isOwnMirrorDisk(graph, disk);
  const others = othersAmong(indexOf(graph).ownDisks, context).filter((d) => !(isMirror && isOwnMirrorDisk(graph, d)));
  if (others.length === 0) return [];
  const text = `${listPaths(others)} also ${others.length > 1 ? 'hold' : 'holds'} an installation of this product; the firmware may start ${others.length > 1 ? 'one of those' : 'that one'}`;
  return [{ code: 'disk.other-installation', text }];
}

/** What holds of the disk itself, chosen or not. */
const ALWAYS: readonly Rule[] = [identity, firmwareLimits, attachment, data];
/** What only matters to who is about to choose it. */
const WHEN_SELECTABLE: readonly Rule[] = [unrecorded, volumes, paths, otherInstallation, recommended];

/** What a person should know of a disk before it is chosen. */
export const warningsOf = (context: DiskContext, selectable: boolean): Reason[] =>
  [...ALWAYS, ...(selectable ? WHEN_SELECTABLE : [])].flatMap((rule) => rule(context));
