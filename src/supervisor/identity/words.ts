/** The states of an identity in words, for the console: it is the only eye on a locked box. */
import type { IdentityState } from '#model/pull.ts';

export interface Words {
  /** Stable, for people and scripts; null when all is well. */
  readonly code: string | null;
  readonly message: string;
}

const WORDS: Readonly<Record<IdentityState, Words>> = {
  no_dmi: { code: 'ENR-NODMI', message: 'not enrolled: this machine shows no SMBIOS serial number, so there is no token' },
  denied: { code: 'ENR-DENIED', message: 'not enrolled: the serial number may not be read; the supervisor has to run as root' },
  no_token: { code: 'ENR-EMPTY', message: 'not enrolled: the serial number is empty; put a token from the panel there' },
  placeholder: { code: 'ENR-PLACEHOLDER', message: 'not enrolled: the serial number is the placeholder of the firmware, not a token' },
  not_a_token: { code: 'ENR-SERIAL', message: 'not enrolled: the serial number is no token of a panel' },
  damaged_token: { code: 'ENR-DAMAGED', message: 'not enrolled: the token in the serial number is damaged; copy it again' },
  enrolling: { code: 'ENR-WAIT', message: 'enrolling' },
  awaiting_approval: { code: 'ENR-202', message: 'an operator has to approve this machine at the panel' },
  token_refused: { code: 'ENR-401', message: 'the panel does not know the token; issue a new one' },
  used_elsewhere: { code: 'ENR-409', message: 'ANOTHER MACHINE HAS USED THE TOKEN: find out which, and issue a new one' },
  token_expired: { code: 'ENR-410', message: 'the token has been used or has expired; issue a new one' },
  active: { code: null, message: 'enrolled' },
  cloned: { code: 'ENR-CLONE', message: 'this disk is a copy of another machine; it needs a token of its own, and asks nobody until then' },
  revoked: { code: 'ENR-REVOKED', message: 'the panel has refused this device for some time; it keeps serving and keeps asking' },
  retired: { code: 'ENR-RETIRED', message: 'the panel has retired this device; it keeps serving until it gets a new token' },
};

export const wordsOf = (state: IdentityState): Words => WORDS[state];
