/** Now and then more than a TCP connection: what certificate does the control plane show, and does HTTP answer? */
import { X509Certificate } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';

const LOOK_MS = 3000;
/** A handshake of every appliance at every poll would be felt by the control plane. */
const LOOK_AGAIN_MS = 60_000;

export interface ControlPlaneLook {
  readonly tlsOk: boolean | null;
  readonly httpOk: boolean | null;
  /** null: nothing is pinned, or nothing was shown. */
  readonly pinMatches: boolean | null;
}

export const NOT_LOOKED: ControlPlaneLook = { tlsOk: null, httpOk: null, pinMatches: null };

/** The pinned certificate itself, or one that it signed. */
function matchesPin(shown: X509Certificate, pinPem: string): boolean | null {
  try {
    const pin = new X509Certificate(pinPem);
    return shown.fingerprint256 === pin.fingerprint256 || (shown.checkIssued(pin) && shown.verify(pin.publicKey));
  } catch {
    return null;
  }
}

/** One HEAD request without any secret in it; the certificate is compared here and trusted by nobody. */
export function lookAt(url: URL, pinPem: string | null, timeoutMs = LOOK_MS): Promise<ControlPlaneLook> {
  return new Promise((resolve) => {
    const isTls = url.protocol === 'https:';
    let shown: X509Certificate | undefined;
    const finish = (httpOk: boolean): void => {
      clearTimeout(limit);
      req.destroy();
      const pinMatches = shown === undefined || pinPem === null ? null : matchesPin(shown, pinPem);
      resolve({ tlsOk: isTls ? shown !== undefined && pinMatches !== false : null, httpOk, pinMatches });
    };
    const onResponse = (res: http.IncomingMessage): void => finish((res.statusCode ?? 500) < 500);
    const req = isTls
      ? https.request(url, { method: 'HEAD', agent: false, rejectUnauthorized: false }, onResponse)
      : http.request(url, { method: 'HEAD', agent: false }, onResponse);
    const limit = setTimeout(() => finish(false), timeoutMs);
    req.on('socket', (socket) =>
      socket.once('secureConnect', () => {
        shown = (socket as TLSSocket).getPeerX509Certificate();
      }),
    );
    req.on('error', () => finish(false));
    req.end();
  });
}

/** The last look, renewed every minute while the control plane can be reached. */
export class ControlPlaneWatch {
  readonly #monoMs: () => number;
  #last: { readonly url: string; readonly atMs: number; readonly look: ControlPlaneLook } | null = null;

  constructor(monoMs: () => number) {
    this.#monoMs = monoMs;
  }

  get last(): ControlPlaneLook {
    return this.#last?.look ?? NOT_LOOKED;
  }

  async look(url: URL, pinPem: string | null): Promise<ControlPlaneLook> {
    const nowMs = this.#monoMs();
    if (this.#last?.url !== url.href || nowMs - this.#last.atMs >= LOOK_AGAIN_MS)
      this.#last = { url: url.href, atMs: nowMs, look: await lookAt(url, pinPem) };
    return this.#last.look;
  }

  forget(): void {
    this.#last = null;
  }
}
