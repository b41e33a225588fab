/**
 * Adds files to an initrd by appending a small cpio archive, which the kernel unpacks over what came before.
 * Takes a second where rebuilding takes minutes, and needs no running system; the next rebuild puts the same files in itself.
 */

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

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, p) => sum + p.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
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

const ZSTD_BLOCK_BYTES = 128 * 1024;

/**
 * The data as a zstd frame of stored blocks: nothing is compressed, but it joins the initrd's own zstd stream,
 * so that the kernel and `lsinitramfs` alike read on. A bare archive behind the stream makes the latter fail.
 */
export function zstdFrame(data: Uint8Array): Uint8Array {
  const head = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0]);
  new DataView(head.buffer).setUint32(5, data.length, true);
  const parts: Uint8Array[] = [head];
  for (let at = 0; at === 0 || at < data.length; at += ZSTD_BLOCK_BYTES) {
    const block = data.subarray(at, at + ZSTD_BLOCK_BYTES);
    const isLast = at + ZSTD_BLOCK_BYTES >= data.length ? 1 : 0;
    const field = (block.length << 3) | isLast;
    parts.push(new Uint8Array([field & 0xff, (field >> 8) & 0xff, field >> 16]), block);
  }
  return joined(parts);
}

const endsWith = (whole: Uint8Array, tail: Uint8Array): boolean =>
  whole.length >= tail.length && tail.every((byte, i) => whole[whole.length - tail.length + i] === byte);

/** The initrd with the archive behind it; unchanged when it ends with it already. */
export function withExtra(initrd: Uint8Array, archive: Uint8Array): Uint8Array {
  const frame = zstdFrame(archive);
  return endsWith(initrd, frame) ? initrd : joined([initrd, frame]);
}
