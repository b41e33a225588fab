/** Facts about the two system slots, read only and without starting a process: which one runs, which one is kept. */
import { PATHS } from '#model/limits.ts';
import type { SlotsData } from '#model/status-sections.ts';
import { parseMountinfo } from '#system/mountinfo.ts';
import { type HostView, parseKeyValues } from '#system/observe.ts';
import { isCurrentMenu } from './grub-menu.ts';

export type SlotName = 'slot_a' | 'slot_b';
type Slot = SlotsData['slots']['slot_a'];

/** Words that older tools wrote where a version should be; none of them is a version. */
const SENTINELS = new Set(['unstamped', 'unreadable', 'unknown']);

/** Variables of a grubenv block; GRUB pads it with `#` to 1024 bytes. */
export const parseGrubenv = (text: string): Map<string, string> => parseKeyValues(text.replace(/#+$/, ''));

/** `slot_a`, `root_A`, `root_a`, `slot_a_verbose` name slot A. */
export function slotOf(name: string | null | undefined): SlotName | null {
  const m = /^(?:root|slot)_([ab])(?:_verbose)?$/i.exec(name?.trim() ?? '');
  return m ? (m[1]?.toLowerCase() === 'a' ? 'slot_a' : 'slot_b') : null;
}

/** Beside a slot's version in the list of versions: the k3s that is on it. */
export const k3sKeyOf = (slot: SlotName): string => `${slot}_k3s`;

/** `v1.36.1+k3s1` is 1.36; null for what is no version. */
function minorOf(version: unknown): readonly [number, number] | null {
  const m = typeof version === 'string' ? /^v?(\d+)\.(\d+)\./.exec(version) : null;
  return m ? [Number(m[1]), Number(m[2])] : null;
}

/**
 * Would the cluster start on the other slot? An older minor version of k3s does not read what a newer one has written: then an etcd
 * snapshot of before the upgrade has to be restored after going back. Null: the versions are not known.
 */
export function rollbackOf(running: unknown, other: unknown): Pick<SlotsData, 'rollback_safe' | 'rollback_note'> {
  const [now, then] = [minorOf(running), minorOf(other)];
  if (now === null || then === null) return { rollback_safe: null, rollback_note: null };
  const isOlder = then[0] < now[0] || (then[0] === now[0] && then[1] < now[1]);
  if (!isOlder) return { rollback_safe: true, rollback_note: null };
  return {
    rollback_safe: false,
    rollback_note: `k3s ${String(other)} there, ${String(running)} here: restore an etcd snapshot of before the upgrade afterwards`,
  };
}

export const otherSlot = (slot: SlotName): SlotName => (slot === 'slot_a' ? 'slot_b' : 'slot_a');

/** `major:minor` of the file system on `/`. */
export const rootDevice = (mountinfo: string): string | null =>
  parseMountinfo(mountinfo).findLast((m) => m.target === '/')?.majorMinor ?? null;

export interface RootFacts {
  readonly booted: SlotName | null;
  readonly storageKind: NonNullable<SlotsData['storage_kind']> | null;
}

async function mdName(host: HostView, kname: string, udev: Map<string, string>): Promise<string | null> {
  const named = udev.get('E:MD_DEVNAME') ?? udev.get('E:MD_NAME')?.split(':').at(-1);
  if (named) return named;
  for (const name of await host.names('/dev/md')) if ((await host.link(`/dev/md/${name}`))?.endsWith(`/${kname}`)) return name;
  return null;
}

/** udev's record of a device, `E:KEY=value` lines. */
export async function udevOf(host: HostView, majorMinor: string): Promise<Map<string, string>> {
  const text = (await host.text(`/run/udev/data/b${majorMinor}`).catch(() => null)) ?? '';
  const pairs = text.split('\n').flatMap((l): [string, string][] => {
    const at = l.indexOf('=');
    return l.startsWith('E:') && at > 0 ? [[l.slice(0, at), l.slice(at + 1)]] : [];
  });
  return new Map(pairs);
}

/**
 * Which slot `/` is on: by the name of its partition (the kernel's own record), of its array on a mirror, or of the
 * partition of its multipath map. Never by a label or a UUID alone, which a second disk can carry too.
 */
export async function rootFacts(host: HostView): Promise<RootFacts> {
  const majorMinor = rootDevice((await host.text('/proc/self/mountinfo')) ?? '');
  if (majorMinor === null) return { booted: null, storageKind: null };
  const at = `/sys/dev/block/${majorMinor}`;
  const [uevent, udev] = await Promise.all([host.text(`${at}/uevent`), udevOf(host, majorMinor)]);
  const kernel = parseKeyValues(uevent ?? '');
  const kname = kernel.get('DEVNAME') ?? '';
  if (await host.exists(`${at}/md`)) return { booted: slotOf(await mdName(host, kname, udev)), storageKind: 'md' };
  const partName = slotOf(kernel.get('PARTNAME') ?? udev.get('E:PARTNAME') ?? udev.get('E:ID_PART_ENTRY_NAME'));
  const dmUuid = await host.word(`${at}/dm/uuid`);
  if (dmUuid !== null) return { booted: partName, storageKind: /(^|-)mpath-/.test(dmUuid) ? 'multipath' : null };
  return { booted: partName, storageKind: uevent === null ? null : 'disk' };
}

function slotVersion(raw: unknown, running: string | null): Slot {
  const text = running ?? (typeof raw === 'string' ? raw.trim() : '');
  const base = { kernel: null, size_bytes: null };
  if (text === '') return { ...base, version: null, version_state: 'unknown' };
  const state = SENTINELS.has(text) ? (text as Slot['version_state']) : 'known';
  return { ...base, version: state === 'known' ? text : null, version_state: state };
}

async function versions(host: HostView): Promise<Readonly<Record<string, unknown>>> {
  try {
    const v: unknown = JSON.parse((await host.text(PATHS.slotVersions)) ?? '{}');
    return typeof v === 'object' && v !== null ? (v as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Everything known about the slots; null on a machine that was not installed with two of them. */
export async function readSlots(host: HostView): Promise<SlotsData | null> {
  const [root, grubenv, known, release, menu, k3s] = await Promise.all([
    rootFacts(host),
    host.text(`${PATHS.grubDir}/grubenv`),
    versions(host),
    host.text(PATHS.release).catch(() => null),
    host.text(`${PATHS.grubDir}/grub.cfg`).catch(() => null),
    host.text(PATHS.k3sVersion).catch(() => null),
  ]);
  if (root.booted === null && grubenv === null) return null;
  const env = parseGrubenv(grubenv ?? '');
  const durable = slotOf(env.get('saved_entry'));
  const next = env.get('next_entry') || null;
  const trial = root.booted !== null && durable !== null ? root.booted !== durable : null;
  // What runs knows its own version better than the list does.
  const running = parseKeyValues(release ?? '').get('APPLIANCE_VERSION') || null;
  const slot = (name: SlotName): Slot => slotVersion(known[name], root.booted === name ? running : null);
  return {
    available: root.booted !== null && durable !== null,
    booted: root.booted,
    durable,
    next_once: next,
    is_trial: trial,
    commit_pending: trial,
    slots: { slot_a: slot('slot_a'), slot_b: slot('slot_b') },
    storage_kind: root.storageKind,
    ...rollbackOf(k3s?.trim(), root.booted === null ? null : known[k3sKeyOf(otherSlot(root.booted))]),
    esp_schema_current: menu === null ? null : isCurrentMenu(menu),
  };
}
