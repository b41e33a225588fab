/** The disks that answers name: how they are named, and what a machine says about them. */

import { GIB, MIN_DISK_BYTES } from '#model/limits.ts';
import type { BlockDevice, Machine } from '#model/machine.ts';
import type { Case, Fault } from './case.ts';
import { isSet } from './choices.ts';
import { findDisk, judgeDisks, keptLayoutOf, mirrorRefusal } from './disks.ts';
import { readBoolean } from './read-scalars.ts';

type DiskKey = 'target_disk' | 'mirror_disk';

const PARTITION_NAMES = [
  /^\/dev\/(disk\/by-(id|path)|mapper)\/.*-part[0-9]+$/,
  /^\/dev\/disk\/by-(partuuid|partlabel|partition)/,
  /^\/dev\/(sd|hd|vd|xvd)[a-z]+[0-9]+$/,
  /^\/dev\/(nvme[0-9]+n[0-9]+|mmcblk[0-9]+|nbd[0-9]+|loop[0-9]+|md[0-9]+)p[0-9]+$/,
];

/** Words that say "no disk" instead of naming one. */
const NO_DISK = /^(none|no|off|false|null|nil|never|n\/a|-+)$/i;

/** Words by which other installers pick a disk. */
const PICKS_ONE = /^(auto(matic)?|largest|biggest|smallest|first|any|all|only|default|ssd|hdd|nvme|disk|\*)$/i;

/** The disk of a partition; nothing when its name does not tell. */
function wholeDiskFix(name: string): string {
  const whole = name
    .replace(/-part[0-9]+$/, '')
    .replace(/^(\/dev\/(?:sd|hd|vd|xvd)[a-z]+)[0-9]+$/, '$1')
    .replace(/^(\/dev\/(?:nvme|mmcblk|nbd|loop|md).*)p[0-9]+$/, '$1');
  return whole === name ? 'write the name of the disk under /dev/disk/by-id/' : `write ${whole}`;
}

/** The path that is meant, where the name has the form of one; of a serial number or a word nobody can tell. */
function pathFix(name: string): string {
  const bare = name.replace(/^\/?(dev\/)?/, '');
  const isPlain = /^[A-Za-z0-9._:/-]+$/.test(bare) && !bare.includes('..') && (bare === name || name.includes('dev/'));
  if (
    isPlain &&
    /^((sd|hd|vd|xvd)[a-z]+|nvme[0-9]+n[0-9]+|mmcblk[0-9]+|dm-[0-9]+|md[0-9]+|(disk\/by-[a-z]+|mapper)\/.+)(p?[0-9]+)?$/.test(bare)
  )
    return `write /dev/${bare}`;
  if (isPlain && /^(ata|nvme|scsi|virtio|wwn|usb|mmc)-/.test(bare)) return `write /dev/disk/by-id/${bare}`;
  return 'write its name under /dev/disk/by-id/';
}

/** What can be said of a name without any machine. */
export function diskNameFaults(key: DiskKey, name: string): readonly Fault[] {
  const fail = (rule: Fault['rule'], message: string, fix?: string): Fault[] => [{ rule, message, ...(fix === undefined ? {} : { fix }) }];
  if (PICKS_ONE.test(name))
    return fail(
      'disk.auto',
      'there is no automatic choice of a disk: name the disk that is to be erased',
      'write its name under /dev/disk/by-id/',
    );
  if (NO_DISK.test(name))
    return fail('disk.name', 'names no disk', key === 'mirror_disk' ? 'leave mirror_disk out' : 'write its name under /dev/disk/by-id/');
  if (!name.startsWith('/dev/')) {
    return fail('disk.name', 'is not the path of a disk under /dev/', pathFix(name));
  }
  if (/[^A-Za-z0-9#+,.:=@_/\\%{}~-]/.test(name) || /\/\.\.?(\/|$)|\/\/|\/$/.test(name))
    return fail('disk.name', 'is not the path of a disk: blanks, quotes, ".." and shell characters do not occur in one');
  if (PARTITION_NAMES.some((shape) => shape.test(name)))
    return fail('disk.partition', 'is the name of a partition; a whole disk is wanted', wholeDiskFix(name));
  if (/^\/dev\/disk\/by-(uuid|label)\//.test(name))
    return fail('disk.content-name', 'names what is on the disk now, which installing erases', 'write its name under /dev/disk/by-id/');
  if (!/^\/dev\/(disk\/by-(?!diskseq\/)|mapper\/)/.test(name))
    return fail('disk.unstable', 'may be another disk after the next boot', 'write its name under /dev/disk/by-id/');
  return [];
}

function absent(c: Case, key: DiskKey, name: string): void {
  const machine = c.machine as Machine;
  if (machine.partial) {
    c.report(key, {
      rule: 'disk.absent-here',
      message: `${c.show(name)} does not exist on this machine, so it could not be checked here`,
    });
    return;
  }
  const disks = judgeDisks(machine).map((verdict) => verdict.path);
  c.report(key, {
    rule: 'disk.absent',
    message: `${c.show(name)} does not exist on the machine`,
    fix: disks.length === 0 ? 'the machine has no disk at all' : `it has ${disks.join(', ')}`,
  });
}

function judgeFound(c: Case, key: DiskKey, disk: BlockDevice): void {
  const machine = c.machine as Machine;
  if (machine.partial) {
    // The disks of a laptop say nothing about the appliance, but a size that is too small here is too small there.
    if (disk.type !== 'disk') c.report(key, { rule: 'disk.not-whole-here', message: 'is no whole disk on this machine' });
    else if (disk.sizeBytes > 0 && disk.sizeBytes < MIN_DISK_BYTES)
      c.report(key, {
        rule: 'disk.too-small',
        message: `has ${(disk.sizeBytes / GIB).toFixed(1)} GiB; at least ${MIN_DISK_BYTES / GIB} GiB are needed`,
      });
    return;
  }
  const verdict = judgeDisks(machine).find((v) => v.kname === disk.kname);
  if (!verdict) {
    c.report(key, { rule: 'disk.partition', message: `${c.show(disk.path)} is no whole disk` });
    return;
  }
  for (const reason of verdict.reasons) c.report(key, { rule: 'disk.refused', message: `cannot be installed on: ${reason.text}` });
  for (const warning of verdict.warnings) c.report(key, { rule: 'disk.caution', message: warning.text });
}

function judgeDisk(c: Case, key: DiskKey): BlockDevice | null {
  const name = c.answers[key];
  if (name === undefined) return null;
  const faults = diskNameFaults(key, name);
  // With the machine at hand the kernel's name is as good as any: the wizard shows both and remembers the identity.
  for (const fault of faults) if (fault.rule !== 'disk.unstable' || c.mode === 'lint') c.report(key, fault);
  if (!c.machine || faults.some((fault) => fault.rule !== 'disk.unstable' && fault.rule !== 'disk.content-name')) return null;
  const disk = findDisk(c.machine, name);
  if (disk) judgeFound(c, key, disk);
  else absent(c, key, name);
  return disk;
}

function judgeMirror(c: Case, target: BlockDevice | null, mirror: BlockDevice | null): void {
  const { target_disk: targetName, mirror_disk: mirrorName } = c.answers;
  if (!c.isWritten('target_disk'))
    c.report('mirror_disk', {
      rule: 'mirror.no-target',
      message: 'needs a target_disk: the mirror is a copy of it',
      fix: 'add target_disk',
    });
  if (isSet(c.answers, 'keep_var'))
    c.report('mirror_disk', {
      rule: 'mirror.keep-var',
      message: 'cannot stand beside keep_var: a mirror needs both disks erased',
      fix: 'take one of the two out',
    });
  const isSame = (targetName !== undefined && targetName === mirrorName) || (target !== null && target.kname === mirror?.kname);
  if (isSame) c.report('mirror_disk', { rule: 'mirror.same', message: 'is the same disk as target_disk; a disk cannot mirror itself' });
  else if (target && mirror && c.machine) {
    const refusal = c.machine.partial ? null : mirrorRefusal(c.machine, target.kname, mirror.kname);
    const isAlreadyTold = judgeDisks(c.machine).some((v) => v.kname === mirror.kname && v.reasons.some((r) => r.code === refusal?.code));
    if (refusal && !isAlreadyTold) c.report('mirror_disk', { rule: 'mirror.refused', message: refusal.text });
  }
}

/** The disks that are named: as names, and against the machine where there is one: `disk.*`, `mirror.*`, `keep.refused`. */
export function judgeTarget(c: Case): void {
  const target = judgeDisk(c, 'target_disk');
  const mirror = judgeDisk(c, 'mirror_disk');
  if (c.answers.mirror_disk !== undefined) judgeMirror(c, target, mirror);
  if (target && c.machine && !c.machine.partial && isSet(c.answers, 'keep_var')) {
    const kept = keptLayoutOf(c.machine, target.kname);
    if (kept.kind === 'refused')
      c.report('keep_var', {
        rule: 'keep.refused',
        message: `cannot be done: ${kept.reason.text}`,
        fix: 'leave keep_var out to erase the disk',
      });
  }
  const isClear = c.mode === 'lint' && !isSet(c.answers, 'unattended');
  // A confirmation that is faulty has been told already.
  const confirm = c.answers.confirm_wipe;
  const isClearNo = confirm === undefined ? !c.isWritten('confirm_wipe') : readBoolean(confirm).value === false;
  if (isClear && c.isWritten('target_disk') && isClearNo)
    c.report(
      'confirm_wipe',
      {
        rule: 'disk.not-confirmed',
        message: 'confirm_wipe is not true, so the disk is asked for on the console although the file names one',
        fix: 'write confirm_wipe: true',
      },
      'target_disk',
    );
}
