/** The pairing of this box as the status section shows it: from the identity's own words, never a code or a key. */
import type { IdentityState } from '#model/pull.ts';
import type { SectionData } from '#model/status.ts';
import type { IdentityKeeper } from './keeper.ts';

type Pairing = SectionData['pairing'];

/** Words of a connection that did not stand, as in `ENR-UNREACHABLE`. */
const UNREACHABLE = /^ENR-(UNREACHABLE|TIMEOUT|CUT|TLS_(?!PIN))/;

/** The state of the section for a box that is paired by a code. */
export function pairingStateOf(state: IdentityState, code: string | null): Pairing['state'] {
  switch (state) {
    case 'active':
      return 'paired';
    case 'awaiting_approval':
      return 'awaiting';
    case 'revoked':
    case 'retired':
      return 'revoked';
    case 'token_refused':
    case 'used_elsewhere':
    case 'token_expired':
      return 'code_rejected';
    case 'enrolling':
      if (code === 'ENR-TLS_PIN') return 'pin_mismatch';
      return code !== null && UNREACHABLE.test(code) ? 'unreachable' : 'registering';
    case 'cloned':
    case 'no_dmi':
    case 'denied':
    case 'no_token':
    case 'placeholder':
    case 'not_a_token':
    case 'damaged_token':
      return 'no_code';
  }
}

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** Null when this box got its identity by a token: then nothing is paired. */
export function pairingOf(keeper: IdentityKeeper, hasCode: boolean): Pairing | null {
  const { active, pending } = keeper.stored();
  const isPaired = (pending ?? active)?.source === 'code';
  if (!isPaired && !hasCode) return null;
  const { code, message } = keeper.words();
  const attempts = keeper.attempts();
  const standing = keeper.standing();
  const state = keeper.state();
  const pins = (pending ?? active)?.pins ?? [];
  return {
    applicable: true,
    state: pairingStateOf(state, code),
    code_present: hasCode,
    attempts: attempts.count,
    last_attempt_at: iso(attempts.lastAtMs),
    retry_at: state === 'active' ? null : iso(attempts.nextAtMs),
    last_error: code === null || state === 'awaiting_approval' ? null : { code, http_status: attempts.status, msg: message },
    approved_at: active?.source === 'code' ? active.enrolled_at : null,
    revocation: standing.revocations === 0 ? null : { strikes: standing.revocations, header: standing.revocation, at: null },
    pinned: pins.length > 0,
    pin_mismatch: code === 'ENR-TLS_PIN',
    cert_not_after: null,
  };
}
