/** The real places of `findAnswerFile`: volumes are mounted read-only, looked at and let go. */
import path from 'node:path';
import type { Machine } from '#model/machine.ts';
import { ensureDir, readTextIfExists } from '#system/files.ts';
import { parseMountinfo } from '#system/mountinfo.ts';
import { type Runner, succeeded, whyFailed } from '#system/run.ts';
import { fetchAnswerFile } from './fetch.ts';
import type { FindPorts } from './find.ts';
import { loadFile } from './ports.ts';

const MOUNT_POINT = '/run/spatium-cidata';

/** Devices with the label, in the order of their names, so that two runs look in the same order. */
const cidataVolumes = (machine: Machine): readonly string[] =>
  machine.devices
    .filter((device) => device.fsLabel?.toLowerCase() === 'cidata')
    .map((device) => device.path)
    .sort();

/** Where a device is mounted already, from the text of /proc/self/mountinfo; null when it is not. */
export const mountedAt = (mountinfo: string, device: string): string | null =>
  parseMountinfo(mountinfo).find((mount) => mount.source === device)?.target ?? null;

async function readMounted(directory: string, names: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const name of names) {
    const loaded = await loadFile(path.join(directory, name));
    if (loaded.ok) found.set(name, loaded.bytes);
  }
  return found;
}

async function readVolume(
  device: string,
  names: readonly string[],
  runner: Runner,
): Promise<{ readonly why: string } | ReadonlyMap<string, Uint8Array>> {
  const already = mountedAt((await readTextIfExists('/proc/self/mountinfo')) ?? '', device);
  if (already !== null) return readMounted(already, names);
  await ensureDir(MOUNT_POINT, 0o700);
  const mounted = await runner(['mount', '-o', 'ro,nosuid,nodev,noexec', device, MOUNT_POINT]);
  if (!succeeded(mounted)) return { why: `cannot be mounted: ${whyFailed(mounted)}` };
  try {
    return await readMounted(MOUNT_POINT, names);
  } finally {
    await runner(['umount', MOUNT_POINT]);
  }
}

/** Places of this machine. `cmdline` is the kernel's command line, `runner` mounts and unmounts. */
export function findPorts(machine: Machine, cmdline: string, runner: Runner): FindPorts {
  return {
    cmdline,
    volumes: cidataVolumes(machine),
    readVolume: (device, names) => readVolume(device, names, runner),
    readFile: async (file) => {
      const loaded = await loadFile(file);
      return loaded.ok || loaded.why !== 'no such file' ? loaded : null;
    },
    fetchUrl: (url, pin) => fetchAnswerFile(url, pin),
  };
}
