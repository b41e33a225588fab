/** Unix sockets in the file system: put in place in one step, taken away only by their owner. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { isDirectory, isMissing, readTextIfExists } from './files.ts';

/** sun_path holds 108 bytes with the closing NUL. */
const MAX_SOCKET_PATH_BYTES = 107;

export type SocketHolder = 'self' | 'other' | 'nobody';

export interface PublishedSocket {
  /** Removes the socket file unless another server has put its own there meanwhile. */
  withdraw(): Promise<void>;
  /** Whose socket is at the path now. */
  holder(): Promise<SocketHolder>;
}

/** Name to listen on before `publishSocket` moves it to its place. */
const unpublishedName = (file: string): string => path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}`);

async function lstatOrNull(file: string) {
  try {
    return await fs.lstat(file, { bigint: true });
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Only a socket is ever replaced: a file of somebody at that path would be lost without a word. */
async function refuseOther(file: string): Promise<void> {
  const there = await lstatOrNull(file);
  if (there === null || there.isSocket()) return;
  const what = there.isFile() ? 'a file' : there.isDirectory() ? 'a directory' : there.isSymbolicLink() ? 'a link' : 'a special file';
  throw new Error(`${file}: there is ${what}, not a socket; move it away or choose another path`);
}

/**
 * Whether a socket can be put at this path; changes nothing.
 * @throws Error naming the path and the way out: too long, no such directory, or something else than a socket is there
 */
export async function checkSocketPlace(file: string): Promise<void> {
  const room = MAX_SOCKET_PATH_BYTES - (Buffer.byteLength(unpublishedName(file)) - Buffer.byteLength(file));
  if (Buffer.byteLength(file) > room) throw new Error(`${file}: the path is too long for a socket; choose one of at most ${room} bytes`);
  const dir = path.dirname(file);
  if (!(await isDirectory(dir))) throw new Error(`${file}: ${dir} is not a directory; make it first`);
  await refuseOther(file);
  await refuseOther(unpublishedName(file));
}

/** Makes room for a listener: no earlier socket of this process is in the way. Throws as `checkSocketPlace` does. */
export async function prepareSocket(file: string): Promise<string> {
  await checkSocketPlace(file);
  const name = unpublishedName(file);
  await fs.rm(name, { force: true });
  return name;
}

/** Number of a group of this system, null when there is no such group. */
export async function groupId(name: string): Promise<number | null> {
  const line = ((await readTextIfExists('/etc/group')) ?? '').split('\n').find((l) => l.startsWith(`${name}:`));
  const gid = Number(line?.split(':')[2]);
  return line && Number.isInteger(gid) ? gid : null;
}

const inodeOf = async (file: string): Promise<bigint | null> => (await lstatOrNull(file))?.ino ?? null;

/**
 * Gives a listening socket its mode and group and moves it over the socket that holds the final name, so that clients
 * find the old server or the new one and never a gap. Anything but a socket there is an error.
 */
export async function publishSocket(
  file: string,
  options: { readonly mode: number; readonly gid: number | null },
): Promise<PublishedSocket> {
  const name = unpublishedName(file);
  if (options.gid !== null) await fs.chown(name, process.getuid?.() ?? 0, options.gid);
  await fs.chmod(name, options.mode);
  const mine = await inodeOf(name);
  await refuseOther(file);
  await fs.rename(name, file);
  return {
    holder: async () => {
      const there = await inodeOf(file);
      return there === null ? 'nobody' : there === mine ? 'self' : 'other';
    },
    withdraw: async () => {
      if ((await inodeOf(file)) === mine) await fs.rm(file, { force: true });
    },
  };
}
