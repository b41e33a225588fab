/**
 * Data as a compressed stream that compresses nothing. Such a stream can follow another of its kind, and every reader of
 * the first reads on, which a bare archive behind it does not allow.
 */

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, p) => sum + p.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Pieces of at most `size` bytes; one empty piece for no data. */
function pieces(data: Uint8Array, size: number): Uint8Array[] {
  const out: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < data.length; at += size) out.push(data.subarray(at, at + size));
  return out;
}

function littleEndian(...words: readonly (readonly [value: number, bytes: number])[]): Uint8Array {
  return new Uint8Array(words.flatMap(([value, bytes]) => Array.from({ length: bytes }, (_, i) => Math.floor(value / 2 ** (8 * i)) % 256)));
}

/** RFC 8878: a single-segment frame of raw blocks, no checksum. */
export function zstdFrame(data: Uint8Array): Uint8Array {
  const blocks = pieces(data, 128 * 1024);
  const head = littleEndian([0xfd2fb528, 4], [0xa0, 1], [data.length, 4]);
  return joined([head, ...blocks.flatMap((b, i) => [littleEndian([b.length * 8 + (i === blocks.length - 1 ? 1 : 0), 3]), b])]);
}

function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** RFC 1952: a member whose deflate blocks are all stored. */
export function gzipMember(data: Uint8Array): Uint8Array {
  const blocks = pieces(data, 65_535);
  const body = blocks.flatMap((b, i) => [littleEndian([i === blocks.length - 1 ? 1 : 0, 1], [b.length, 2], [0xffff - b.length, 2]), b]);
  return joined([littleEndian([0x00088b1f, 4], [0, 4], [0xff00, 2]), ...body, littleEndian([crc32(data), 4], [data.length, 4])]);
}
