/** What the panel's reply to an enrolment means: the tables of docs/panel-api.md, for tokens and for pairing codes. Pure. */
import { parseJson } from '#model/json.ts';
import type { IdentityState, PanelReply } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';
import { obj, opt, readShape, text } from '#model/shape.ts';
import type { Source } from './document.ts';
import type { Pace } from './pace.ts';

const GRANTED = obj({ device_id: text, kind: opt(text), pin_key: opt(text) });
const REGISTERED = obj({ session_token: text, kind: opt(text) });
const STATE = obj({ state: text });
/** Words of the panel for a box that nobody has approved yet. */
const PENDING_STATES: readonly string[] = ['pending', 'pending_approval'];

/** A replica of the panel may not have the token yet. */
const GRACE_401_MS = 600_000;
const REVOCATION_HEADER = 'x-spatium-revocation';

export type Outcome =
  | { readonly kind: 'granted'; readonly deviceId: string; readonly pinKey: string | null }
  /** The code is claimed for this box's key; the token asks from now on. */
  | { readonly kind: 'registered'; readonly sessionToken: Secret }
  | {
      readonly kind: 'not_yet';
      readonly state: IdentityState;
      readonly pace: Pace;
      /** Stable, for people and scripts. */
      readonly code: string;
      readonly message: string;
      /** Word of the header of a refusal on purpose. */
      readonly revocation: string | null;
    };

/** It goes to logs, reports and a screen. */
const DEVICE_ID = /^[\x21-\x7e]{1,128}$/;
/** It becomes part of a header. */
const SESSION_TOKEN = /^[\x21-\x7e]{16,1024}$/;
const REVOCATION_WORD = /^[a-z_-]{1,32}$/;

/** The word of a refusal on purpose, `revoked` or `unknown`. */
export function revocationOf(reply: PanelReply): string | null {
  const word = reply.kind === 'reply' && reply.status === 403 ? reply.headers[REVOCATION_HEADER]?.trim().toLowerCase() : undefined;
  return word !== undefined && REVOCATION_WORD.test(word) ? word : null;
}

const notYet = (state: IdentityState, pace: Pace, code: string, message: string): Outcome & { kind: 'not_yet' } => ({
  kind: 'not_yet',
  state,
  pace,
  code,
  message,
  revocation: null,
});

const enrolling = (pace: Pace, code: string, message: string) => notYet('enrolling', pace, code, message);

const strange = (): Outcome => enrolling('soon', 'ENR-BODY', 'the reply is not one of a panel: is there a sign-in page in this network?');
const otherKind = (kind: string): Outcome =>
  enrolling('cap', 'ENR-KIND', `the panel takes this machine for another kind of appliance than ${kind}`);
const awaiting = (): Outcome => notYet('awaiting_approval', 'soon', 'ENR-202', 'an operator has to approve this machine at the panel');

type Reply = PanelReply & { readonly kind: 'reply' };

/** The document of a 2xx; undefined when it is none. */
const documentOf = ({ headers, body }: Reply): unknown =>
  /^application\/json\b/i.test(headers['content-type'] ?? '') ? parseJson(body) : undefined;

function granted(reply: Reply, kind: string): Outcome {
  const document = documentOf(reply);
  const state = readShape(STATE, document);
  if (state.ok && PENDING_STATES.includes(state.value.state)) return awaiting();
  const read = readShape(GRANTED, document);
  if (!read.ok || !DEVICE_ID.test(read.value.device_id)) return strange();
  if (read.value.kind !== null && read.value.kind !== kind) return otherKind(kind);
  return { kind: 'granted', deviceId: read.value.device_id, pinKey: read.value.pin_key };
}

const what = (source: Source): string => (source === 'token' ? 'token' : 'pairing code');
const again = (source: Source): string => (source === 'token' ? 'issue a new token' : 'make a new code and run "spatium pair"');

function refusal(status: number, source: Source, refusedForMs: number): Outcome {
  const name = what(source);
  switch (status) {
    case 401:
      // Ten wrong codes from one address shut the panel for all of them, so a code is not tried again and again.
      if (source === 'code') return notYet('token_refused', 'hourly', 'ENR-401', `the panel does not know the ${name}; ${again(source)}`);
      return refusedForMs < GRACE_401_MS
        ? enrolling('soon', 'ENR-401', `the panel does not know the ${name} yet`)
        : notYet('token_refused', 'hourly', 'ENR-401', `the panel does not know the ${name}; ${again(source)}`);
    case 403:
      return enrolling('soon', 'ENR-403', 'the panel refuses: not from this network, or enrolment is off');
    case 404:
      return enrolling('cap', 'ENR-404', 'the panel knows no enrolment: is it a panel, and is registration on?');
    case 409:
      return notYet(
        'used_elsewhere',
        'stop',
        'ENR-409',
        `ANOTHER MACHINE HAS USED THIS ${name.toUpperCase()}: find out which, and ${again(source)}`,
      );
    case 410:
      return notYet('token_expired', 'stop', 'ENR-410', `the ${name} has been used or has expired; ${again(source)}`);
    case 408:
    case 425:
    case 429:
      return enrolling('soon', `ENR-${status}`, `the panel is busy (it answers ${status})`);
    default:
      if (status >= 500) return enrolling('soon', `ENR-${status}`, `the panel is broken (it answers ${status})`);
      if (status >= 300 && status < 400)
        return enrolling('soon', `ENR-${status}`, 'the panel sends us elsewhere; the token is not sent there');
      return enrolling('cap', `ENR-${status}`, `the panel does not understand the request (it answers ${status}): versions do not fit`);
  }
}

/**
 * @param refusedForMs how long 401 has been the reply, without another between
 */
export function judgeReply(reply: PanelReply, source: Source, kind: string, refusedForMs: number): Outcome {
  if (reply.kind === 'failed') {
    const pace = ['tls_pin', 'tls_name', 'tls_issuer'].includes(reply.fault) ? 'cap' : 'soon';
    return enrolling(pace, `ENR-${reply.fault.toUpperCase()}`, reply.message);
  }
  if (reply.status === 200 || reply.status === 201) return granted(reply, kind);
  if (reply.status === 202) return awaiting();
  const outcome = refusal(reply.status, source, refusedForMs);
  const revocation = revocationOf(reply);
  return outcome.kind === 'not_yet' ? { ...outcome, revocation } : outcome;
}

/** The reply to a pairing code. */
export function judgeRegistration(reply: PanelReply, kind: string): Outcome {
  if (reply.kind === 'reply' && [200, 201, 202].includes(reply.status)) {
    const read = readShape(REGISTERED, documentOf(reply));
    if (!read.ok || !SESSION_TOKEN.test(read.value.session_token)) return strange();
    if (read.value.kind !== null && read.value.kind !== kind) return otherKind(kind);
    return { kind: 'registered', sessionToken: new Secret(read.value.session_token) };
  }
  // A panel that does not tell a wrong code from a used one says no more than "no", and counts how often it had to.
  if (reply.kind === 'reply' && reply.status === 403 && revocationOf(reply) === null)
    return notYet('token_refused', 'hourly', 'ENR-403', `the panel refuses the pairing code, or this network; ${again('code')}`);
  return judgeReply(reply, 'code', kind, 0);
}
