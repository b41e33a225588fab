/** identity.json on the disk: 0600 in a folder of 0700, whole or not at all. See docs/decisions/0013-identity.md. */
import path from 'node:path';
import { chmod, ensureDir, readTextIfExists, remove, renameDurably, sweepTemporaries, syncDir, writeAtomic } from '#system/files.ts';
import { type Identity, NOBODY, readIdentity } from './document.ts';
import type { StandingFile } from './standing-book.ts';

export interface IdentityStore {
  /** A file that cannot be read as an identity is set aside as `identity.json.corrupt` and counts as none. */
  readonly load: () => Promise<{ readonly identity: Identity; readonly corrupt: string | null }>;
  readonly save: (identity: Identity) => Promise<void>;
  /** What the panel has said of it. */
  readonly standing: StandingFile;
}

const FILE = 'identity.json';
const STANDING_FILE = 'standing.json';

export function identityStore(dir: string): IdentityStore {
  const file = path.join(dir, FILE);
  const standingFile = path.join(dir, STANDING_FILE);
  return {
    async load() {
      await ensureDir(dir, 0o700);
      await chmod(dir, 0o700);
      // What a crash in the middle of a write left behind holds a secret.
      await sweepTemporaries(dir);
      const content = await readTextIfExists(file);
      if (content === null) return { identity: NOBODY, corrupt: null };
      const identity = readIdentity(content);
      if (typeof identity !== 'string') return { identity, corrupt: null };
      await renameDurably(file, `${file}.corrupt`);
      return { identity: NOBODY, corrupt: identity };
    },
    save: (identity) => writeAtomic(file, `${JSON.stringify(identity, null, 2)}\n`, { mode: 0o600 }),
    standing: {
      load: () => readTextIfExists(standingFile),
      async save(content) {
        if (content !== null) return writeAtomic(standingFile, content, { mode: 0o600 });
        await remove(standingFile);
        await syncDir(dir);
      },
    },
  };
}
