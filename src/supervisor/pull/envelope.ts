/** The body of a 200: is it a panel's, and is it for this box? See docs/panel-api.md. */

import { createHash } from 'node:crypto';
import { isRecord, parseJson } from '#model/json.ts';
import type { ApplianceKind, ConfigEnvelope } from '#model/pull.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_EPOCH_LENGTH = 200;
/** What may stand in a header again. A tag without quotes is wrong by RFC 9110 and is still the one that the panel knows. */
const TAG = /^[\x20-\x7e\x80-\xff]{1,1024}$/;

export const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface Owner {
  readonly kind: ApplianceKind;
  /** Null: whichever device, for files on this box that are older than its identity. */
  readonly deviceId: string | null;
}

export type BodyReading =
  | { readonly kind: 'envelope'; readonly envelope: ConfigEnvelope; readonly sha256: string }
  /** JSON, but not for us or not of a form that we know. */
  | { readonly kind: 'refused'; readonly message: string; readonly version: number | null; readonly sha256: string }
  | { readonly kind: 'garbled'; readonly why: string };

const isVersion = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1;
const shown = (value: unknown): string => (value === undefined ? 'missing' : (JSON.stringify(value)?.slice(0, 60) ?? 'no JSON'));

/** The first thing that is wrong with an envelope, in words; null when all is right. */
function faultOf(value: Readonly<Record<string, unknown>>, owner: Owner): string | null {
  const { schema, kind, device_id, epoch, version, poll_seconds } = value;
  if (schema !== 1) return `schema is ${shown(schema)}; this agent knows 1`;
  if (kind !== owner.kind) return `kind is ${shown(kind)}; this appliance is ${owner.kind}`;
  if (typeof device_id !== 'string' || (owner.deviceId !== null && device_id !== owner.deviceId))
    return `device_id is ${shown(device_id)}; this device is ${owner.deviceId}`;
  if (!isVersion(version)) return `version is ${shown(version)}; it must be a whole number from 1`;
  if (epoch !== undefined && (typeof epoch !== 'string' || epoch.length > MAX_EPOCH_LENGTH)) {
    return `epoch is ${shown(epoch)}; it must be a text of at most ${MAX_EPOCH_LENGTH} characters`;
  }
  if (poll_seconds !== undefined && (typeof poll_seconds !== 'number' || !Number.isFinite(poll_seconds))) {
    return `poll_seconds is ${shown(poll_seconds)}; it must be a number`;
  }
  return 'config' in value ? null : 'config is missing';
}

/** Far more than any form needs, far less than what overflows the stack of whoever walks through it. */
const MAX_DEPTH = 100;

/** Does the text open more lists and objects within each other than that? Brackets in strings do not count. */
function isTooDeep(body: string): boolean {
  let depth = 0;
  for (const [found] of body.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (found === '[' || found === '{') depth += 1;
    else if (found === ']' || found === '}') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** Reads a body that was received as JSON, or read back from disk. */
export function readBody(body: string, owner: Owner): BodyReading {
  const value = parseJson(body);
  if (value === undefined) return { kind: 'garbled', why: 'no JSON' };
  const sha256 = sha256Of(body);
  if (isTooDeep(body)) return { kind: 'refused', message: `the body is nested deeper than ${MAX_DEPTH} levels`, version: null, sha256 };
  if (!isRecord(value)) return { kind: 'refused', message: 'the body is no JSON object', version: null, sha256 };
  const fault = faultOf(value, owner);
  if (fault !== null) return { kind: 'refused', message: fault, version: isVersion(value['version']) ? value['version'] : null, sha256 };
  return { kind: 'envelope', envelope: value as unknown as ConfigEnvelope, sha256 };
}

/** A 200 with its headers. */
export function readReply(headers: Readonly<Record<string, string>>, body: string, owner: Owner): BodyReading {
  const type = headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    return { kind: 'garbled', why: type === '' ? 'no content type' : 'its content type is not application/json' };
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) return { kind: 'garbled', why: 'over 1 MiB' };
  return readBody(body, owner);
}

/** The tag to keep: exactly as received, or null when there is none that could be sent back. */
export const tagOf = (headers: Readonly<Record<string, string>>): string | null => {
  const tag = headers['etag'];
  return tag !== undefined && TAG.test(tag) ? tag : null;
};
