/**
 * Adds files to an initrd by appending a small cpio archive, which the kernel unpacks over what came before.
 * Takes a second where rebuilding takes minutes, and needs no running system; the next rebuild puts the same files in itself.
 */
import { gzipMember, joined, zstdFrame } from './stored-frames.ts';

export interface ExtraFile {
  /** Relative to the initrd's root, `etc/mdadm/mdadm.conf`. */
  readonly path: string;
  readonly mode: number;
  readonly content: string;
}

const DIRECTORY = 0o040000;
const REGULAR = 0o100000;
const encoder = new TextEncoder();

const padded = (length: number): number => Math.ceil(length / 4) * 4;

/** One entry of the `newc` format: a header of hex fields, the name, the data, each padded to four bytes. */
function entry(name: string, inode: number, mode: number, data: Uint8Array): Uint8Array {
  const bytes = encoder.encode(`${name}\0`);
  const fields = [inode, mode, 0, 0, 1, 0, data.length, 0, 0, 0, 0, bytes.length, 0];
  const header = encoder.encode(`070701${fields.map((f) => f.toString(16).padStart(8, '0')).join('')}`);
  const dataAt = padded(header.length + bytes.length);
  const out = new Uint8Array(dataAt + padded(data.length));
  out.set(header);
  out.set(bytes, header.length);
  out.set(data, dataAt);
  return out;
}

/** A cpio archive of these files and the directories above them. The same input gives the same bytes. */
export function cpioArchive(files: readonly ExtraFile[]): Uint8Array {
  const directories = new Set<string>();
  for (const { path } of files) {
    const parts = path.split('/').slice(0, -1);
    parts.forEach((_, i) => {
      directories.add(parts.slice(0, i + 1).join('/'));
    });
  }
  const empty = new Uint8Array();
  // Inodes only need to differ: the kernel links entries that share one.
  let inode = 0x5a700000;
  const next = () => {
    inode += 1;
    return inode;
  };
  return joined([
    ...[...directories].map((dir) => entry(dir, next(), DIRECTORY | 0o755, empty)),
    ...files.map((f) => entry(f.path, next(), REGULAR | f.mode, encoder.encode(f.content))),
    entry('TRAILER!!!', 0, 0, empty),
  ]);
}

const decoder = new TextDecoder('latin1');
const MAGIC = '070701';
const HEADER_BYTES = 110;

/** Where the uncompressed archives at the start end: an initrd may begin with microcode and modules in such ones. */
function endOfPlainArchives(initrd: Uint8Array): number {
  const hex = (at: number) => Number.parseInt(decoder.decode(initrd.subarray(at, at + 8)), 16);
  let at = 0;
  while (decoder.decode(initrd.subarray(at, at + 6)) === MAGIC) {
    const nameBytes = hex(at + 94);
    const isLast = decoder.decode(initrd.subarray(at + HEADER_BYTES, at + HEADER_BYTES + nameBytes - 1)) === 'TRAILER!!!';
    at = padded(padded(at + HEADER_BYTES + nameBytes) + hex(at + 54));
    while (isLast && initrd[at] === 0) at += 1;
  }
  return at;
}

export type InitrdCompression = 'none' | 'gzip' | 'zstd' | 'other';

/** How the main archive of an initrd is compressed. */
export function compressionOf(initrd: Uint8Array): InitrdCompression {
  const at = endOfPlainArchives(initrd);
  if (at >= initrd.length) return 'none';
  const magic = [...initrd.subarray(at, at + 4)].map((b) => b.toString(16).padStart(2, '0')).join('');
  if (magic.startsWith('1f8b')) return 'gzip';
  return magic === '28b52ffd' ? 'zstd' : 'other';
}

const endsWith = (whole: Uint8Array, tail: Uint8Array): boolean =>
  whole.length >= tail.length && tail.every((byte, i) => whole[whole.length - tail.length + i] === byte);

/** The initrd with the archive behind it, packed as its main archive is; unchanged when it ends with it already. */
export function withExtra(initrd: Uint8Array, archive: Uint8Array): Uint8Array {
  const compression = compressionOf(initrd);
  // A bare archive must be aligned. The kernel tells every kind apart, so zstd also follows what is neither.
  const gap = compression === 'none' ? new Uint8Array(padded(initrd.length) - initrd.length) : new Uint8Array();
  const tail = compression === 'none' ? archive : compression === 'gzip' ? gzipMember(archive) : zstdFrame(archive);
  return endsWith(initrd, tail) ? initrd : joined([initrd, gap, tail]);
}
