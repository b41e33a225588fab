/** DIR/config/KIND.json as the panel serves it: an edit raises the version. */
import path from 'node:path';
import type { ApplianceKind, ConfigEnvelope } from '#model/pull.ts';
import { ensureDir, readTextIfExists, writeAtomic } from '#system/files.ts';
import { type Answer, json } from './answer.ts';
import { type Device, sha256 } from './records.ts';

interface Served {
  readonly epoch: string;
  readonly version: number;
  readonly sha256: string;
  readonly config: unknown;
}

export class Configs {
  readonly #dir: string;
  readonly #log: (text: string) => void;
  #complained = '';

  constructor(dir: string, log: (text: string) => void) {
    this.#dir = dir;
    this.#log = log;
  }

  /** What is served now; null: nothing is assigned. A file that is no JSON leaves the last good one in service. */
  async current(kind: ApplianceKind): Promise<Served | null> {
    const source = path.join(this.#dir, 'config', `${kind}.json`);
    const record = path.join(this.#dir, 'served', `${kind}.json`);
    const last = await readTextIfExists(record);
    const served = last === null ? null : (JSON.parse(last) as Served);
    const text = await readTextIfExists(source);
    if (text === null) return null;
    const hash = sha256(text);
    if (served?.sha256 === hash) return served;
    let config: unknown;
    try {
      config = JSON.parse(text);
    } catch (error) {
      if (this.#complained !== hash) this.#log(`${source} is not JSON, the last good one stays in service: ${(error as Error).message}`);
      this.#complained = hash;
      return served;
    }
    const next = { epoch: served?.epoch ?? new Date().toISOString(), version: (served?.version ?? 0) + 1, sha256: hash, config };
    await ensureDir(path.dirname(record));
    await writeAtomic(record, JSON.stringify(next));
    this.#log(`${source} is now version ${next.version}`);
    return next;
  }

  /** 200 with the envelope, 304 when the appliance has it, 204 when nothing is assigned. */
  async answer(device: Device, ifNoneMatch: string | undefined): Promise<Answer> {
    const served = await this.current(device.kind);
    if (served === null) return { status: 204, headers: {}, body: '', note: 'nothing assigned' };
    const etag = `"v${served.version}-${served.sha256.slice(0, 8)}"`;
    // RFC 9110 13.1.2: a weak tag matches too.
    const tags = (ifNoneMatch ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    const note = `version ${served.version}`;
    if (tags.includes(etag)) return { status: 304, headers: { etag }, body: '', note };
    const envelope: ConfigEnvelope = {
      schema: 1,
      kind: device.kind,
      device_id: device.device_id,
      epoch: served.epoch,
      version: served.version,
      config: served.config,
    };
    return { ...json(200, envelope, { etag }), note };
  }
}
