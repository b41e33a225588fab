/** Block devices of this machine: lsblk for what it knows, sysfs and the udev links for the rest. */
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BlockDevice, isLiveMount, type NvmePath } from '#model/machine.ts';
import { type MountEntry, parseMountinfo } from '#system/mountinfo.ts';
import { describeEnd } from '#system/run.ts';
import { connect, devicesFromRows, liveMediumOf, stackBelow } from './devices.ts';
import { CaptureError, parseLsblk } from './lsblk-json.ts';
import { withVolumeGroups } from './probe-lvm.ts';
import { withSignatures } from './probe-signatures.ts';
import type { Sources } from './sources.ts';

const LINK_DIRS = ['/dev/disk/by-id', '/dev/disk/by-path', '/dev/md'] as const;

/** Every stable link by the kernel name it leads to. */
async function readLinks(sources: Sources): Promise<Map<string, string[]>> {
  const links = new Map<string, string[]>();
  for (const dir of LINK_DIRS) {
    for (const name of await sources.names(dir)) {
      const target = await sources.target(`${dir}/${name}`);
      if (target === null) continue;
      const kname = target.replace(/^\/dev\//, '').replaceAll('/', '!');
      links.set(kname, [...(links.get(kname) ?? []), `${dir}/${name}`]);
    }
  }
  return links;
}

const sysDir = (device: BlockDevice): string => `/sys/class/block/${device.kname}`;

/** Name of an array without its home: `any:root_a` and `/dev/md/root_a` are both `root_a`. */
async function mdNameOf(sources: Sources, device: BlockDevice, links: readonly string[]): Promise<string | null> {
  const link = links.find((l) => l.startsWith('/dev/md/') && !/\/\d+$/.test(l));
  if (link !== undefined) return path.basename(link);
  const byName = links.find((l) => l.includes('/md-name-'));
  if (byName !== undefined) return byName.slice(byName.indexOf('/md-name-') + '/md-name-'.length);
  const detail = await sources.output(['mdadm', '--detail', '--export', `/dev/${device.kname}`]);
  return /^MD_(?:DEV)?NAME=(.+)$/m.exec(detail ?? '')?.[1] ?? null;
}

/** A device with what lsblk does not print: links, dm uuid, md name and metadata, the state of a path. */
async function enrich(sources: Sources, device: BlockDevice, links: readonly string[]): Promise<BlockDevice> {
  const dir = sysDir(device);
  const disk = links.filter((l) => l.startsWith('/dev/disk/'));
  const common = { ...device, links: [...new Set([...device.links, ...disk])] };
  if (device.kname.startsWith('dm-')) {
    const name = await sources.text(`${dir}/dm/name`);
    return { ...common, path: name === null ? device.path : `/dev/mapper/${name}`, dmUuid: await sources.text(`${dir}/dm/uuid`) };
  }
  if (/^md\d/.test(device.kname) && device.type !== 'part') {
    const named = links.find((l) => l.startsWith('/dev/md/') && !/\/\d+$/.test(l));
    return {
      ...common,
      path: named ?? device.path,
      mdName: await mdNameOf(sources, device, links),
      mdMetadata: await sources.text(`${dir}/md/metadata_version`),
    };
  }
  return { ...common, serial: device.serial ?? (await sources.text(`${dir}/serial`)) };
}

const NVME_NAMESPACE = /^nvme(\d+)n(\d+)$/;

/** The hidden path devices of NVMe native multipath, by the namespace they lead to. */
async function readNvmePaths(sources: Sources): Promise<Map<string, NvmePath[]>> {
  const paths = new Map<string, NvmePath[]>();
  for (const kname of await sources.names('/sys/block')) {
    const [, subsystem, controller, namespace] = /^nvme(\d+)c(\d+)n(\d+)$/.exec(kname) ?? [];
    if (controller === undefined) continue;
    const owner = `nvme${subsystem}n${namespace}`;
    const state = await sources.text(`/sys/class/nvme/nvme${controller}/state`);
    paths.set(owner, [...(paths.get(owner) ?? []), { kname, state }]);
  }
  return paths;
}

const CLAIM_RETRY_MS = 300;

/**
 * Asks the kernel for each whole disk alone, as installing would. It catches users that no table shows: a ZFS pool, a
 * virtual machine, another tool. Assembly and udev hold a disk for moments, so one refusal is not believed.
 */
async function withClaims(sources: Sources, devices: readonly BlockDevice[]): Promise<BlockDevice[]> {
  const isDisk = (d: BlockDevice): boolean =>
    d.type === 'disk' && d.parents.length === 0 && d.sizeBytes > 0 && !/^(?:zram|ram|fd|nbd)\d/.test(d.kname);
  return Promise.all(
    devices.map(async (device) => {
      if (!isDisk(device)) return device;
      const first = await sources.claimed(device.path);
      const explained = [device, ...devices.filter((d) => device.children.includes(d.kname))].some((d) => d.mountpoints.length > 0);
      const claimed = first === true && !explained ? await delay(CLAIM_RETRY_MS).then(() => sources.claimed(device.path)) : first;
      return claimed === null ? device : { ...device, claimed };
    }),
  );
}

/** Edges of the DAG that the kernel keeps; lsblk leaves out holders that it cannot name. */
async function holderEdges(sources: Sources, devices: readonly BlockDevice[]): Promise<(readonly [string, string])[]> {
  const edges = await Promise.all(
    devices.map(async (d) => (await sources.names(`${sysDir(d)}/holders`)).map((holder) => [d.kname, holder] as const)),
  );
  return edges.flat();
}

/** Kernel name of the device that a file lives on: the longest mount point that holds it. */
async function deviceOfFile(sources: Sources, mounts: readonly MountEntry[], file: string): Promise<string | null> {
  const holding = mounts.filter((m) => file === m.target || file.startsWith(m.target === '/' ? '/' : `${m.target}/`));
  const nearest = holding.sort((a, b) => b.target.length - a.target.length)[0];
  if (nearest === undefined || nearest.majorMinor.startsWith('0:')) return null;
  const link = await sources.target(`/sys/dev/block/${nearest.majorMinor}`);
  return link === null ? null : path.basename(link);
}

/** Edges from a device to the loop devices whose backing file lies on it, or is the device itself: the kernel calls neither a holder. */
async function loopEdges(
  sources: Sources,
  devices: readonly BlockDevice[],
  mounts: readonly MountEntry[],
): Promise<(readonly [string, string])[]> {
  const edges: (readonly [string, string])[] = [];
  for (const loop of devices.filter((d) => /^loop\d/.test(d.kname) && d.type !== 'part')) {
    const file = await sources.text(`${sysDir(loop)}/loop/backing_file`);
    const itself = devices.find((d) => file === `/dev/${d.kname}`);
    const below = file === null ? null : (itself?.kname ?? (await deviceOfFile(sources, mounts, file)));
    if (below !== null) edges.push([below, loop.kname]);
  }
  return edges;
}

/** Live mounts whose source only the mount table knows (a device that lsblk shows without a mount point). */
async function liveFromMounts(sources: Sources, mounts: readonly MountEntry[]): Promise<string[]> {
  const live = mounts.filter((m) => isLiveMount(m.target) && !m.majorMinor.startsWith('0:'));
  const links = await Promise.all(live.map((m) => sources.target(`/sys/dev/block/${m.majorMinor}`)));
  return links.filter((l) => l !== null).map((l) => path.basename(l));
}

export interface ProbedBlocks {
  readonly devices: readonly BlockDevice[];
  readonly liveMedium: readonly string[];
  readonly lsblk: string;
}

const LSBLK = ['lsblk', '-J', '-b', '-O'] as const;
/** A failing disk makes lsblk slow; giving up early would hide every other disk too. */
const LSBLK_TIMEOUT_MS = 60_000;

async function listBlocks(sources: Sources): Promise<string> {
  const result = await sources.result(LSBLK, LSBLK_TIMEOUT_MS);
  // It may complain about one device, with an exit status, and still list all the others.
  if (result.kind === 'exited' && result.stdout.trim() !== '') return result.stdout;
  const why = result.kind === 'exited' ? `${describeEnd(result)} and no output` : describeEnd(result);
  throw new CaptureError(`the disks are not known, because lsblk failed (${why}). It is part of util-linux; 2.33 or newer is needed`);
}

/** Throws CaptureError when lsblk lists nothing: without it nothing may be said about disks. */
export async function probeBlocks(sources: Sources): Promise<ProbedBlocks> {
  const lsblk = await listBlocks(sources);
  const listed = devicesFromRows(parseLsblk(new TextEncoder().encode(lsblk)).rows);
  const links = await readLinks(sources);
  const enriched = await Promise.all(listed.map((d) => enrich(sources, d, links.get(d.kname) ?? [])));
  const mounts = parseMountinfo((await sources.text('/proc/self/mountinfo')) ?? '');
  const read = await withVolumeGroups(sources, await withSignatures(sources, enriched));
  const held = connect(read, await holderEdges(sources, read));
  const loops = await loopEdges(sources, held, mounts);
  const nvme = await readNvmePaths(sources);
  // A loop's backing file is no holder, so it only matters for the live medium and for what is in use.
  const withLoops = connect(held, loops);
  const live = stackBelow(withLoops, [...liveMediumOf(withLoops), ...(await liveFromMounts(sources, mounts))]);
  const named = withLoops.map((d) => {
    const paths = NVME_NAMESPACE.test(d.kname) ? nvme.get(d.kname) : undefined;
    return paths === undefined ? d : { ...d, nvmePaths: paths };
  });
  return { devices: await withClaims(sources, named), liveMedium: live, lsblk };
}
