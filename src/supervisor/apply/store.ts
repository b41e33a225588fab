/**
 * The configurations of this box on disk, and which one runs. Everything is read once and written through.
 * See docs/decisions/0012-pull-and-apply.md.
 */

import path from 'node:path';
import { parseJson } from '#model/json.ts';
import type { ApplianceKind, StoredConfig } from '#model/pull.ts';
import { obj, opt, readShape, type ShapeResult, text } from '#model/shape.ts';
import { EMPTY_MARK, type RenderedFile } from '../kinds/kind.ts';
import { readBody } from '../pull/envelope.ts';
import type { StoreFiles } from './files.ts';
import { ATTEMPT, type Attempt, markOf, NO_QUARANTINE, QUARANTINE, type Quarantine } from './records.ts';

/** More than a body of 1 MiB escaped as text; what is larger would not be read back. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const OWNER_ONLY = 0o600;

const STORED = obj({ etag: opt(text), sha256: text, received_at: text, body: text, applied_at: opt(text) });

export interface StorePlaces {
  /** `/var/lib/spatiumddi/config`. */
  readonly dir: string;
  /** The configuration of the image, which serves nothing. */
  readonly emptyDir: string;
}

/** The only writer of its directory. Open one with `openStore`. */
export class ConfigStore {
  readonly places: StorePlaces;
  readonly #files: StoreFiles;
  #fetched: StoredConfig | null = null;
  #applied: StoredConfig | null = null;
  #appliedAt: string | null = null;
  #attempt: Attempt | null = null;
  #quarantine: Quarantine = NO_QUARANTINE;
  /** What `current` points at when its record is gone: it was well, or there would be a mark of an attempt. */
  #orphan: string | null = null;

  constructor(places: StorePlaces, files: StoreFiles) {
    this.places = places;
    this.#files = files;
  }

  get fetched(): StoredConfig | null {
    return this.#fetched;
  }
  /** The last good one. */
  get applied(): StoredConfig | null {
    return this.#applied;
  }
  /** Wall clock, RFC 3339. */
  get appliedAt(): string | null {
    return this.#appliedAt;
  }
  get attempt(): Attempt | null {
    return this.#attempt;
  }
  get quarantine(): Quarantine {
    return this.#quarantine;
  }

  /** Reads what is there. A file that is damaged is moved aside and counts as absent. */
  async load(kind: ApplianceKind): Promise<void> {
    await this.#files.makeDir(this.#at('gen'));
    await this.#files.sweep(this.places.dir);
    this.#fetched = (await this.#readStored('fetched.json', kind))?.config ?? null;
    const applied = await this.#readStored('applied.json', kind);
    this.#applied = applied?.config ?? null;
    this.#appliedAt = applied?.appliedAt ?? null;
    // A mark that cannot be read is a mark.
    const isTrying = (await this.#files.list(this.places.dir)).includes('attempt.json');
    this.#attempt = await this.#readRecord('attempt.json', (value) => readShape(ATTEMPT, value));
    this.#quarantine = (await this.#readRecord('quarantine.json', (value) => readShape(QUARANTINE, value))) ?? NO_QUARANTINE;
    if (this.#applied === null && !isTrying) this.#orphan = await this.#findOrphan();
  }

  async #findOrphan(): Promise<string | null> {
    const target = await this.currentTarget();
    const mark = target?.startsWith('gen/') ? target.slice(4) : null;
    const { failed } = this.#quarantine;
    if (mark === null || (failed !== null && markOf(failed.sha256) === mark)) return null;
    return (await this.#files.list(this.#at('gen'))).includes(mark) ? mark : null;
  }

  /** @throws also when the file would be too large to be read back */
  async putFetched(config: StoredConfig): Promise<void> {
    await this.#writeStored('fetched.json', config, null);
    this.#fetched = config;
  }

  async putApplied(config: StoredConfig, at: string): Promise<void> {
    await this.#writeStored('applied.json', config, at);
    this.#applied = config;
    this.#orphan = null;
    this.#appliedAt = at;
  }

  /** What was fetched for another device says nothing about what this one is to do. What runs goes on running. */
  async forgetFetchedOfOther(deviceId: string): Promise<void> {
    if (this.#fetched === null || this.#fetched.envelope.device_id === deviceId) return;
    await this.#files.remove(this.#at('fetched.json'));
    this.#fetched = null;
  }

  async putAttempt(attempt: Attempt | null): Promise<void> {
    if (attempt === null && this.#attempt === null) return;
    if (attempt === null) await this.#files.remove(this.#at('attempt.json'));
    else await this.#write('attempt.json', attempt);
    this.#attempt = attempt;
  }

  /** The new one counts for this process even when it could not be written: a full disk must not make a loop. */
  async putQuarantine(change: Partial<Quarantine>): Promise<void> {
    const next = { ...this.#quarantine, ...change };
    if (JSON.stringify(next) === JSON.stringify(this.#quarantine)) return;
    this.#quarantine = next;
    await this.#write('quarantine.json', next);
  }

  /** What `current` points at; null when there is no such link. */
  currentTarget(): Promise<string | null> {
    return this.#files.readLink(this.#at('current'));
  }

  point(target: string): Promise<void> {
    return this.#files.link(target, this.#at('current'));
  }

  /**
   * Where `current` belongs, and the mark of what is there: the last good configuration, else one whose record was lost and whose
   * files are there, else the one of the image.
   */
  async home(): Promise<{ readonly target: string; readonly mark: string }> {
    const { applied } = this;
    if (applied !== null && (await this.hasGeneration(applied.sha256))) {
      return { target: this.targetOf(applied.sha256), mark: markOf(applied.sha256) };
    }
    if (this.#orphan !== null) return { target: `gen/${this.#orphan}`, mark: this.#orphan };
    return { target: this.places.emptyDir, mark: EMPTY_MARK };
  }

  targetOf(sha256: string): string {
    return `gen/${markOf(sha256)}`;
  }

  folderOf(sha256: string): string {
    return this.#at(this.targetOf(sha256));
  }

  async hasGeneration(sha256: string): Promise<boolean> {
    return (await this.#files.list(this.#at('gen'))).includes(markOf(sha256));
  }

  /** Lays the files down whole: a folder below `gen` has all of them or is not there. One that runs is left as it is. */
  async stage(sha256: string, files: readonly RenderedFile[]): Promise<string> {
    const folder = this.folderOf(sha256);
    const isRunning = (await this.currentTarget()) === this.targetOf(sha256);
    if (isRunning && (await this.hasGeneration(sha256))) return folder;
    const temporary = this.#at(`gen/.${markOf(sha256)}.tmp`);
    await this.#files.remove(temporary);
    await this.#files.makeDir(temporary);
    for (const file of files) {
      const target = path.join(temporary, file.name);
      await this.#files.makeDir(path.dirname(target));
      await this.#files.write(target, file.text, file.mode);
    }
    // Rendered by an older agent, perhaps; nothing points at it.
    await this.#files.remove(folder);
    await this.#files.rename(temporary, folder);
    return folder;
  }

  /** Removes every generation but the given ones and the one that runs. */
  async prune(keep: readonly string[]): Promise<void> {
    const current = await this.currentTarget();
    const kept = new Set([
      ...keep.map(markOf),
      ...(this.#orphan === null ? [] : [this.#orphan]),
      ...(current === null ? [] : [path.basename(current)]),
    ]);
    for (const name of await this.#files.list(this.#at('gen'))) {
      if (!kept.has(name)) await this.#files.remove(this.#at(`gen/${name}`));
    }
  }

  #at(name: string): string {
    return path.join(this.places.dir, name);
  }

  /** Without the envelope, which is made from the body again. */
  async #writeStored(name: string, { envelope: _, ...config }: StoredConfig, appliedAt: string | null): Promise<void> {
    const text = `${JSON.stringify({ ...config, ...(appliedAt === null ? {} : { applied_at: appliedAt }) })}\n`;
    if (Buffer.byteLength(text) > MAX_FILE_BYTES) throw new Error(`${name} would be over ${MAX_FILE_BYTES} bytes`);
    await this.#files.write(this.#at(name), text, OWNER_ONLY);
  }

  #write(name: string, value: unknown): Promise<void> {
    return this.#files.write(this.#at(name), `${JSON.stringify(value, null, 1)}\n`, OWNER_ONLY);
  }

  async #readRecord<T>(name: string, read: (value: unknown) => ShapeResult<T>): Promise<T | null> {
    const content = await this.#files.read(this.#at(name), MAX_FILE_BYTES);
    if (content === null) return null;
    const record = content.length > MAX_FILE_BYTES ? null : read(parseJson(content));
    if (record?.ok) return record.value;
    await this.#setAside(name);
    return null;
  }

  async #readStored(
    name: string,
    kind: ApplianceKind,
  ): Promise<{ readonly config: StoredConfig; readonly appliedAt: string | null } | null> {
    const stored = await this.#readRecord(name, (value) => readShape(STORED, value));
    if (stored === null) return null;
    const body = readBody(stored.body, { kind, deviceId: null });
    const { applied_at, ...rest } = stored;
    if (body.kind === 'envelope' && body.sha256 === stored.sha256)
      return { config: { ...rest, envelope: body.envelope }, appliedAt: applied_at };
    await this.#setAside(name);
    return null;
  }

  async #setAside(name: string): Promise<void> {
    await this.#files.rename(this.#at(name), this.#at(`${name}.corrupt`));
  }
}

/** @throws when the directory cannot be made or read. */
export async function openStore(places: StorePlaces, files: StoreFiles, kind: ApplianceKind): Promise<ConfigStore> {
  const store = new ConfigStore(places, files);
  await store.load(kind);
  return store;
}
