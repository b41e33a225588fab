/** Certificates for the test panel, written by hand: Node can check X.509 but not make it, and a laptop may lack openssl. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import net from 'node:net';
import { bits, explicit, implicit, integer, node, octets, oid, pem, sequence, set, time, truth, utf8 } from './der.ts';

export interface CertificateSpec {
  readonly commonName: string;
  /** Host names and addresses that it is for. */
  readonly hosts: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** PKCS #8; a new P-256 key when it is left out. */
  readonly keyPem?: string;
  readonly isAuthority?: boolean;
  /** Who signs; itself when left out. */
  readonly issuer?: KeyAndCertificate;
}

export interface KeyAndCertificate {
  readonly keyPem: string;
  readonly certPem: string;
  readonly commonName: string;
}

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const DIGITAL_SIGNATURE = Uint8Array.of(0x80);
const KEY_CERT_SIGN = Uint8Array.of(0x04);

const nameOf = (commonName: string): Uint8Array => sequence(set(sequence(oid('2.5.4.3'), utf8(commonName))));

/** The 4 or 16 bytes of an address. */
function addressBytes(address: string): Uint8Array {
  if (net.isIPv4(address)) return Uint8Array.from(address.split('.').map(Number));
  const full = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [left = '', right] = full.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const tail = right === undefined ? [] : groups(right);
  const head = groups(left);
  const all = [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => '0'), ...tail];
  return Uint8Array.from(all.flatMap((g) => [Number.parseInt(g, 16) >> 8, Number.parseInt(g, 16) & 0xff]));
}

const altName = (host: string): Uint8Array => (net.isIP(host) === 0 ? implicit(2, Buffer.from(host)) : implicit(7, addressBytes(host)));

const extension = (id: string, value: Uint8Array, isCritical = false): Uint8Array =>
  sequence(oid(id), ...(isCritical ? [truth()] : []), octets(value));

function extensions(spec: CertificateSpec, publicKey: Uint8Array): Uint8Array {
  const isAuthority = spec.isAuthority === true;
  return explicit(
    3,
    sequence(
      extension('2.5.29.19', isAuthority ? sequence(truth()) : sequence(), true),
      extension('2.5.29.15', isAuthority ? bits(KEY_CERT_SIGN, 2) : bits(DIGITAL_SIGNATURE, 7), true),
      extension('2.5.29.14', octets(createHash('sha1').update(publicKey).digest())),
      ...(isAuthority ? [] : [extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1')))]),
      ...(spec.hosts.length === 0 ? [] : [extension('2.5.29.17', node(0x30, ...spec.hosts.map(altName)))]),
    ),
  );
}

/** An X.509 v3 certificate with a P-256 key, signed with ECDSA and SHA-256 (RFC 5280, RFC 5758). */
export function makeCertificate(spec: CertificateSpec): KeyAndCertificate {
  const key = spec.keyPem === undefined ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : createPrivateKey(spec.keyPem);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const body = sequence(
    explicit(0, integer(Uint8Array.of(2))),
    integer(Uint8Array.from([1, ...randomBytes(15)])),
    ECDSA_SHA256,
    nameOf(spec.issuer?.commonName ?? spec.commonName),
    sequence(time(spec.notBefore), time(spec.notAfter)),
    nameOf(spec.commonName),
    publicKey,
    extensions(spec, publicKey),
  );
  const signature = sign('sha256', body, spec.issuer === undefined ? key : createPrivateKey(spec.issuer.keyPem));
  return {
    keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certPem: pem('CERTIFICATE', sequence(body, ECDSA_SHA256, bits(signature))),
    commonName: spec.commonName,
  };
}
