/** Our own installations on the disks of this machine: versions and last use, read from the file systems without mounting them. */
import { isRecord } from '#model/json.ts';
import type { BlockDevice, InstalledSlot, InstalledSystem } from '#model/machine.ts';
import { parseLooseJson, textOf } from './lsblk-json.ts';
import type { Sources } from './sources.ts';

/** debugfs opens read-only and replays no journal; a damaged file system only costs the version. */
const TIMEOUT_MS = 10_000;
const RELEASE_FILE = '/etc/spatiumddi/appliance-release';
const VERSIONS_FILE = '/lib/spatiumddi/release-state/slot-versions.json';

const STATE_FILE = '/spatium-config.yaml';
/** Lines that are taken. A file of an older installer holds a pairing code, which no capture may. */
const STATE_LINE =
  /^(?:hostname|admin_user|role|control_plane_url|network6?_[a-z]+|timezone|ntp_servers|keymap|pod_cidr|service_cidr|root_password_set)[ \t]*:/;

/** What STATE says of its system; null when it says nothing that is taken. */
function identityLines(text: string | null): string | null {
  const lines = (text ?? '').split(/\r?\n/).filter((line) => STATE_LINE.test(line));
  return lines.length === 0 ? null : `${lines.join('\n')}\n`;
}

/** ext4 superblock: at byte 1024; time of last mount at 0x2c, magic at 0x38, high byte of the time at 0x275. */
const SUPERBLOCK_AT = 1024;
const SUPERBLOCK_BYTES = 1024;
const EXT_MAGIC = 0xef53;

/** When an ext file system was last mounted; null when it is none, or never was. */
function lastMountOf(block: Uint8Array): string | null {
  if (block.length < SUPERBLOCK_AT + SUPERBLOCK_BYTES) return null;
  const view = new DataView(block.buffer, block.byteOffset + SUPERBLOCK_AT, SUPERBLOCK_BYTES);
  if (view.getUint16(0x38, true) !== EXT_MAGIC) return null;
  const seconds = view.getUint32(0x2c, true) + view.getUint8(0x275) * 2 ** 32;
  return seconds === 0 ? null : new Date(seconds * 1000).toISOString();
}

/** `APPLIANCE_VERSION` of a release file; null when it has none. */
function releaseVersion(text: string): string | null {
  const value = /^APPLIANCE_VERSION=(?:"([^"]*)"|(\S*))\s*$/m.exec(text);
  return (value?.[1] ?? value?.[2] ?? '').trim() || null;
}

const readFileOf = (sources: Sources, device: BlockDevice, file: string): Promise<string | null> =>
  sources.output(['debugfs', '-R', `cat ${file}`, device.path], TIMEOUT_MS);

/** `slot_a` and `slot_b` as the slot tool wrote them on /var. */
async function recordedVersions(sources: Sources, device: BlockDevice): Promise<Readonly<Record<'A' | 'B', string | null>>> {
  const none = { A: null, B: null };
  try {
    const value = parseLooseJson((await readFileOf(sources, device, VERSIONS_FILE)) ?? '');
    return isRecord(value) ? { A: textOf(value, 'slot_a'), B: textOf(value, 'slot_b') } : none;
  } catch {
    return none;
  }
}

/** What holds the file system of a partition: the array of a mirror, else the partition. */
function filesystemOn(devices: readonly BlockDevice[], part: BlockDevice): BlockDevice {
  return devices.find((d) => part.children.includes(d.kname) && d.type === 'raid1') ?? part;
}

async function readSystem(sources: Sources, devices: readonly BlockDevice[], disk: BlockDevice): Promise<InstalledSystem | null> {
  const named = (name: string): BlockDevice | null => {
    const part = devices.find((d) => disk.children.includes(d.kname) && d.partLabel?.toLowerCase() === name);
    const holder = part && filesystemOn(devices, part);
    return holder?.fsType === 'ext4' ? holder : null;
  };
  const [a, b, data] = [named('root_a'), named('root_b'), named('var')];
  if (a === null || b === null || data === null) return null;
  const recorded = await recordedVersions(sources, data);
  const slotOf = async (slot: 'A' | 'B', device: BlockDevice): Promise<InstalledSlot> => ({
    slot,
    version: releaseVersion((await readFileOf(sources, device, RELEASE_FILE)) ?? '') ?? recorded[slot],
  });
  const state = named('state');
  const block = await sources.bytes(data.path, SUPERBLOCK_AT + SUPERBLOCK_BYTES);
  return {
    disk: disk.kname,
    slots: [await slotOf('A', a), await slotOf('B', b)],
    ...(state === null ? {} : { stateConfig: identityLines(await readFileOf(sources, state, STATE_FILE)) }),
    lastBootAt: block === null ? null : lastMountOf(block),
  };
}

/** One entry for every disk with both slots and /var of ours, mirrors included. */
export async function probeInstalled(sources: Sources, devices: readonly BlockDevice[]): Promise<InstalledSystem[]> {
  const disks = devices.filter((d) => d.type === 'disk' || d.type === 'mpath' || d.type === 'loop');
  const found = await Promise.all(disks.map((disk) => readSystem(sources, devices, disk)));
  return found.filter((system) => system !== null);
}
