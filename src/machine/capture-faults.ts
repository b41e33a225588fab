/** What a list of devices must keep to beyond its shape, or no rule could be trusted on it. */
import { MAX_BLOCK_DEVICES } from '#model/limits.ts';
import type { BlockDevice } from '#model/machine.ts';

/** Deeper than any real stack: disk, partition, RAID, LUKS, LVM, thin pool and snapshots make about ten. */
export const MAX_STACK_DEPTH = 64;

/** What udev lets into the name of a node; everything else it spells `\xNN`. */
const NODE_PATH = /^\/dev\/(?:[A-Za-z0-9#+,.:=@_/-]|\\x[0-9a-fA-F]{2})+$/;
const KERNEL_NAME = /^(?:[A-Za-z0-9#+,.:=@_!-]|\\x[0-9a-fA-F]{2})+$/;
/** Links may hold letters of any script, since udev keeps UTF-8. */
const LINK_PATH = /^\/dev\/[^\s\p{Cc};&|<>$`'"*?(){}]+$/u;
const ODD_STEP = /\/\.{0,2}(?:\/|$)/;

const shown = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);

/** A faulty name of one device, null when all are sound. */
function nameFault({ kname, path, links }: BlockDevice): string | null {
  if (!KERNEL_NAME.test(kname) || /^\.{1,2}$/.test(kname)) return `the kname ${shown(kname)} is no kernel name of a device`;
  if (!NODE_PATH.test(path) || ODD_STEP.test(path)) return `the path ${shown(path)} of ${shown(kname)} is no device node below /dev/`;
  const link = links.find((l) => !LINK_PATH.test(l) || ODD_STEP.test(l));
  return link === undefined ? null : `the link ${shown(link)} of ${shown(kname)} is no name below /dev/`;
}

/** The first device that shares its name with one before it. */
function doubleFault(devices: readonly BlockDevice[]): string | null {
  const knames = new Set<string>();
  const paths = new Map<string, string>();
  for (const { kname, path } of devices) {
    if (knames.has(kname)) return `two devices have the kname ${shown(kname)}`;
    const other = paths.get(path);
    if (other !== undefined) return `${shown(other)} and ${shown(kname)} have the same path ${shown(path)}`;
    knames.add(kname);
    paths.set(path, kname);
  }
  return null;
}

/** Edges downwards, whichever end they are written at; a fault when one leads out of the list. */
function edgesOf(devices: readonly BlockDevice[]): ReadonlyMap<string, ReadonlySet<string>> | string {
  const edges = new Map<string, Set<string>>(devices.map((d) => [d.kname, new Set()]));
  for (const { kname, parents, children } of devices) {
    const lost = [...parents, ...children].find((name) => !edges.has(name));
    if (lost !== undefined) return `${shown(kname)} refers to ${shown(lost)}, which is not in the capture`;
    for (const child of children) edges.get(kname)?.add(child);
    for (const parent of parents) edges.get(parent)?.add(kname);
  }
  return edges;
}

/** Takes away what stands on nothing, level by level; what is left over at the end stands on itself. */
function stackFault(edges: ReadonlyMap<string, ReadonlySet<string>>): string | null {
  const waitsFor = new Map<string, number>([...edges.keys()].map((name) => [name, 0]));
  for (const children of edges.values()) for (const child of children) waitsFor.set(child, (waitsFor.get(child) ?? 0) + 1);
  let level = [...edges.keys()].filter((name) => waitsFor.get(name) === 0);
  let left = edges.size;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_STACK_DEPTH) return `${shown(level[0] ?? '')} stands on more than ${MAX_STACK_DEPTH} levels of devices`;
    left -= level.length;
    const next: string[] = [];
    for (const name of level)
      for (const child of edges.get(name) ?? []) {
        const count = (waitsFor.get(child) ?? 0) - 1;
        waitsFor.set(child, count);
        if (count === 0) next.push(child);
      }
    level = next;
  }
  if (left === 0) return null;
  return `${shown(onCycle(edges, waitsFor))} stands on itself: its parents and children form a ring`;
}

/** A device of a ring, found by going back from any that was never freed: each of those has a parent that was not either. */
function onCycle(edges: ReadonlyMap<string, ReadonlySet<string>>, waitsFor: ReadonlyMap<string, number>): string {
  const stuck = new Set([...waitsFor].filter(([, count]) => count > 0).map(([name]) => name));
  const parentOf = new Map<string, string>();
  for (const name of stuck) for (const child of edges.get(name) ?? []) parentOf.set(child, name);
  const seen = new Set<string>();
  let name = [...stuck][0] ?? '';
  while (!seen.has(name)) {
    seen.add(name);
    name = parentOf.get(name) ?? '';
  }
  return name;
}

/** The first fault in words that name the device; null for a list that the rules can work on. Time grows with its length only. */
export function devicesFault(devices: readonly BlockDevice[]): string | null {
  if (devices.length > MAX_BLOCK_DEVICES) return `${devices.length} block devices; at most ${MAX_BLOCK_DEVICES} are read`;
  for (const device of devices) {
    const fault = nameFault(device);
    if (fault !== null) return fault;
  }
  const double = doubleFault(devices);
  if (double !== null) return double;
  const edges = edgesOf(devices);
  return typeof edges === 'string' ? edges : stackFault(edges);
}
