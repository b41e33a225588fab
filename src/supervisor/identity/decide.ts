/** Token or code against stored identity: what is to be done. Pure. See docs/decisions/0013-identity.md. */
import type { Secret } from '#model/secret.ts';
import { isSameMachine } from './dmi.ts';
import type { Identity, Pending, Source } from './document.ts';
import type { TokenVerdict } from './token.ts';

/** What an identity can be asked for with. */
export interface Voucher {
  readonly source: Source;
  readonly secret: Secret;
  readonly sha256: string;
  /** The panel's key, when the token carries it. */
  readonly pin: string | null;
}

export interface Situation {
  readonly identity: Identity;
  readonly token: TokenVerdict;
  /** A pairing code that lies on STATE. */
  readonly code: Voucher | null;
  readonly productUuid: string | null;
}

export type Decision =
  /** The panel has said yes already; only our own part is missing. */
  | { readonly do: 'finish'; readonly pending: Pending }
  /** `resume` has the same enrolment id and secret again; null starts over. */
  | { readonly do: 'enrol'; readonly voucher: Voucher; readonly resume: Pending | null }
  /** The code is bound to us and gone; our own secret asks until an operator says yes. */
  | { readonly do: 'await'; readonly pending: Pending }
  | { readonly do: 'run' }
  /** The disk is a copy: the identity on it belongs to another machine, which may be running. */
  | { readonly do: 'cloned' }
  | { readonly do: 'nothing' };

function newVoucher({ identity, token, code }: Situation): Voucher | null {
  const spent = identity.active?.voucher_sha256;
  if (token.kind === 'ok' && token.sha256 !== spent) return { source: 'token', secret: token.token, sha256: token.sha256, pin: token.pin };
  return code !== null && code.sha256 !== spent ? code : null;
}

export function decide(situation: Situation): Decision {
  const { identity, productUuid } = situation;
  // An enrolment that was begun on another machine would give two machines one identity.
  const pending = identity.pending !== null && isSameMachine(identity.pending.product_uuid, productUuid) ? identity.pending : null;
  if (pending !== null && pending.granted !== null) return { do: 'finish', pending };
  const voucher = newVoucher(situation);
  if (voucher !== null) return { do: 'enrol', voucher, resume: pending?.voucher_sha256 === voucher.sha256 ? pending : null };
  if (pending?.is_claimed) return { do: 'await', pending };
  if (identity.active === null) return { do: 'nothing' };
  return isSameMachine(identity.active.product_uuid, productUuid) ? { do: 'run' } : { do: 'cloned' };
}
