/** A reinstallation that keeps /var keeps the data of one particular node: what is answered otherwise than it was, and what that costs. */
import type { Role } from '#model/answers.ts';
import { DEFAULT_POD_CIDR, DEFAULT_SERVICE_CIDR } from '#model/limits.ts';
import type { Machine } from '#model/machine.ts';
import { formatCidr } from './addresses.ts';
import type { Case } from './case.ts';
import { isSet, readRole } from './choices.ts';
import { findDisk } from './disks.ts';
import { readRange } from './k3s.ts';
import { parseStateConfig } from './state-config.ts';

/** What the STATE of an installation says, by the names of spatium-config.yaml; an unset value is left out. */
export type KeptIdentity = ReadonlyMap<string, string>;

/** Null when there is no installation on the disk, or when its STATE was not read or says nothing. */
export function keptIdentityOf(machine: Machine, kname: string): KeptIdentity | null {
  const text = machine.installed?.find((system) => system.disk === kname)?.stateConfig ?? null;
  if (text === null) return null;
  const values = new Map([...parseStateConfig(text).values].filter(([, value]) => value !== ''));
  return values.size === 0 ? null : values;
}

/** The role that the kept data was made for; null when it does not say. */
export const keptRole = (kept: KeptIdentity): Role | null => readRole(kept.get('role') ?? '').value;

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  'control-plane': 'a first node (control-plane)',
  appliance: 'an additional node (appliance)',
};

function judgeName(c: Case, kept: KeptIdentity): void {
  const [before, now] = [kept.get('hostname'), c.answers.hostname];
  if (before === undefined || now === undefined || before.toLowerCase() === now.toLowerCase()) return;
  c.report('hostname', {
    rule: 'keep.hostname',
    message: `is not the name that the kept data was made under, ${c.show(before)}: Kubernetes knows the node and its volumes by that name, and would take this machine for a new one`,
    fix: `write ${c.show(before)}`,
  });
}

function judgeRole(c: Case, kept: KeptIdentity): void {
  const before = keptRole(kept);
  if (before === null || c.role === null || before === c.role) return;
  c.report('keep_var', {
    rule: 'keep.role',
    message: `keeps the data of ${ROLE_NAMES[before]}, and this is to be ${ROLE_NAMES[c.role]}, which cannot use it`,
    fix: `write role: ${before}, or leave keep_var out to erase the disk`,
  });
}

const RANGES = [
  ['pod_cidr', DEFAULT_POD_CIDR],
  ['service_cidr', DEFAULT_SERVICE_CIDR],
] as const;

function judgeRanges(c: Case, kept: KeptIdentity): void {
  if (c.role !== 'control-plane') return;
  for (const [name, usual] of RANGES) {
    const before = kept.get(name);
    const range = readRange(c.answers.k3s?.[name] ?? usual, name).value;
    if (before === undefined || range === null || formatCidr(range) === before) continue;
    c.report(`k3s.${name}`, {
      rule: 'keep.ranges',
      message: `is not the range that the kept cluster was made with, ${c.show(before)}: it cannot be changed later, and the cluster would not start`,
      fix: `write ${c.show(before)}`,
    });
  }
}

/** With keep_var: that the new answers fit the data which stays, `keep.*`. */
export function judgeKept(c: Case): void {
  if (c.machine === null || c.machine.partial === true || !isSet(c.answers, 'keep_var')) return;
  const disk = c.answers.target_disk === undefined ? null : findDisk(c.machine, c.answers.target_disk);
  const kept = disk && keptIdentityOf(c.machine, disk.kname);
  if (!kept) return;
  judgeName(c, kept);
  judgeRole(c, kept);
  judgeRanges(c, kept);
}
