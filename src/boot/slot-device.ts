/** The block devices of the two slots, found from the one that runs: on its disk, its mirror or its map, whatever else is in the box. */
import { type HostView, parseKeyValues } from '#system/observe.ts';
import { rootDevice, type SlotName, slotOf, udevOf } from './slots.ts';

export type SlotNodes = Readonly<Partial<Record<SlotName, string>>>;

const CLASS = '/sys/class/block';

/** Named arrays: their names are the product's, and `/dev/md` holds only what is assembled here. */
async function arrays(host: HostView): Promise<[string, string][]> {
  return (await host.names('/dev/md')).map((name) => [name, `/dev/md/${name}`]);
}

/** Partition maps that sit on the same multipath map as the running one. */
async function mapPartitions(host: HostView, at: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const map of await host.names(`${at}/slaves`))
    for (const holder of await host.names(`${CLASS}/${map}/holders`)) {
      if (!/^part\d+-mpath-/.test((await host.word(`${CLASS}/${holder}/dm/uuid`)) ?? '')) continue;
      const name = (await udevOf(host, (await host.word(`${CLASS}/${holder}/dev`)) ?? '')).get('E:ID_PART_ENTRY_NAME');
      const node = await host.word(`${CLASS}/${holder}/dm/name`);
      if (name !== undefined && node !== null) found.push([name, `/dev/mapper/${node}`]);
    }
  return found;
}

/** Partitions of the disk that the running one is on. */
async function diskPartitions(host: HostView, at: string): Promise<[string, string][]> {
  const own = await host.real(at);
  const disk = own?.slice(0, own.lastIndexOf('/'));
  if (disk === undefined) return [];
  const found: [string, string][] = [];
  for (const name of await host.names(disk)) {
    const uevent = parseKeyValues((await host.text(`${disk}/${name}/uevent`).catch(() => null)) ?? '');
    const label = uevent.get('PARTNAME');
    const node = uevent.get('DEVNAME');
    if (label !== undefined && node !== undefined) found.push([label, `/dev/${node}`]);
  }
  return found;
}

/** Nodes of the slots that are there. Empty when `/` is on nothing that this product installs on. */
export async function slotNodes(host: HostView): Promise<SlotNodes> {
  const majorMinor = rootDevice((await host.text('/proc/self/mountinfo')) ?? '');
  if (majorMinor === null) return {};
  const at = `/sys/dev/block/${majorMinor}`;
  const isArray = await host.exists(`${at}/md`);
  const found = isArray
    ? await arrays(host)
    : (await host.exists(`${at}/dm`))
      ? await mapPartitions(host, at)
      : await diskPartitions(host, at);
  const nodes: Partial<Record<SlotName, string>> = {};
  for (const [name, node] of found) {
    const slot = slotOf(name);
    if (slot !== null) nodes[slot] = node;
  }
  return nodes;
}
