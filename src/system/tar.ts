/** A compressed tar (ustar) of small texts, written in one step. */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { writeAtomic } from './files.ts';

export interface TarEntry {
  /** Relative, ASCII, at most 100 bytes. */
  readonly name: string;
  readonly text: string;
}

const BLOCK = 512;

function header(name: string, sizeBytes: number, seconds: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;
  const fields: readonly (readonly [number, string])[] = [
    [0, name],
    [100, octal(0o600, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(sizeBytes, 12)],
    [136, octal(seconds, 12)],
    // The checksum counts as blanks while it is being made.
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\x0000'],
    [265, 'root'],
    [297, 'root'],
  ];
  for (const [at, text] of fields) block.write(text, at, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** The archive's bytes, not compressed. Throws for a name that the format cannot hold. */
export function tarOf(entries: readonly TarEntry[], seconds: number): Buffer {
  const parts: Buffer[] = [];
  for (const { name, text } of entries) {
    if (!/^[\x21-\x7e]{1,100}$/.test(name)) throw new Error(`${name}: not a name for a tar`);
    const body = Buffer.from(text, 'utf8');
    parts.push(header(name, body.length, seconds), body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK));
  }
  parts.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(parts);
}

/** Writes FILE.tar.gz, readable by its owner only. Gives the size in bytes. */
export async function writeTarGz(file: string, entries: readonly TarEntry[], seconds: number): Promise<number> {
  const bytes = await promisify(zlib.gzip)(tarOf(entries, seconds));
  await writeAtomic(file, bytes, { mode: 0o600 });
  return bytes.length;
}
