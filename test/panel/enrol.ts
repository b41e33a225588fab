/** Enrolment, pairing, rotation and who may ask: the panel's side of docs/panel-api.md, as functions over the records. */
import { randomBytes } from 'node:crypto';
import type { Answer } from './answer.ts';
import { json } from './answer.ts';
import { isEd25519 } from './keys.ts';
import { type Device, type Records, sha256, type Voucher } from './records.ts';

const RETRY_S = 2;
const HASH = /^[0-9a-f]{64}$/;
const KINDS = ['lb', 'gw', 's3'];

interface Claim {
  readonly enrollment_id: string;
  readonly secret_sha256: string;
  readonly kind: Device['kind'];
  readonly product_uuid: string | null;
}

const problem = (status: number, message: string, headers: Record<string, string> = {}): Answer => json(status, { message }, headers);

/** What the appliance says about itself, or what is wrong with that. */
function claimOf(body: unknown): Claim | string {
  if (typeof body !== 'object' || body === null) return 'the body is no JSON object';
  const b = body as Record<string, unknown>;
  if (typeof b['enrollment_id'] !== 'string' || b['enrollment_id'].length < 8) return 'enrollment_id is missing';
  if (typeof b['secret_sha256'] !== 'string' || !HASH.test(b['secret_sha256'])) return 'secret_sha256 is not 64 hexadecimal digits';
  if (typeof b['kind'] !== 'string' || !KINDS.includes(b['kind'])) return 'kind is not lb, gw or s3';
  const uuid = b['product_uuid'];
  return {
    enrollment_id: b['enrollment_id'],
    secret_sha256: b['secret_sha256'],
    kind: b['kind'] as Device['kind'],
    product_uuid: typeof uuid === 'string' ? uuid.toLowerCase() : null,
  };
}

const isSame = (d: Device, c: Claim): boolean =>
  d.enrollment_id === c.enrollment_id && d.secret_sha256 === c.secret_sha256 && d.product_uuid === c.product_uuid;

export interface Terms {
  readonly nowMs: number;
  /** An operator has to say yes. */
  readonly needsApproval: boolean;
  /** Public key of the appliance CA, for lists of new pins; base64url of its SPKI. */
  readonly pinKey: string;
}

/** Binds a voucher to one claim. The same claim gets the same answer again, any other is refused. */
function bind(records: Records, voucher: Voucher | undefined, body: unknown, terms: Terms): Answer {
  const claim = claimOf(body);
  if (voucher === undefined) return problem(401, 'no such token or code');
  if (typeof claim === 'string') return problem(422, claim);
  if (claim.kind !== voucher.kind) return problem(422, `it was issued for ${voucher.kind}, not ${claim.kind}`);
  if (voucher.state === 'spent') return problem(410, 'it has been used');
  let device = records.devices.find((d) => d.device_id === voucher.device_id);
  if (voucher.state === 'bound' && (device === undefined || !isSame(device, claim))) return problem(409, 'another machine has used it');
  if (device === undefined) {
    if (voucher.expires_at !== null && Date.parse(voucher.expires_at) <= terms.nowMs) return problem(410, 'it has expired');
    const state = terms.needsApproval ? 'awaiting' : 'active';
    device = { device_id: `d-${randomBytes(6).toString('hex')}`, ...claim, next_sha256: null, state };
    records.devices.push(device);
    voucher.state = 'bound';
    voucher.device_id = device.device_id;
  }
  if (device.state === 'awaiting') return json(202, { message: 'waiting for an operator' }, { 'retry-after': String(RETRY_S) });
  if (device.state === 'revoked') return problem(403, 'refused by the operator', { 'x-spatium-revocation': 'revoked' });
  if (device.state === 'retired') return problem(410, 'this device is retired');
  return json(200, { device_id: device.device_id, kind: device.kind, pin_key: terms.pinKey });
}

export const enrol = (records: Records, token: string, body: unknown, terms: Terms): Answer =>
  bind(
    records,
    records.tokens.find((t) => t.sha256 === sha256(token)),
    body,
    terms,
  );

/** What a box says that has a pairing code, or what is wrong with that. */
function registrationOf(body: unknown): { readonly code: string; readonly pubkey: string; readonly kind: Device['kind'] } | string {
  if (typeof body !== 'object' || body === null) return 'the body is no JSON object';
  const { code, pubkey, kind } = body as Record<string, unknown>;
  if (typeof code !== 'string' || !/^[0-9]{8}$/.test(code)) return 'code is not 8 digits';
  if (typeof pubkey !== 'string' || !isEd25519(pubkey)) return 'pubkey is no Ed25519 key, base64 of its SPKI';
  if (typeof kind !== 'string' || !KINDS.includes(kind)) return 'kind is not lb, gw or s3';
  return { code, pubkey, kind: kind as Device['kind'] };
}

const STRANGER = 'no such code';

/**
 * Claims a pairing code for a public key and gives a session token, in one step. The same key gets a new token again until the first
 * use of one: a reply may have been lost. A code always waits for an operator.
 */
export function register(records: Records, body: unknown, terms: Terms): Answer {
  const asked = registrationOf(body);
  if (typeof asked === 'string') return problem(422, asked);
  const { code, pubkey, kind } = asked;
  const voucher = records.codes.find((c) => c.sha256 === sha256(code));
  if (voucher === undefined) return problem(401, STRANGER);
  if (voucher.kind !== kind) return problem(422, `it was issued for ${voucher.kind}, not ${kind}`);
  if (voucher.state === 'spent') return problem(410, 'it has been used');
  let device = records.devices.find((d) => d.device_id === voucher.device_id);
  if (voucher.state === 'bound' && device?.pubkey !== pubkey) return problem(409, 'another machine has used it');
  const sessionToken = randomBytes(32).toString('base64url');
  if (device === undefined) {
    if (voucher.expires_at !== null && Date.parse(voucher.expires_at) <= terms.nowMs) return problem(410, 'it has expired');
    const device_id = `d-${randomBytes(6).toString('hex')}`;
    const { product_uuid } = body as Record<string, unknown>;
    device = {
      device_id,
      kind,
      enrollment_id: sha256(pubkey),
      product_uuid: typeof product_uuid === 'string' ? product_uuid.toLowerCase() : null,
      pubkey,
      secret_sha256: '',
      next_sha256: null,
      state: 'awaiting',
    };
    records.devices.push(device);
    voucher.state = 'bound';
    voucher.device_id = device_id;
  }
  device.secret_sha256 = sha256(sessionToken);
  return json(200, { device_id: device.device_id, kind, state: 'pending_approval', session_token: sessionToken });
}

/** Asked with the session token until an operator has said yes; gives the CA's key with the yes. */
export function approval(records: Records, bearer: string, terms: Terms): Answer {
  const device = records.devices.find((d) => d.pubkey !== undefined && d.secret_sha256 === sha256(bearer));
  if (device === undefined) return problem(403, 'no appliance has this session token', { 'x-spatium-revocation': 'unknown' });
  if (device.state === 'awaiting') return json(200, { state: 'pending_approval' }, { 'retry-after': String(RETRY_S) });
  if (device.state === 'revoked') return problem(403, 'refused by the operator', { 'x-spatium-revocation': 'revoked' });
  if (device.state === 'retired') return problem(410, 'this device is retired');
  return json(200, { state: 'approved', device_id: device.device_id, kind: device.kind, pin_key: terms.pinKey });
}

/** The device behind a credential, or the refusal. Its first use spends the voucher, and ends a rotation. */
export function authenticate(records: Records, secret: string): Device | Answer {
  const hash = sha256(secret);
  const device = records.devices.find((d) => d.secret_sha256 === hash || d.next_sha256 === hash);
  if (device === undefined) return problem(401, 'unknown credential');
  if (device.state === 'awaiting') return problem(403, 'not approved yet');
  if (device.state === 'revoked') return problem(403, 'revoked', { 'x-spatium-revocation': 'revoked' });
  if (device.state === 'retired') return problem(410, 'this device is retired');
  if (device.next_sha256 === hash) {
    device.secret_sha256 = hash;
    device.next_sha256 = null;
  }
  for (const voucher of [...records.tokens, ...records.codes]) if (voucher.device_id === device.device_id) voucher.state = 'spent';
  return device;
}

/** From now on the new secret counts as well; the old one until the new one is used. Only the newest offer is kept. */
export function rotate(device: Device, body: unknown): Answer {
  const hash = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)['secret_sha256'] : undefined;
  if (typeof hash !== 'string' || !HASH.test(hash)) return problem(422, 'secret_sha256 is not 64 hexadecimal digits');
  if (device.secret_sha256 !== hash) device.next_sha256 = hash;
  return { status: 204, headers: {}, body: '' };
}
