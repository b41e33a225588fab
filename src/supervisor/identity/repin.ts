/** A panel that shows a new key: believed only when the appliance CA has signed it. See docs/panel-api.md. */
import { createPublicKey, verify } from 'node:crypto';
import type { PanelReply } from '#model/pull.ts';
import { list, obj, readShape, text, time } from '#model/shape.ts';
import { PIN } from '../panel/trust.ts';

const ENVELOPE = obj({ signed: text, signature: text });
const PIN_LIST = obj({ pins: list(text), issued_at: time });

export interface PinList {
  readonly pins: readonly string[];
  readonly issuedAt: string;
}

/**
 * The list that the reply carries, or why it is not believed.
 * @param pinKey Ed25519, base64url of its SPKI, received at the enrolment
 * @param newerThan `issued_at` of the last list that was believed: an older one would bring back a key that was given up
 */
export function readPinList(reply: PanelReply, pinKey: string, newerThan: string | null): PinList | string {
  if (reply.kind === 'failed') return reply.message;
  if (reply.status !== 200) return `the panel answers ${reply.status}`;
  let envelope: unknown;
  let signed: unknown;
  try {
    envelope = JSON.parse(reply.body);
    const read = readShape(ENVELOPE, envelope);
    if (!read.ok) return `${read.path || 'the list'} is not ${read.wanted}`;
    const key = createPublicKey({ key: Buffer.from(pinKey, 'base64url'), format: 'der', type: 'spki' });
    if (!verify(null, Buffer.from(read.value.signed), key, Buffer.from(read.value.signature, 'base64url')))
      return 'the signature is not of the appliance CA';
    signed = JSON.parse(read.value.signed);
  } catch {
    return 'it is no signed list';
  }
  const read = readShape(PIN_LIST, signed);
  if (!read.ok) return `${read.path || 'the list'} is not ${read.wanted}`;
  const { pins, issued_at } = read.value;
  if (pins.length === 0 || !pins.every((pin) => PIN.test(pin))) return 'a pin on it is no SHA-256';
  if (Number.isNaN(Date.parse(issued_at))) return 'issued_at is no time';
  if (newerThan !== null && Date.parse(issued_at) < Date.parse(newerThan)) return 'it is older than the last one';
  return { pins, issuedAt: issued_at };
}
