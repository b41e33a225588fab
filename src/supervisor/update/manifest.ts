/** The signed release manifest: its canonical text, checking a signature, making one. See docs/updates.md. */

import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { isRecord, parseJson } from '#model/json.ts';
import type { ReleaseManifest } from '#model/pull.ts';
import { isVersion } from './version.ts';

/** First line of the signed text: a signature over anything else can never be taken for one over a manifest. */
const MAGIC = 'spatium-release-manifest-v1';
/** An executable of this program is some 110 MB; ten times that is no release of it. */
export const MAX_RELEASE_BYTES = 1024 ** 3;
/** A manifest is some 500 bytes. */
export const MAX_MANIFEST_BYTES = 16 * 1024;

export type UnsignedManifest = Omit<ReleaseManifest, 'signature'>;

/** Names in the order of the canonical text. */
const FIELDS = ['channel', 'version', 'url', 'size', 'sha256', 'min_version', 'allow_downgrade'] as const;
const KNOWN: ReadonlySet<string> = new Set([...FIELDS, 'signature']);

/**
 * What is signed: the magic line, then `name=value` for every field that is there, in the order of FIELDS, each line with
 * one line feed, UTF-8. Values hold no control characters (`readManifest` refuses them), so no value can fake a line.
 */
export function canonicalText(manifest: UnsignedManifest): string {
  const lines = FIELDS.filter((name) => manifest[name] !== undefined).map((name) => `${name}=${String(manifest[name])}\n`);
  return `${MAGIC}\n${lines.join('')}`;
}

const isText = (v: unknown, maxLength: number): v is string =>
  typeof v === 'string' && v.length > 0 && v.length <= maxLength && !/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(v);

/** An https address, or a path on the panel. A backslash counts as a slash in a URL, so that two of them would leave the panel. */
const isReleaseUrl = (url: string): boolean => {
  if (!/^(\/(?!\/)|https:\/\/)[!-[\]-~]*$/.test(url)) return false;
  if (url.startsWith('/')) return true;
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username === '' && password === '';
};

/** What is wrong with the fields, null when nothing. The signature is not looked at. */
function fieldFault(v: Readonly<Record<string, unknown>>): string | null {
  const other = Object.keys(v).find((name) => !KNOWN.has(name));
  // What is not in the canonical text is not signed, so it must not be there.
  if (other !== undefined) return `unknown field ${JSON.stringify(other.slice(0, 40))}`;
  if (!isText(v['channel'], 40) || !/^[a-z0-9][a-z0-9-]*$/.test(v['channel']))
    return 'channel must be lower-case letters, digits and dashes';
  if (!isText(v['version'], 64) || !isVersion(v['version'])) return 'version must look like 1.2.3';
  if (!isText(v['url'], 2000) || !isReleaseUrl(v['url'])) return 'url must be an https:// address without user, or a path on the panel';
  const size = v['size'];
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 1 || size > MAX_RELEASE_BYTES)
    return `size must be 1 to ${MAX_RELEASE_BYTES} bytes`;
  if (typeof v['sha256'] !== 'string' || !/^[0-9a-f]{64}$/.test(v['sha256'])) return 'sha256 must be 64 lower-case hexadecimal digits';
  if (v['min_version'] !== undefined && (typeof v['min_version'] !== 'string' || !isVersion(v['min_version'])))
    return 'min_version must look like 1.2.3';
  if (v['allow_downgrade'] !== undefined && typeof v['allow_downgrade'] !== 'boolean') return 'allow_downgrade must be true or false';
  return null;
}

export type ManifestResult = { readonly ok: true; readonly manifest: ReleaseManifest } | { readonly ok: false; readonly why: string };

const refuse = (why: string): ManifestResult => ({ ok: false, why });

/** Reads and checks a manifest. Nothing of it may be used before this said ok. One good key is enough: there are two for rotation. */
export function readManifest(text: string, keys: readonly KeyObject[]): ManifestResult {
  if (Buffer.byteLength(text) > MAX_MANIFEST_BYTES) return refuse(`the manifest is larger than ${MAX_MANIFEST_BYTES / 1024} KiB`);
  const v = parseJson(text);
  if (v === undefined) return refuse('the manifest is not JSON');
  if (!isRecord(v)) return refuse('the manifest is not a JSON object');
  const fault = fieldFault(v);
  if (fault !== null) return refuse(`manifest: ${fault}`);
  const manifest = v as unknown as ReleaseManifest;
  if (typeof manifest.signature !== 'string' || !/^[A-Za-z0-9+/]{86}==$/.test(manifest.signature))
    return refuse('manifest: signature must be base64 of 64 bytes');
  if (keys.length === 0) return refuse('this image holds no release key, so no release can be trusted');
  const signed = Buffer.from(canonicalText(manifest));
  const signature = Buffer.from(manifest.signature, 'base64');
  if (!keys.some((key) => verify(null, signed, key, signature)))
    return refuse('the signature of the manifest is by none of the release keys of this image');
  return { ok: true, manifest };
}

/** Signs a manifest with an Ed25519 key. Throws TypeError for fields that no appliance would accept. */
export function signManifest(manifest: UnsignedManifest, key: KeyObject): ReleaseManifest {
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('the signing key is not an Ed25519 key');
  const fault = fieldFault({ ...manifest });
  if (fault !== null) throw new TypeError(`manifest: ${fault}`);
  return { ...manifest, signature: sign(null, Buffer.from(canonicalText(manifest)), key).toString('base64') };
}

/** A public key from PEM text. Throws TypeError when it is no Ed25519 key. */
export function releaseKey(pem: string): KeyObject {
  const key = createPublicKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError('not an Ed25519 key');
  return key;
}
