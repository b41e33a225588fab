/** Whom the panel client believes, and the look at a certificate that comes before any trust. See docs/panel-api.md. */
import { createHash, X509Certificate } from 'node:crypto';
import net from 'node:net';
import tls from 'node:tls';
import { PanelError } from './faults.ts';
import { sharedLookup } from './lookup.ts';

/** base64url of a SHA-256, without padding. */
export const PIN = /^[A-Za-z0-9_-]{43}$/;

export type PanelTrust =
  /** The key decides, whatever the name: a panel is often reached by an address. Any of the pins will do. */
  | { readonly kind: 'pins'; readonly pins: readonly string[] }
  /** Chain and name, as a browser does; `ca` in place of the system's authorities. */
  | { readonly kind: 'system'; readonly ca?: readonly string[] }
  /** Nothing is checked; only by an explicit variable, for a lab. */
  | { readonly kind: 'off' };

export interface Leaf {
  readonly pem: string;
  /** Of the public key, so it survives a renewal with the same key. */
  readonly pin: string;
  /** The usual SHA-256 of the whole certificate, with colons, as browsers show it. */
  readonly fingerprint: string;
}

const pinOf = (certificate: X509Certificate): string =>
  createHash('sha256')
    .update(certificate.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');

const leafOf = (certificate: X509Certificate): Leaf => ({
  pem: certificate.toString(),
  pin: pinOf(certificate),
  fingerprint: certificate.fingerprint256,
});

/** Host without the brackets of an IPv6 address, and port. */
const placeOf = (url: URL): { readonly host: string; readonly port: number } => ({
  host: url.hostname.replace(/^\[|\]$/g, ''),
  port: url.port === '' ? 443 : Number(url.port),
});

/** SNI takes names only. */
const serverNameOf = (host: string): string => (net.isIP(host) === 0 ? host : '');

/**
 * The certificate that a server shows, trusted or not. The connection is ended before a byte of HTTP is sent, so nothing
 * is told to a stranger. @throws PanelError
 */
export function presentedLeaf(panel: URL, timeoutMs: number, signal?: AbortSignal): Promise<Leaf> {
  const { host, port } = placeOf(panel);
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      host,
      port,
      servername: serverNameOf(host),
      rejectUnauthorized: false,
      minVersion: 'TLSv1.2',
      lookup: sharedLookup,
    });
    const settle = (act: () => void): void => {
      clearTimeout(limit);
      signal?.removeEventListener('abort', aborted);
      socket.destroy();
      act();
    };
    const aborted = (): void => settle(() => reject(new PanelError('unreachable', 'the request was given up')));
    const late = new PanelError('timeout', `no TLS connection within ${timeoutMs / 1000} s`);
    const limit = setTimeout(() => settle(() => reject(late)), timeoutMs);
    socket.on('error', (error) => settle(() => reject(error)));
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      settle(() => (certificate ? resolve(leafOf(certificate)) : reject(new PanelError('tls_other', 'the server shows no certificate'))));
    });
    if (signal?.aborted) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** Settings of a TLS connection that believes exactly `trust`; `leaf` is what the server showed, its pin already compared. */
export function tlsOptions(trust: PanelTrust, leaf: Leaf | null): tls.ConnectionOptions {
  if (trust.kind === 'off') return { rejectUnauthorized: false };
  if (trust.kind === 'system') return { rejectUnauthorized: true, ca: [...(trust.ca ?? systemAuthorities())] };
  return {
    rejectUnauthorized: true,
    ca: leaf === null ? [] : [leaf.pem],
    // The shown certificate is the anchor, also when an authority signed it.
    allowPartialTrustChain: true,
    checkServerIdentity: (_host, peer) => {
      const pin = pinOf(new X509Certificate(peer.raw));
      return trust.pins.includes(pin) ? undefined : wrongPin(pin, trust.pins);
    },
  };
}

export const wrongPin = (shown: string, wanted: readonly string[]): PanelError =>
  new PanelError('tls_pin', `the panel shows the key ${shown}, but ${wanted.join(' or ') || 'no key'} is pinned`);

const systemAuthorities = (): readonly string[] => [...tls.rootCertificates, ...tls.getCACertificates('system')];
