/** Keys and certificates of the test panel, made at its first start and kept in DIR/tls. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import path from 'node:path';
import { ensureDir, readTextIfExists, writeAtomic } from '#system/files.ts';
import { type KeyAndCertificate, makeCertificate } from './certificate.ts';
import type { CertificateFault } from './faults.ts';

const DAY_MS = 86_400_000;
const YEARS_MS = 3650 * DAY_MS;
const HOSTS = ['localhost', '127.0.0.1', '::1'];
const NAME = 'spatium test panel';

/** base64url SHA-256 of the public key. */
const pinOfCertificate = (certPem: string): string =>
  createHash('sha256')
    .update(new X509Certificate(certPem).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');

/** Base64 of an SPKI with an Ed25519 key in it? */
export function isEd25519(spki: string): boolean {
  try {
    return createPublicKey({ key: Buffer.from(spki, 'base64'), format: 'der', type: 'spki' }).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

async function keep(file: string, make: () => string): Promise<string> {
  const old = await readTextIfExists(file);
  if (old !== null) return old;
  const made = make();
  await writeAtomic(file, made, { mode: 0o600 });
  return made;
}

export class PanelKeys {
  readonly #made = new Map<CertificateFault, KeyAndCertificate>();
  readonly #caKeyPem: string;
  readonly #nowMs: number;

  private constructor(own: KeyAndCertificate, caKeyPem: string, nowMs: number) {
    this.#made.set('ok', own);
    this.#caKeyPem = caKeyPem;
    this.#nowMs = nowMs;
  }

  static async open(dir: string, nowMs: number): Promise<PanelKeys> {
    const tls = path.join(dir, 'tls');
    await ensureDir(tls, 0o700);
    const fresh = makeCertificate(validNow(nowMs));
    const keyPem = await keep(path.join(tls, 'key.pem'), () => fresh.keyPem);
    const certPem = await keep(path.join(tls, 'cert.pem'), () => makeCertificate({ ...validNow(nowMs), keyPem }).certPem);
    const caKeyPem = await keep(path.join(tls, 'ca-key.pem'), () =>
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    );
    return new PanelKeys({ keyPem, certPem, commonName: NAME }, caKeyPem, nowMs);
  }

  /** The certificate to show; those of the faults are made when they are first wanted. */
  certificate(which: CertificateFault): KeyAndCertificate {
    const found = this.#made.get(which);
    if (found !== undefined) return found;
    const made = this.#make(which);
    this.#made.set(which, made);
    return made;
  }

  #make(which: CertificateFault): KeyAndCertificate {
    const usual = validNow(this.#nowMs);
    const own = { ...usual, keyPem: this.certificate('ok').keyPem };
    switch (which) {
      case 'ok':
      case 'renewed':
        return makeCertificate(own);
      case 'wrong_key':
      case 'vouched':
        return makeCertificate(usual);
      case 'expired':
        return makeCertificate({ ...own, notAfter: new Date(this.#nowMs - DAY_MS / 2) });
      case 'not_yet':
        return makeCertificate({ ...own, notBefore: new Date(this.#nowMs + DAY_MS) });
      case 'wrong_name':
        return makeCertificate({ ...own, commonName: 'another host', hosts: ['elsewhere.invalid'] });
      case 'signed':
        return makeCertificate({
          ...own,
          issuer: makeCertificate({ ...usual, commonName: 'an authority', hosts: [], isAuthority: true }),
        });
    }
  }

  get pin(): string {
    return pinOfCertificate(this.certificate('ok').certPem);
  }

  /** What an enrolled appliance keeps to judge later pins by: Ed25519, base64url of its SPKI. */
  get caPublicKey(): string {
    return createPublicKey(createPrivateKey(this.#caKeyPem)).export({ type: 'spki', format: 'der' }).toString('base64url');
  }

  /** The keys that this panel may show, signed by its CA. The signature is over the text of `signed` as it stands. */
  pinList(nowMs: number): { readonly signed: string; readonly signature: string } {
    const pins = [this.pin, pinOfCertificate(this.certificate('vouched').certPem)];
    const signed = JSON.stringify({ pins, issued_at: new Date(nowMs).toISOString() });
    return { signed, signature: sign(null, Buffer.from(signed), createPrivateKey(this.#caKeyPem)).toString('base64url') };
  }
}

const validNow = (nowMs: number) => ({
  commonName: NAME,
  hosts: HOSTS,
  notBefore: new Date(nowMs - DAY_MS),
  notAfter: new Date(nowMs + YEARS_MS),
});
