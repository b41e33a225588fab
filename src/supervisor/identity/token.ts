/** The bootstrap token in the SMBIOS serial number: what was found there, in words. Never its text. See docs/panel-api.md. */
import { createHash } from 'node:crypto';
import type { IdentityState } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';

/** How the attribute could be read. */
export type Reading = { readonly kind: 'absent' } | { readonly kind: 'denied' } | { readonly kind: 'text'; readonly text: string };

export type TokenTrouble = Extract<IdentityState, 'no_dmi' | 'denied' | 'no_token' | 'placeholder' | 'not_a_token' | 'damaged_token'>;

export type TokenVerdict =
  | {
      readonly kind: 'ok';
      /** As it is sent; surrounding blanks are gone. */
      readonly token: Secret;
      /** The panel's key, when the token carries it. */
      readonly pin: string | null;
      readonly sha256: string;
    }
  | { readonly kind: 'none'; readonly state: TokenTrouble; readonly detail: string };

const PREFIX = 'z9:';
const MIN_LENGTH = 32;
const MAX_LENGTH = 128;
const PIN_LENGTH = 43;
const SHORTEST_SERIAL = 3;

/** What firmware writes where nobody wrote anything. For a better message only: the prefix decides. */
const PLACEHOLDERS = new Set([
  'to be filled by o.e.m.',
  'default string',
  'system serial number',
  'not specified',
  'not applicable',
  'not available',
  'none',
  'unknown',
  'n/a',
  '0',
  '00000000',
  '123456789',
  '0123456789',
  'chassis serial number',
  'invalid',
  'oem',
]);

export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** SMBIOS keeps blanks at both ends. ASCII white space only: anything else is part of the value. */
const trimmed = (text: string): string => text.replace(/^[\t\n\v\f\r ]+|[\t\n\v\f\r \0]+$/g, '');

const isPlaceholder = (text: string): boolean =>
  text.length < SHORTEST_SERIAL || PLACEHOLDERS.has(text.toLowerCase()) || /^(.)\1*$/s.test(text);

/** Which rule the text breaks; null when it keeps all. The text itself is not in the answer. */
function damageOf(text: string): string | null {
  const [token = '', pin, ...more] = text.slice(PREFIX.length).split('.');
  if (more.length > 0) return 'it has more than one dot';
  if (!/^[A-Za-z0-9_-]*$/.test(token)) return 'it holds a character outside A-Z, a-z, 0-9, "_" and "-"';
  if (token.length < MIN_LENGTH) return `the token has ${token.length} characters, at least ${MIN_LENGTH} are wanted`;
  if (token.length > MAX_LENGTH) return `the token has ${token.length} characters, at most ${MAX_LENGTH} are wanted`;
  if (pin === undefined) return null;
  if (pin.length !== PIN_LENGTH) return `the key after the dot has ${pin.length} characters, ${PIN_LENGTH} are wanted`;
  return /^[A-Za-z0-9_-]*$/.test(pin) ? null : 'the key after the dot holds a character outside A-Z, a-z, 0-9, "_" and "-"';
}

const none = (state: TokenTrouble, detail: string): TokenVerdict => ({ kind: 'none', state, detail });

/** What the serial number is, of all that can stand in its place. */
export function judgeSerial(reading: Reading): TokenVerdict {
  if (reading.kind === 'absent') return none('no_dmi', 'this machine shows no SMBIOS serial number');
  if (reading.kind === 'denied') return none('denied', 'the serial number may not be read; the supervisor has to run as root');
  const text = trimmed(reading.text);
  if (text === '') return none('no_token', 'the serial number is empty');
  if (isPlaceholder(text)) return none('placeholder', "the serial number is the firmware's placeholder");
  if (!text.startsWith(PREFIX)) return none('not_a_token', `the serial number (${text.length} characters) is no token`);
  const damage = damageOf(text);
  if (damage !== null) return none('damaged_token', `the token in the serial number (${text.length} characters) is damaged: ${damage}`);
  const pin = text.slice(PREFIX.length).split('.')[1] ?? null;
  return { kind: 'ok', token: new Secret(text), pin, sha256: sha256Hex(text) };
}
