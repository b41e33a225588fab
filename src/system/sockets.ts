/** Unix sockets in the file system: put in place in one step, taken away only by their owner. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { isMissing, readTextIfExists } from './files.ts';

/** sun_path holds 108 bytes with the closing NUL. */
export const MAX_SOCKET_PATH_BYTES = 107;

export interface PublishedSocket {
  /** Removes the socket file unless another server has put its own there meanwhile. */
  withdraw(): Promise<void>;
}

/** Name to listen on before `publishSocket` moves it to its place. */
export const unpublishedName = (file: string): string => path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}`);

/** Makes room for a listener: its directory exists and no earlier socket of this process is in the way. */
export async function prepareSocket(file: string): Promise<string> {
  const name = unpublishedName(file);
  if (Buffer.byteLength(name) > MAX_SOCKET_PATH_BYTES) throw new Error(`${file}: the path is too long for a socket; choose a shorter one`);
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o755 });
  await fs.rm(name, { force: true });
  return name;
}

/** Number of a group of this system, null when there is no such group. */
export async function groupId(name: string): Promise<number | null> {
  const line = ((await readTextIfExists('/etc/group')) ?? '').split('\n').find((l) => l.startsWith(`${name}:`));
  const gid = Number(line?.split(':')[2]);
  return line && Number.isInteger(gid) ? gid : null;
}

async function inodeOf(file: string): Promise<bigint | null> {
  try {
    return (await fs.lstat(file, { bigint: true })).ino;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * Gives a listening socket its mode and group and moves it over whatever holds the final name, so that clients find the
 * old server or the new one and never a gap.
 */
export async function publishSocket(
  file: string,
  options: { readonly mode: number; readonly gid: number | null },
): Promise<PublishedSocket> {
  const name = unpublishedName(file);
  if (options.gid !== null) await fs.chown(name, process.getuid?.() ?? 0, options.gid);
  await fs.chmod(name, options.mode);
  const mine = await inodeOf(name);
  await fs.rename(name, file);
  return {
    withdraw: async () => {
      if ((await inodeOf(file)) === mine) await fs.rm(file, { force: true });
    },
  };
}
