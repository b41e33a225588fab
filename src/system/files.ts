/** Files: whole reads, atomic writes, and the few questions asked about paths. */
// `promises` is loaded at its first use; a named import of node:fs/promises would load it at start.
import { constants, promises as fs, type Stats } from 'node:fs';
import path from 'node:path';

/** `ENOENT` and its like; null for an error that is not of the system. */
export const errnoOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** True for errors that say "there is no such file". */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'ENODEV'].includes(errnoOf(error) ?? '');

export const readText = (file: string): Promise<string> => fs.readFile(file, 'utf8');

/** null when there is no such file; other errors are thrown. */
export async function readTextIfExists(file: string): Promise<string | null> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export const readWhole = (file: string): Promise<Uint8Array> => fs.readFile(file);

/** At most `maxBytes` from the start of a file, a device or a pipe. */
export async function readBytes(file: string, maxBytes: number): Promise<Uint8Array> {
  const handle = await fs.open(file, 'r');
  try {
    const buffer = new Uint8Array(maxBytes);
    let filled = 0;
    while (filled < maxBytes) {
      const { bytesRead } = await handle.read(buffer, filled, maxBytes - filled, null);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  } finally {
    await handle.close();
  }
}

/**
 * Text of a plain file that a stranger may have put there; null when there is none, it is larger than `maxBytes`, or a link, a pipe
 * or a device stands in its place: reading those may never end.
 */
export async function readForeignText(file: string, maxBytes: number): Promise<string | null> {
  const facts = await factsOf(file);
  if (facts?.kind !== 'file' || facts.sizeBytes > maxBytes) return null;
  return new TextDecoder().decode(await readBytes(file, facts.sizeBytes));
}

/** Makes a rename or a new name in a directory last through a power cut. */
export async function syncDir(dir: string): Promise<void> {
  const handle = await fs.open(dir, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } catch (error) {
    // FAT and some FUSE file systems cannot sync a directory; the file itself is already on the disk.
    if (!['EINVAL', 'ENOTSUP', 'EBADF', 'ENOSYS'].includes(errnoOf(error) ?? '')) throw error;
  } finally {
    await handle.close();
  }
}

export interface WriteOptions {
  /** Permission bits of the new file; not narrowed by the umask. Default 0o644. null: the file system has none (FAT). */
  readonly mode?: number | null;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/** What stands at a path is no regular file, so it must not be replaced by one. */
export class NotAFileError extends Error {
  constructor(file: string, kind: FileFacts['kind']) {
    const words = {
      file: 'a file',
      link: 'a link',
      directory: 'a directory',
      block: 'a disk',
      char: 'a device',
      other: 'a pipe or socket',
    };
    super(`${file} is ${words[kind]}, not a file that could be replaced`);
    this.name = 'NotAFileError';
  }
}

/** Beside the file, so that a rename can take its place; random, so that two writers never share one. The global `crypto` loads at first use. */
const temporaryFor = (file: string): string =>
  path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}.${crypto.randomUUID().slice(-12)}.new`);

const TEMPORARY = /^\..+\.\d+\.[0-9a-f]{12}\.new$/;

/** Removes what writers that were killed left in a directory. For the only writer of that directory, when it starts. */
export async function sweepTemporaries(dir: string): Promise<void> {
  for (const name of await listNames(dir)) if (TEMPORARY.test(name)) await fs.rm(path.join(dir, name), { force: true });
}

/**
 * Replaces a file so that a reader, or a power cut, sees the old content or the new and nothing between:
 * temporary file beside it, fsync, rename, fsync of the directory. The mode is set before any content is there.
 * Throws NotAFileError for a device, a directory, a pipe or a socket.
 */
export async function writeAtomic(file: string, content: string | Uint8Array, options: WriteOptions = {}): Promise<void> {
  const old = await factsOf(file);
  // A rename would put a plain file where the device was, for every program on the machine.
  if (old !== null && old.kind !== 'file' && old.kind !== 'link') throw new NotAFileError(file, old.kind);
  const temporary = temporaryFor(file);
  const handle = await fs.open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    try {
      if (options.mode !== null) await handle.chmod(options.mode ?? 0o644);
      if (options.owner) await handle.chown(options.owner.uid, options.owner.gid);
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await fs.rename(temporary, file);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  await syncDir(path.dirname(file));
}

/** Makes a directory and its parents; an existing one keeps its mode. Parents are open to readers, whatever the mode asked for. */
export async function ensureDir(dir: string, mode = 0o755): Promise<void> {
  if (mode !== 0o755) await fs.mkdir(path.dirname(dir), { recursive: true, mode: 0o755 });
  await fs.mkdir(dir, { recursive: true, mode });
}

export const chmod = (file: string, mode: number): Promise<void> => fs.chmod(file, mode);
export const chown = (file: string, uid: number, gid: number): Promise<void> => fs.chown(file, uid, gid);
export const rename = (from: string, to: string): Promise<void> => fs.rename(from, to);
export const copyFile = (from: string, to: string): Promise<void> => fs.copyFile(from, to);
export const appendText = (file: string, text: string): Promise<void> => fs.appendFile(file, text);

/** Appends and flushes to the disk, so that the text is there after a power cut. */
export async function appendDurably(file: string, text: string): Promise<void> {
  const handle = await fs.open(file, 'a', 0o644);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes a file or a tree; missing is fine. Never follows links. */
export const remove = (target: string): Promise<void> => fs.rm(target, { recursive: true, force: true });

/** Replaces a symbolic link in one step that lasts through a power cut. */
export async function linkAtomic(target: string, link: string): Promise<void> {
  const temporary = temporaryFor(link);
  await fs.symlink(target, temporary);
  try {
    await fs.rename(temporary, link);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  await syncDir(path.dirname(link));
}

/** Moves a file or a tree within a file system, so that it lasts through a power cut. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await fs.rename(from, to);
  await syncDir(path.dirname(to));
  if (path.dirname(from) !== path.dirname(to)) await syncDir(path.dirname(from));
}

/** Where a link points; null when there is none, or something else is there. */
export async function readLink(link: string): Promise<string | null> {
  try {
    return await fs.readlink(link);
  } catch (error) {
    if (isMissing(error) || errnoOf(error) === 'EINVAL') return null;
    throw error;
  }
}

export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'link' | 'block' | 'char' | 'other';
  readonly sizeBytes: number;
  /** Permission bits only. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly modifiedMs: number;
  /** Device a special file stands for, as the kernel's number. */
  readonly deviceNumber: number;
  /** Of the file itself, within its file system. */
  readonly inode: number;
}

export function factsFrom(s: Stats): FileFacts {
  const kind = s.isFile()
    ? 'file'
    : s.isDirectory()
      ? 'directory'
      : s.isSymbolicLink()
        ? 'link'
        : s.isBlockDevice()
          ? 'block'
          : s.isCharacterDevice()
            ? 'char'
            : 'other';
  return {
    kind,
    sizeBytes: s.size,
    mode: s.mode & 0o7777,
    uid: s.uid,
    gid: s.gid,
    modifiedMs: s.mtimeMs,
    deviceNumber: s.rdev,
    inode: s.ino,
  };
}

/** What a path is; links are not followed unless asked. null when there is nothing. */
export async function factsOf(target: string, follow = false): Promise<FileFacts | null> {
  try {
    return factsFrom(follow ? await fs.stat(target) : await fs.lstat(target));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export const exists = async (target: string): Promise<boolean> => (await factsOf(target, true)) !== null;
export const isDirectory = async (target: string): Promise<boolean> => (await factsOf(target, true))?.kind === 'directory';
export const isBlockDevice = async (target: string): Promise<boolean> => (await factsOf(target, true))?.kind === 'block';

/** Names in a directory, sorted; empty when there is no such directory. */
export async function listNames(dir: string): Promise<string[]> {
  try {
    return (await fs.readdir(dir)).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** The path with every link resolved; null when something on the way is missing. */
export async function realPath(target: string): Promise<string | null> {
  try {
    return await fs.realpath(target);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Size and use of the file system that holds a path, bytes. */
export async function spaceOf(target: string): Promise<{ totalBytes: number; usedBytes: number; availableBytes: number }> {
  const s = await fs.statfs(target);
  return { totalBytes: s.blocks * s.bsize, usedBytes: (s.blocks - s.bfree) * s.bsize, availableBytes: s.bavail * s.bsize };
}

/** A fresh private directory (mode 0700) below `parent`. */
export const makeTempDir = (parent: string, prefix: string): Promise<string> => fs.mkdtemp(path.join(parent, prefix));

/** Asks the kernel for a block device alone. null: nothing else uses it; otherwise the errno, `EBUSY` when something does. */
export async function claimError(node: string): Promise<string | null> {
  try {
    const handle = await fs.open(node, constants.O_RDONLY | constants.O_EXCL);
    await handle.close();
    return null;
  } catch (error) {
    return errnoOf(error) ?? 'UNKNOWN';
  }
}

/** Writes into an existing file or kernel attribute, which cannot be replaced by a rename. */
export const writeInPlace = (file: string, text: string): Promise<void> => fs.writeFile(file, text, { flag: 'r+' });
