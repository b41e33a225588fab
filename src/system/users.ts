/** Who uses a block device that this process sees no user of. */
import fs from 'node:fs/promises';
import { listNames } from './files.ts';
import { parseMountinfo } from './mountinfo.ts';

const read = (file: string): Promise<string> => fs.readFile(file, 'utf8').catch(() => '');
const link = (file: string): Promise<string> => fs.readlink(file).catch(() => '');

async function nameOf(pid: string): Promise<string> {
  return `process ${pid} (${(await read(`/proc/${pid}/comm`)).trim() || '?'})`;
}

export interface Devices {
  /** `8:1`, as the mount table has them. */
  readonly numbers: ReadonlySet<string>;
  /** `/dev/sda1` */
  readonly nodes: readonly string[];
}

/**
 * In words, one entry for each process: what it has mounted in a mount namespace other than this process's, and what it has open.
 * Processes that end meanwhile, or are not ours to ask, are left out.
 */
export async function usersOf({ numbers, nodes }: Devices): Promise<string[]> {
  const found: string[] = [];
  const namespaces = new Set([await link('/proc/self/ns/mnt')]);
  for (const pid of (await listNames('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    const namespace = await link(`/proc/${pid}/ns/mnt`);
    if (!namespaces.has(namespace)) {
      namespaces.add(namespace);
      const mount = parseMountinfo(await read(`/proc/${pid}/mountinfo`)).find((m) => numbers.has(m.majorMinor));
      if (mount !== undefined) found.push(`mounted on ${mount.target} for ${await nameOf(pid)}`);
    }
    const descriptors = await fs.readdir(`/proc/${pid}/fd`).catch((): string[] => []);
    const open = await Promise.all(descriptors.map((fd) => link(`/proc/${pid}/fd/${fd}`)));
    const node = open.find((target) => nodes.includes(target));
    if (node !== undefined) found.push(`${node} is open in ${await nameOf(pid)}`);
  }
  return found;
}
