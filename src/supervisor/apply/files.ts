/** What the store asks of the file system: every change lasts through a power cut, or has not happened. */
import path from 'node:path';
import {
  ensureDir,
  exists,
  isMissing,
  linkAtomic,
  listNames,
  readBytes,
  readLink,
  remove,
  renameDurably,
  sweepTemporaries,
  syncDir,
  writeAtomic,
} from '#system/files.ts';

export interface StoreFiles {
  /** At most `maxBytes` + 1 bytes as text; null when there is no such file. */
  readonly read: (file: string, maxBytes: number) => Promise<string | null>;
  readonly write: (file: string, text: string, mode: number) => Promise<void>;
  readonly link: (target: string, link: string) => Promise<void>;
  readonly readLink: (link: string) => Promise<string | null>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly remove: (target: string) => Promise<void>;
  readonly list: (dir: string) => Promise<readonly string[]>;
  readonly makeDir: (dir: string) => Promise<void>;
  readonly sweep: (dir: string) => Promise<void>;
}

const OWNER_ONLY = 0o700;

export const storeFiles: StoreFiles = {
  read: async (file, maxBytes) => {
    try {
      return Buffer.from(await readBytes(file, maxBytes + 1)).toString('utf8');
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  write: (file, text, mode) => writeAtomic(file, text, { mode }),
  link: linkAtomic,
  readLink,
  rename: renameDurably,
  remove: async (target) => {
    await remove(target);
    // Nothing to sync where the folder is missing too.
    if (await exists(path.dirname(target))) await syncDir(path.dirname(target));
  },
  list: listNames,
  makeDir: (dir) => ensureDir(dir, OWNER_ONLY),
  sweep: sweepTemporaries,
};
