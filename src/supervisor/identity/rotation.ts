/** A new secret in place of the old one, at no moment without one that works. See docs/decisions/0013-identity.md. */
import type { PanelReply, PanelRequest } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';
import type { IdentityDeps } from './deps.ts';
import type { Active } from './document.ts';
import { type Change, newSecret } from './enrolment.ts';
import { sha256Hex } from './token.ts';

const DAY_MS = 86_400_000;
/** A secret is replaced when it is this old, or when the panel asks. */
const ROTATE_AFTER_MS = 30 * DAY_MS;
/** The panel knows no rotation: it is asked again after this. */
export const UNSUPPORTED_MS = DAY_MS;

/** A clock that is far off must not start one at every boot: an age that cannot be is no age. */
export function isRotationDue(active: Active, wallMs: number): boolean {
  const ageMs = wallMs - Date.parse(active.secret_since);
  return active.next !== null || ageMs >= ROTATE_AFTER_MS;
}

export type Offered =
  /** The panel takes both now; the new one is to be used. */
  | 'accepted'
  /** The old one does not count any more: the new one has been used already, or we are refused. */
  | 'refused'
  /** Not now; the same secret is offered again. */
  | 'later'
  | 'unsupported';

/**
 * Did the panel itself accept the credential? A maintenance page of a proxy is a 200 too, and believing it would give up
 * the secret that the panel knows.
 */
export function isPanelsYes(reply: PanelReply): boolean {
  if (reply.kind === 'failed') return false;
  if (reply.status === 304 || (reply.status === 204 && reply.body === '')) return true;
  if (reply.status < 200 || reply.status >= 300 || !/^application\/json\b/i.test(reply.headers['content-type'] ?? '')) return false;
  try {
    return typeof JSON.parse(reply.body) === 'object';
  } catch {
    return false;
  }
}

/** Makes the next secret, or takes the one that an earlier attempt left, and offers its hash. */
export async function offerNext(
  deps: IdentityDeps,
  change: Change,
  active: Active,
  ask: (request: PanelRequest) => Promise<PanelReply>,
): Promise<Offered> {
  const next = active.next ?? { secret: newSecret(), made_at: new Date(deps.clock.wallMs()).toISOString() };
  if (active.next === null) await change((i) => (i.active === null ? i : { ...i, active: { ...i.active, next } }));
  const body = { secret_sha256: sha256Hex(next.secret) };
  const reply = await ask({ method: 'POST', path: '/v1/rotate', bearer: new Secret(active.secret), body });
  if (reply.kind === 'failed') return 'later';
  if (isPanelsYes(reply)) return 'accepted';
  if (reply.status === 401) return 'refused';
  if (![404, 405, 501].includes(reply.status)) return 'later';
  // Or every start would try it first.
  await change((i) => (i.active === null ? i : { ...i, active: { ...i.active, next: null } }));
  return 'unsupported';
}

/** The next secret has been accepted: it is the secret now. */
export const promoted = (active: Active, wallMs: number): Active =>
  active.next === null ? active : { ...active, secret: active.next.secret, secret_since: new Date(wallMs).toISOString(), next: null };
