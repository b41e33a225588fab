/** What the test panel remembers: DIR/devices.json, read at every request so that an editor may change it. Hashes only. */
import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import type { ApplianceKind } from '#model/pull.ts';
import { readTextIfExists, writeAtomic } from '#system/files.ts';

/** A bootstrap token, or a pairing code. */
export interface Voucher {
  readonly sha256: string;
  readonly kind: ApplianceKind;
  /** RFC 3339; null: does not expire. */
  readonly expires_at: string | null;
  /** `spent` once the device has shown up with its own credential. */
  state: 'fresh' | 'bound' | 'spent';
  device_id: string | null;
}

export interface Device {
  readonly device_id: string;
  readonly kind: ApplianceKind;
  readonly enrollment_id: string;
  readonly product_uuid: string | null;
  /** Of a paired box: what its code was claimed for, base64 of its SPKI. */
  readonly pubkey?: string;
  secret_sha256: string;
  next_sha256: string | null;
  /** Change it by hand: `active` approves, `revoked` answers 403 with its header, `retired` answers 410. */
  state: 'awaiting' | 'active' | 'revoked' | 'retired';
}

export interface Records {
  readonly tokens: Voucher[];
  readonly codes: Voucher[];
  readonly devices: Device[];
}

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

export class RecordFile {
  readonly #file: string;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(dir: string) {
    this.#file = path.join(dir, 'devices.json');
  }

  /** @throws Error naming the file when it is no JSON */
  async read(): Promise<Records> {
    const text = await readTextIfExists(this.#file);
    if (text === null) return { tokens: [], codes: [], devices: [] };
    try {
      return JSON.parse(text) as Records;
    } catch {
      throw new Error(`${this.#file} is not JSON; correct it, or remove it to start over`);
    }
  }

  /** One change after the other: two enrolments must not overwrite each other. */
  change<T>(act: (records: Records) => T): Promise<T> {
    const result = this.#turn.then(async () => {
      const records = await this.read();
      const before = JSON.stringify(records);
      const value = act(records);
      if (JSON.stringify(records) !== before) await writeAtomic(this.#file, `${JSON.stringify(records, null, 2)}\n`, { mode: 0o600 });
      return value;
    });
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** A fresh bootstrap token; only its hash is kept. `pin` makes it carry the panel's key. */
export async function mintToken(
  file: RecordFile,
  kind: ApplianceKind,
  pin: string | null,
  expiresAt: string | null = null,
): Promise<string> {
  const token = `z9:${randomBytes(24).toString('base64url')}${pin === null ? '' : `.${pin}`}`;
  await file.change((r) => r.tokens.push({ sha256: sha256(token), kind, expires_at: expiresAt, state: 'fresh', device_id: null }));
  return token;
}

/** A fresh pairing code of 8 digits. */
export async function mintCode(file: RecordFile, kind: ApplianceKind, expiresAt: string | null = null): Promise<string> {
  const code = String(randomBytes(4).readUInt32BE() % 100_000_000).padStart(8, '0');
  await file.change((r) => r.codes.push({ sha256: sha256(code), kind, expires_at: expiresAt, state: 'fresh', device_id: null }));
  return code;
}
