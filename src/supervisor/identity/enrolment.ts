/** One attempt to become somebody: stored first, then asked, then stored again. See docs/decisions/0013-identity.md. */

import { randomBytes, randomUUID } from 'node:crypto';
import { inRoot } from '#boot/target.ts';
import type { PanelReply, PanelRequest } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';
import { readTextIfExists } from '#system/files.ts';
import { failureOf } from '../panel/faults.ts';
import type { PanelTrust } from '../panel/trust.ts';
import type { Connections } from './connections.ts';
import { pickTrust } from './connections.ts';
import type { Voucher } from './decide.ts';
import type { IdentityDeps } from './deps.ts';
import type { Active, Identity, Pending } from './document.ts';
import { approvalQuestion, newKey, type OwnFacts, registration } from './registration.ts';
import { judgeRegistration, judgeReply, type Outcome } from './replies.ts';
import { sha256Hex } from './token.ts';

const SECRET_BYTES = 32;

export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** Changes the stored identity; resolves when the change is on the disk. */
export type Change = (act: (identity: Identity) => Identity) => Promise<void>;

const iso = (ms: number): string => new Date(ms).toISOString();

const freshPending = (deps: IdentityDeps, voucher: Voucher, productUuid: string | null): Pending => ({
  source: voucher.source,
  voucher_sha256: voucher.sha256,
  enrollment_id: randomUUID(),
  secret: voucher.source === 'token' ? newSecret() : '',
  key: voucher.source === 'code' ? newKey() : null,
  made_at: iso(deps.clock.wallMs()),
  product_uuid: productUuid,
  panel: deps.settings.panel,
  pins: voucher.pin === null ? [] : [voucher.pin],
  first_use: false,
  is_claimed: false,
  granted: null,
});

/** The new secret is on the disk before anybody hears of it, so a lost reply loses nothing. */
export async function beginPending(deps: IdentityDeps, change: Change, voucher: Voucher, productUuid: string | null): Promise<Pending> {
  const pending = freshPending(deps, voucher, productUuid);
  await change((identity) => ({ ...identity, pending }));
  return pending;
}

/** Where to ask, and whom to believe there; a first contact is looked at, stored, and only then spoken to. */
async function reach(deps: IdentityDeps, change: Change, pending: Pending): Promise<{ pending: Pending; trust: PanelTrust }> {
  const { panel } = deps.settings;
  // The first contact was with another one.
  let now: Pending = panel === pending.panel ? pending : { ...pending, panel, pins: pending.first_use ? [] : pending.pins };
  let trust = pickTrust(deps, now.pins);
  if (trust === 'first_use') {
    const leaf = await deps.lookAt(now.panel);
    now = { ...now, pins: [leaf.pin], first_use: true };
    deps.log(
      `supervisor.tls.pinned_on_first_contact: ${now.panel}: from now on only the key ${leaf.pin} counts; compare it with the panel's`,
    );
    deps.log(`first contact: SHA-256 fingerprint of the certificate ${leaf.fingerprint}`);
    trust = { kind: 'pins', pins: now.pins };
  }
  if (now !== pending) await change((identity) => ({ ...identity, pending: now }));
  return { pending: now, trust };
}

/** What is asked now: for a token once, for a code first with the code and then with the session token that it brought. */
async function question(deps: IdentityDeps, pending: Pending, voucher: Voucher | null): Promise<PanelRequest | null> {
  const hostname = (await readTextIfExists(inRoot(deps, '/proc/sys/kernel/hostname')))?.trim() || null;
  const facts: OwnFacts = { kind: deps.settings.kind, product_uuid: pending.product_uuid, hostname, agent_version: deps.agentVersion };
  if (pending.source === 'code') {
    if (pending.is_claimed) return approvalQuestion(pending, facts);
    return voucher === null ? null : registration(pending, voucher.secret, facts);
  }
  const body = { enrollment_id: pending.enrollment_id, secret_sha256: sha256Hex(pending.secret), ...facts };
  return { method: 'POST', path: '/v1/enroll', bearer: voucher?.secret ?? new Secret(pending.secret), body };
}

const judge = (reply: PanelReply, pending: Pending, kind: string, refusedForMs: number): Outcome =>
  pending.source === 'code' && !pending.is_claimed ? judgeRegistration(reply, kind) : judgeReply(reply, pending.source, kind, refusedForMs);

export interface Asked {
  readonly pending: Pending;
  readonly outcome: Outcome;
  readonly retryAfter: string | undefined;
  readonly status: number | null;
}

/**
 * Asks the panel once. @param voucher null: the code has done its work, and the session token asks
 * @param refusedForMs how long the panel has answered 401
 */
export async function enrolOnce(
  deps: IdentityDeps,
  connections: Connections,
  change: Change,
  begun: Pending,
  voucher: Voucher | null,
  refusedForMs: number,
): Promise<Asked> {
  let pending = begun;
  const { kind } = deps.settings;
  try {
    const reached = await reach(deps, change, begun);
    pending = reached.pending;
    const request = await question(deps, pending, voucher);
    if (request === null) throw new Error('the pairing code is gone before the panel had it; type it again');
    const reply = await connections.ask(pending.panel, reached.trust, request);
    const isReply = reply.kind === 'reply';
    return {
      pending,
      outcome: judge(reply, pending, kind, refusedForMs),
      retryAfter: isReply ? reply.headers['retry-after'] : undefined,
      status: isReply ? reply.status : null,
    };
  } catch (error) {
    // A first look that failed is a reply like any other; what the disk has to say is not.
    if (error instanceof DiskError) throw error;
    const failure = failureOf(error, { nowMs: deps.clock.wallMs(), builtAtMs: 0 });
    return { pending, outcome: judge({ kind: 'failed', ...failure }, pending, kind, 0), retryAfter: undefined, status: null };
  }
}

/** Wraps what the store throws, to tell it from what the network does. */
export class DiskError extends Error {
  override readonly name = 'DiskError';
}

const activeOf = (deps: IdentityDeps, pending: Pending, grant: NonNullable<Pending['granted']>): Active => ({
  source: pending.source,
  voucher_sha256: pending.voucher_sha256,
  enrollment_id: pending.enrollment_id,
  device_id: grant.device_id,
  kind: deps.settings.kind,
  panel: pending.panel,
  secret: pending.secret,
  key: pending.key,
  secret_since: iso(deps.clock.wallMs()),
  product_uuid: pending.product_uuid,
  pins: pending.pins,
  first_use: pending.first_use,
  pin_key: grant.pin_key,
  pins_issued_at: null,
  enrolled_at: iso(deps.clock.wallMs()),
  confirmed_at: null,
  next: null,
});

/**
 * Puts a granted identity into effect. Each step may be the last before a power cut: the grant is on the disk, so the
 * next start goes on from here without the network.
 */
export async function finishGrant(deps: IdentityDeps, change: Change, pending: Pending): Promise<void> {
  const grant = pending.granted;
  if (grant === null) return;
  // Used up, or left by the installation where a token has done the work; one that is set later is meant.
  const isLeftOver = pending.source === 'token' && (await deps.code.read()) !== null;
  await deps.code.remove();
  if (isLeftOver) deps.log('enrolled by the token; the pairing code that lay here is not needed and was removed');
  await deps.forgetOther(grant.device_id);
  await change((identity) => ({
    ...identity,
    active: activeOf(deps, pending, grant),
    pending: null,
    previous: identity.active,
  }));
  deps.log(`enrolled as ${grant.device_id} at ${pending.panel}`);
}
