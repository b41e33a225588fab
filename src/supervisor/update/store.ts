/**
 * Versions of the agent on disk and which one is current. Every change is one durable step, in the order that the
 * callers give; a crash between two of them leaves a state that the boot step or the next run can judge.
 */
import path from 'node:path';
import {
  ensureDir,
  errnoOf,
  linkAtomic,
  listNames,
  readLink,
  readTextIfExists,
  remove,
  renameDurably,
  syncDir,
  writeAtomic,
} from '#system/files.ts';
import { EMPTY_STATE, parseState, type UpdateState } from './state.ts';

/** Writes and removals, so that a test can end the world before each of them. */
export interface StoreFiles {
  readonly write: (file: string, text: string) => Promise<void>;
  readonly link: (target: string, link: string) => Promise<void>;
  readonly remove: (target: string) => Promise<void>;
  readonly rename: (from: string, to: string) => Promise<void>;
}

const FILES: StoreFiles = {
  write: (file, text) => writeAtomic(file, text, { mode: 0o644 }),
  link: linkAtomic,
  remove: async (target) => {
    await remove(target);
    await syncDir(path.dirname(target)).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error;
    });
  },
  rename: renameDurably,
};

export interface StorePlaces {
  /** Folder with `versions/` and the link `current`. */
  readonly agent: string;
  /** `update.json`. */
  readonly state: string;
}

export const PROGRAM = 'spatium';

export class VersionStore {
  readonly #places: StorePlaces;
  readonly #files: StoreFiles;

  constructor(places: StorePlaces, files: StoreFiles = FILES) {
    this.#places = places;
    this.#files = files;
  }

  get versionsDir(): string {
    return path.join(this.#places.agent, 'versions');
  }

  /** Where the program of a version is. */
  programOf(version: string): string {
    return path.join(this.versionsDir, version, PROGRAM);
  }

  get #current(): string {
    return path.join(this.#places.agent, 'current');
  }

  async prepare(): Promise<void> {
    await ensureDir(this.versionsDir);
    await ensureDir(path.dirname(this.#places.state));
  }

  /**
   * A file that cannot be read as a state is put aside, and then the image's own version runs: nobody could say what the
   * current one was waiting for.
   */
  async load(): Promise<UpdateState> {
    const text = await readTextIfExists(this.#places.state);
    if (text === null) return EMPTY_STATE;
    const state = parseState(text);
    if (state !== null) return state;
    await this.swapTo(null);
    await this.#files.rename(this.#places.state, `${this.#places.state}.corrupt`);
    return EMPTY_STATE;
  }

  /** The state as it is, nothing put right: for looking only. */
  async peek(): Promise<UpdateState> {
    return parseState((await readTextIfExists(this.#places.state)) ?? '') ?? EMPTY_STATE;
  }

  async save(state: UpdateState): Promise<void> {
    await this.#files.write(this.#places.state, `${JSON.stringify(state, null, 2)}\n`);
  }

  /** Version that starts next; null: the image's. A link to a version that is not there counts as none. */
  async current(): Promise<string | null> {
    const target = await readLink(this.#current);
    const version = target === null ? null : path.basename(target);
    if (version === null || target !== `versions/${version}`) return null;
    return (await listNames(path.join(this.versionsDir, version))).includes(PROGRAM) ? version : null;
  }

  /** One step, and on the disk when this resolves. */
  async swapTo(version: string | null): Promise<void> {
    if (version === null) await this.#files.remove(this.#current);
    else await this.#files.link(`versions/${version}`, this.#current);
  }

  /** Removes versions and half-loaded files that are in nobody's way back. */
  async prune(keep: readonly (string | null)[]): Promise<void> {
    for (const name of await listNames(this.versionsDir)) {
      if (!name.startsWith('.') && !keep.includes(name)) await this.#files.remove(path.join(this.versionsDir, name));
    }
  }
}
