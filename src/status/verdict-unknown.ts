/** Which sections a box of this role must know to be called healthy, and what to say when it does not. */
import type { SectionName } from '#model/status.ts';
import type { Reading, View } from './freshness.ts';
import type { Candidate } from './verdict-rule.ts';

const ALWAYS: readonly SectionName[] = ['identity', 'network', 'vitals', 'disks', 'storage', 'slots', 'k3s'];
const WITH_K3S: readonly SectionName[] = ['nodes', 'pods'];
const CONTROL_PLANE_WITH_K3S: readonly SectionName[] = ['etcd'];
const APPLIANCE: readonly SectionName[] = ['supervisor', 'pairing', 'control_plane'];
/** What the console can read by itself (console inventory 7.6). */
const LOCAL: readonly SectionName[] = ['identity', 'vitals', 'disks'];

const TITLES: Partial<Record<SectionName, string>> = {
  identity: 'identity',
  vitals: 'CPU and memory',
  disks: 'disks',
  storage: 'storage redundancy',
  slots: 'boot slots',
  k3s: 'k3s',
  control_plane: 'control plane',
  pull: 'panel',
};

function requiredSections(view: View, localOnly: boolean): SectionName[] {
  if (localOnly) return [...LOCAL];
  const k3s = view.k3s;
  const hasK3s = k3s?.freshness !== 'not_applicable' && k3s?.data?.installed === true;
  const role = view.identity?.data?.role ?? null;
  return [
    ...ALWAYS,
    ...(hasK3s ? WITH_K3S : []),
    ...(hasK3s && role === 'control-plane' ? CONTROL_PLANE_WITH_K3S : []),
    ...(role === 'appliance' ? APPLIANCE : []),
    // Only a box with a panel has the section.
    ...(view.pull ? (['pull'] as const) : []),
  ];
}

/** A list that was cut says nothing about what is not on it. */
const isIncomplete = (data: unknown): boolean => typeof data === 'object' && data !== null && 'complete' in data && data.complete === false;

function describe(name: SectionName, reading: Reading<unknown> | undefined): string | null {
  if (!reading) return 'not reported';
  // Every machine has these, so a server that says otherwise does not know them.
  if (reading.freshness === 'not_applicable' && LOCAL.includes(name)) return 'not reported';
  switch (reading.freshness) {
    case 'fresh':
      return isIncomplete(reading.data) ? 'the list is not complete' : null;
    case 'not_applicable':
      return null;
    case 'unknown':
      return 'not known yet';
    case 'stale':
      return 'no news for a while';
    case 'expired':
      return 'readings too old to trust';
    case 'unavailable':
      return reading.error ?? 'cannot be read';
  }
}

/** The required sections that are not known now, each with its reason. */
export function unknownSections(view: View, localOnly: boolean): { readonly name: SectionName; readonly candidate: Candidate }[] {
  return requiredSections(view, localOnly).flatMap((name) => {
    const why = describe(name, view[name]);
    if (why === null) return [];
    const text = `${TITLES[name] ?? name}: ${why}`;
    return [{ name, candidate: { code: 'section.unknown', level: 'UNKNOWN', subject: name, text, section: name, hint: null } }];
  });
}
