/** What went wrong below HTTP, by name. A TLS fault is never told as "unreachable". See docs/panel-api.md. */
import type { PanelFault } from '#model/pull.ts';
import { messageOf } from '#system/complain.ts';
import { errnoOf } from '#system/files.ts';
import { printableLine } from '#system/log.ts';

/** Thrown inside the panel client where the fault is already known. */
export class PanelError extends Error {
  override readonly name = 'PanelError';
  readonly fault: PanelFault;

  constructor(fault: PanelFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

export interface Failure {
  readonly fault: PanelFault;
  /** One line, fit for a terminal. */
  readonly message: string;
}

export interface FaultClock {
  readonly nowMs: number;
  /** When this program was built; a system clock before it is wrong for certain. */
  readonly builtAtMs: number;
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the panel refuses the connection',
  ENOTFOUND: 'there is no such host name',
  EAI_AGAIN: 'the name server does not answer',
  EAI_FAIL: 'the name server cannot answer',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the network',
  EADDRNOTAVAIL: 'this machine has no address to ask from',
};

const ISSUER = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'CERT_CHAIN_TOO_LONG',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'INVALID_CA',
  'INVALID_PURPOSE',
]);

const day = (ms: number): string => new Date(ms).toISOString();

/** A certificate outside its time: the clock is blamed when it must be wrong, or when it is the likelier of the two. */
function dateFault(code: string, clock: FaultClock): Failure | null {
  if (code !== 'CERT_NOT_YET_VALID' && code !== 'CERT_HAS_EXPIRED') return null;
  if (clock.nowMs < clock.builtAtMs)
    return { fault: 'tls_clock', message: `the system clock says ${day(clock.nowMs)}, before this program was built; set the time` };
  // A time service starts a dead clock at the build time, so "not yet valid" is the clock there too.
  if (code === 'CERT_NOT_YET_VALID')
    return { fault: 'tls_clock', message: `the panel's certificate is not valid yet at ${day(clock.nowMs)}; check the clock of both` };
  return { fault: 'tls_expired', message: `the panel's certificate has expired (it is ${day(clock.nowMs)} here)` };
}

/** The fault behind any error of a connection or a request. */
export function failureOf(error: unknown, clock: FaultClock): Failure {
  if (error instanceof PanelError) return { fault: error.fault, message: printableLine(error.message) };
  // Several addresses were tried: the last word is as good as any.
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors.at(-1), clock);
  const code = errnoOf(error) ?? '';
  const dated = dateFault(code, clock);
  if (dated !== null) return dated;
  const text = printableLine(messageOf(error));
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return { fault: 'tls_name', message: `the certificate is for another host: ${text}` };
  if (ISSUER.has(code)) return { fault: 'tls_issuer', message: `nobody this machine trusts has signed the certificate (${code})` };
  if (UNREACHABLE[code] !== undefined) return { fault: 'unreachable', message: `${UNREACHABLE[code]} (${code})` };
  if (code === 'ETIMEDOUT') return { fault: 'timeout', message: 'the connection timed out' };
  if (code === 'HPE_HEADER_OVERFLOW') return { fault: 'too_large', message: 'the headers of the reply are too large' };
  if (code.startsWith('HPE_')) return { fault: 'cut', message: `what came back is not HTTP (${code})` };
  if (code === 'ECONNRESET' || code === 'EPIPE') return { fault: 'cut', message: `the panel closed the connection (${code})` };
  if (/^(CERT|ERR_SSL|ERR_TLS|UNABLE|EPROTO|CRL|HOSTNAME|ERR_OSSL|OCSP)/.test(code))
    return { fault: 'tls_other', message: `TLS failed (${code})` };
  return { fault: 'unreachable', message: code === '' ? text : `${text} (${code})` };
}
