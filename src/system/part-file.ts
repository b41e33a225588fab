/** A file that arrives piece by piece: appended to, kept over a break, hashed whole, made executable. */
import { createHash } from 'node:crypto';
import { createReadStream, promises as fs } from 'node:fs';

export interface PartFile {
  append(chunk: Uint8Array): Promise<void>;
  /** Flushes to the disk and closes. An exec of a file that is open for writing fails, so nothing may keep it open. */
  close(): Promise<void>;
}

/** Opens for appending, and makes it when it is not there. */
export async function openPart(file: string): Promise<PartFile> {
  const handle = await fs.open(file, 'a', 0o600);
  return {
    append: (chunk) => handle.appendFile(chunk),
    async close() {
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}

/** SHA-256 of a whole file, hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

/** Mode 0755 whatever the umask, on the disk and closed when this resolves. */
export async function makeExecutable(file: string): Promise<void> {
  const handle = await fs.open(file, 'r+');
  try {
    await handle.chmod(0o755);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
