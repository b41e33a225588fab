/** identity.json: who this box is. One document, so that no two parts of it can disagree after a power cut. */
import { parseJson } from '#model/json.ts';
import { bool, int, list, obj, oneOf, opt, readShape, type Static, text, time } from '#model/shape.ts';

const source = oneOf('token', 'code');

/** A secret that was made here; the panel knows only its hash. */
const OFFER = obj({ secret: text, made_at: time });

const GRANT = obj({ device_id: text, pin_key: opt(text) });

/** An enrolment under way. It is on the disk before any packet leaves. */
const PENDING = obj({
  source,
  /** Of the token or code; the text itself is not kept. */
  voucher_sha256: text,
  enrollment_id: text,
  /** Made here for a token; for a code the session token of the panel, and empty until it has come. */
  secret: text,
  /** Ed25519, PKCS#8 in base64url: whom the panel knows a paired box by. */
  key: opt(text),
  made_at: time,
  product_uuid: opt(text),
  panel: text,
  pins: list(text),
  /** Nobody had told the pin beforehand. */
  first_use: bool,
  /** The panel has taken the code and given a session token, which asks from now on. */
  is_claimed: bool,
  /** The panel said yes; what is left is done here. */
  granted: opt(GRANT),
});

const ACTIVE = obj({
  source,
  voucher_sha256: text,
  enrollment_id: text,
  device_id: text,
  kind: oneOf('lb', 'gw', 's3'),
  panel: text,
  secret: text,
  key: opt(text),
  secret_since: time,
  product_uuid: opt(text),
  pins: list(text),
  first_use: bool,
  /** Ed25519, base64url of its SPKI: signs lists of later pins. */
  pin_key: opt(text),
  /** Of the newest such list. */
  pins_issued_at: opt(time),
  enrolled_at: time,
  /** The first authenticated request was answered. */
  confirmed_at: opt(time),
  /** A rotation under way. */
  next: opt(OFFER),
});

const IDENTITY = obj({
  schema: int,
  active: opt(ACTIVE),
  pending: opt(PENDING),
  /** What `active` replaced, until it is confirmed. */
  previous: opt(ACTIVE),
});

export type Identity = Static<typeof IDENTITY>;
export type Active = Static<typeof ACTIVE>;
export type Pending = Static<typeof PENDING>;
export type Source = Pending['source'];

const SCHEMA = 1;
export const NOBODY: Identity = { schema: SCHEMA, active: null, pending: null, previous: null };

/** The document, or what is wrong with the text (without any of it). */
export function readIdentity(content: string): Identity | string {
  const value = parseJson(content);
  if (value === undefined) return 'it is no JSON';
  const read = readShape(IDENTITY, value);
  if (!read.ok) return `${read.path || 'the document'} is not ${read.wanted}`;
  return read.value.schema === SCHEMA ? read.value : `its schema is ${read.value.schema}, not ${SCHEMA}`;
}
