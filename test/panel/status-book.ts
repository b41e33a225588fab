/** DIR/status/DEVICE.json: the newest report of each appliance. */
import path from 'node:path';
import type { StatusReport } from '#model/pull.ts';
import { ensureDir, readTextIfExists, writeAtomic } from '#system/files.ts';
import { type Answer, json } from './answer.ts';
import type { Device } from './records.ts';

const isReport = (value: unknown): value is StatusReport =>
  typeof value === 'object' &&
  value !== null &&
  'seq' in value &&
  Number.isSafeInteger(value.seq) &&
  'boot_id' in value &&
  'state' in value;

export class StatusBook {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = path.join(dir, 'status');
  }

  /** Keeps the report; a lower `seq` of the same boot is late and dropped. */
  async take(device: Device, body: unknown): Promise<Answer> {
    if (!isReport(body)) return json(422, { message: 'the report has no seq, boot_id or state' });
    await ensureDir(this.#dir);
    const file = path.join(this.#dir, `${device.device_id}.json`);
    const old = JSON.parse((await readTextIfExists(file)) ?? 'null') as StatusReport | null;
    const isLate = old !== null && old.boot_id === body.boot_id && body.seq < old.seq;
    if (!isLate) await writeAtomic(file, `${JSON.stringify(body, null, 2)}\n`);
    const failed = body.failed ? ` failed ${body.failed.version} (${body.failed.phase})` : '';
    return {
      status: 204,
      headers: {},
      body: '',
      note: `${isLate ? 'late ' : ''}${body.state}, applied ${body.applied_version ?? 'none'}${failed}`,
    };
  }
}
