/** The search for an answer file on the real machine. */
import path from 'node:path';
import { MAX_ANSWER_FILE_BYTES } from '#model/limits.ts';
import { ensureDir, isMissing, readBytes, readTextIfExists } from '#system/files.ts';
import { describeEnd, run, runOk, succeeded } from '#system/run.ts';
import { fetchAnswerFile } from './fetch.ts';
import type { FindPorts } from './find.ts';

const MOUNT_POINT = '/run/spatium-cidata';
const SETTLE_SECONDS = 15;

/** Devices by label, letter case aside, from `lsblk --json`. */
export function devicesWithLabel(listing: string, label: string): readonly string[] {
  interface Row {
    readonly path?: string | null;
    readonly label?: string | null;
    readonly children?: readonly Row[];
  }
  const rows: Row[] = [...((JSON.parse(listing) as { blockdevices?: Row[] }).blockdevices ?? [])];
  const found = new Set<string>();
  for (let row = rows.shift(); row; row = rows.shift()) {
    if (row.path && row.label?.toLowerCase() === label.toLowerCase()) found.add(row.path);
    rows.push(...(row.children ?? []));
  }
  return [...found].sort();
}

/** Where a device is mounted already, from the text of /proc/self/mounts; null when it is not. */
export function mountedAt(mounts: string, device: string): string | null {
  const line = mounts.split('\n').find((text) => text.split(' ')[0] === device);
  const target = line?.split(' ')[1];
  return target === undefined
    ? null
    : target.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

async function withVolume<T>(device: string, use: (directory: string) => Promise<T>): Promise<T> {
  const already = mountedAt((await readTextIfExists('/proc/self/mounts')) ?? '', device);
  if (already !== null) return use(already);
  const directory = path.join(MOUNT_POINT, path.basename(device));
  await ensureDir(directory, 0o700);
  const mounted = await run(['mount', '-o', 'ro,nosuid,nodev,noexec', device, directory]);
  if (!succeeded(mounted)) throw new Error(mounted.tail.at(-1) ?? `mount: ${describeEnd(mounted)}`);
  try {
    return await use(directory);
  } finally {
    await run(['umount', directory]);
  }
}

async function read(file: string): Promise<Uint8Array | null> {
  try {
    return await readBytes(file, MAX_ANSWER_FILE_BYTES + 1);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** @param log told about every place that was looked at */
export function realFindPorts(log: (text: string) => void): FindPorts {
  return {
    commandLine: async () => (await readTextIfExists('/proc/cmdline')) ?? '',
    volumes: async (label) => {
      // A USB stick may still be on its way; without udev there is nothing to wait for.
      await run(['udevadm', 'settle', `--timeout=${SETTLE_SECONDS}`], { timeoutMs: (SETTLE_SECONDS + 5) * 1000 });
      return devicesWithLabel(await runOk(['lsblk', '--json', '--output', 'PATH,LABEL']), label);
    },
    withVolume,
    read,
    fetch: (url, sha256) => fetchAnswerFile(url, { sha256, log }),
    log,
  };
}
