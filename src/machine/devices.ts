/** From lsblk's trees to the DAG of block devices, keyed by kernel name. */
import { isRecord } from '#model/json.ts';
import { type BlockDevice, isLiveMount } from '#model/machine.ts';
import { MAX_STACK_DEPTH } from './capture-faults.ts';
import { CaptureError, flagOf, type JsonObject, listOf, numberOf, textOf } from './lsblk-json.ts';

/** Types that device-mapper gives; used only where lsblk was run without KNAME. */
const DM_TYPES = new Set(['dm', 'mpath', 'lvm', 'crypt', 'linear', 'dmraid']);

/** lsblk prints the `!` of a kernel name (`cciss!c0d0`) as the `/` of its node. */
const withoutDev = (name: string): string => name.replace(/^\/dev\//, '').replaceAll('/', '!');

/** Kernel name of a row: KNAME, else what NAME and the device number tell. */
function kernelName(row: JsonObject, parent: string | null): string {
  const kname = textOf(row, 'kname');
  if (kname !== null) return withoutDev(kname);
  const name = textOf(row, 'name');
  if (name === null) throw new CaptureError('a device without NAME and KNAME. Make the listing with: lsblk -J -b -O > FILE');
  const mapped = DM_TYPES.has(textOf(row, 'type') ?? '') || (parent?.startsWith('dm-') ?? false);
  const minor = /:(\d+)$/.exec(textOf(row, 'maj:min') ?? '')?.[1];
  return mapped && minor !== undefined ? `dm-${minor}` : withoutDev(name.replace(/^\/dev\/mapper\//, ''));
}

function nodePath(row: JsonObject, kname: string): string {
  const path = textOf(row, 'path');
  if (path?.startsWith('/dev/')) return path;
  const name = textOf(row, 'name');
  if (name?.startsWith('/dev/')) return name;
  return kname.startsWith('dm-') && name !== null ? `/dev/mapper/${name}` : `/dev/${kname.replaceAll('!', '/')}`;
}

function sizeOf(row: JsonObject, kname: string): number {
  const size = numberOf(row, 'size');
  if (size !== null && Number.isSafeInteger(size)) return size;
  const text = textOf(row, 'size');
  if (text === null) throw new CaptureError(`${kname} has no SIZE. Make the listing with: lsblk -J -b -O > FILE`);
  if (size !== null)
    throw new CaptureError(`the size of ${kname} is ${text} bytes, more than any disk has. Make the listing with: lsblk -J -b -O > FILE`);
  throw new CaptureError(
    `the size of ${kname} is the rounded "${text}"; exact bytes are needed. Make the listing with: lsblk -J -b -O > FILE`,
  );
}

/** MOUNTPOINTS is of util-linux 2.37; before it there was one MOUNTPOINT. */
export const tellsUse = (row: JsonObject): boolean => 'mountpoints' in row || 'mountpoint' in row;

function mountsOf(row: JsonObject): string[] {
  const single = textOf(row, 'mountpoint');
  return [...new Set([...listOf(row, 'mountpoints'), ...(single === null ? [] : [single])])];
}

function partNumberOf(row: JsonObject, type: string, kname: string): number | null {
  const given = numberOf(row, 'partn');
  if (given !== null || type !== 'part') return given;
  const digits = /(\d+)$/.exec(kname.startsWith('dm-') ? (textOf(row, 'name') ?? '') : kname)?.[1];
  return digits === undefined ? null : Number(digits);
}

function deviceOf(row: JsonObject, kname: string): BlockDevice {
  const type = textOf(row, 'type') ?? 'unknown';
  const link = textOf(row, 'id-link');
  return {
    kname,
    path: nodePath(row, kname),
    type,
    parents: [],
    children: [],
    sizeBytes: sizeOf(row, kname),
    logicalSectorBytes: numberOf(row, 'log-sec'),
    physicalSectorBytes: numberOf(row, 'phy-sec'),
    removable: flagOf(row, 'rm') ?? false,
    readOnly: flagOf(row, 'ro') ?? false,
    rotational: flagOf(row, 'rota'),
    transport: textOf(row, 'tran'),
    vendor: textOf(row, 'vendor'),
    model: textOf(row, 'model'),
    serial: textOf(row, 'serial'),
    wwn: textOf(row, 'wwn'),
    partitionTable: textOf(row, 'pttype'),
    partitionTableUuid: textOf(row, 'ptuuid'),
    partNumber: partNumberOf(row, type, kname),
    partLabel: textOf(row, 'partlabel'),
    partType: textOf(row, 'parttype'),
    partUuid: textOf(row, 'partuuid'),
    fsType: textOf(row, 'fstype'),
    fsVersion: textOf(row, 'fsver'),
    fsLabel: textOf(row, 'label'),
    fsUuid: textOf(row, 'uuid'),
    mountpoints: mountsOf(row),
    ...(tellsUse(row) ? {} : { usageRecorded: false }),
    ...(flagOf(row, 'ro') === null ? { readOnlyRecorded: false } : {}),
    links: link === null ? [] : [`/dev/disk/by-id/${link}`],
    dmUuid: null,
    mdName: null,
    mdMetadata: null,
    state: textOf(row, 'state'),
    zoned: textOf(row, 'zoned'),
  };
}

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];

/** Devices in the order lsblk lists them; a device shown under several parents comes once, with all of them. */
export function devicesFromRows(rows: readonly JsonObject[]): BlockDevice[] {
  const found = new Map<string, BlockDevice>();
  const edges: [parent: string, child: string][] = [];
  const visit = (row: JsonObject, parent: string | null, depth: number): void => {
    if (depth > MAX_STACK_DEPTH) throw new CaptureError(`devices stacked more than ${MAX_STACK_DEPTH} deep`);
    const kname = kernelName(row, parent);
    const device = deviceOf(row, kname);
    const known = found.get(kname);
    found.set(kname, known ? { ...known, mountpoints: union(known.mountpoints, device.mountpoints) } : device);
    // A flat listing (-l) has no children lists; PKNAME holds the same edge.
    const above = parent ?? textOf(row, 'pkname');
    if (above !== null) edges.push([withoutDev(above), kname]);
    const children = row['children'];
    if (Array.isArray(children)) for (const child of children.filter(isRecord)) visit(child, kname, depth + 1);
  };
  for (const row of rows) visit(row, null, 0);
  return connect([...found.values()], edges);
}

/** The same devices with `parents` and `children` set from the edges between them. */
export function connect(devices: readonly BlockDevice[], edges: readonly (readonly [parent: string, child: string])[]): BlockDevice[] {
  const known = new Set(devices.map((d) => d.kname));
  const above = new Map<string, string[]>();
  const below = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, key: string, name: string): void => {
    const names = map.get(key);
    if (names === undefined) map.set(key, [name]);
    else names.push(name);
  };
  for (const [parent, child] of edges) {
    if (!known.has(parent) || !known.has(child) || parent === child) continue;
    add(above, child, parent);
    add(below, parent, child);
  }
  return devices.map((d) => ({
    ...d,
    parents: union(d.parents, above.get(d.kname) ?? []),
    children: union(d.children, below.get(d.kname) ?? []),
  }));
}

/** Kernel names of everything below the given devices, themselves included, however deep the stack. */
export function stackBelow(devices: readonly BlockDevice[], knames: Iterable<string>): string[] {
  const byName = new Map(devices.map((d) => [d.kname, d]));
  const seen = new Set<string>();
  const queue = [...knames];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const device = byName.get(name);
    if (device === undefined || seen.has(name)) continue;
    seen.add(name);
    queue.push(...device.parents);
  }
  return devices.filter((d) => seen.has(d.kname)).map((d) => d.kname);
}

/** What carries the running live medium, as far as the mount points tell. */
export const liveMediumOf = (devices: readonly BlockDevice[]): string[] =>
  stackBelow(
    devices,
    devices.filter((d) => d.mountpoints.some(isLiveMount)).map((d) => d.kname),
  );
