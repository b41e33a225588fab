/**
 * Pairing by code on the wire: the code is claimed once, for this box's public key, and gives a session token; with that token the
 * box asks until an operator has approved it. See docs/panel-api.md.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { PanelRequest } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';
import type { Pending } from './document.ts';

const SUPERVISOR = '/api/v1/appliance/supervisor';
const REGISTER_PATH = `${SUPERVISOR}/register`;
const APPROVAL_PATH = `${SUPERVISOR}/poll`;
export const PINS_PATH = `${SUPERVISOR}/tls-pins`;

/** A fresh private key, PKCS#8 in base64url. It is on the disk before its public half leaves, so a lost reply loses nothing. */
export const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64url');

/** Base64 of its SPKI. */
function publicKeyOf(key: string): string {
  const pair = createPrivateKey({ key: Buffer.from(key, 'base64url'), format: 'der', type: 'pkcs8' });
  return createPublicKey(pair).export({ type: 'spki', format: 'der' }).toString('base64');
}

/** What an appliance says about itself. */
export interface OwnFacts {
  readonly kind: string;
  readonly product_uuid: string | null;
  readonly hostname: string | null;
  readonly agent_version: string;
}

/** The code travels in the body: it belongs to the claim, and is no credential of a device. */
export const registration = (pending: Pending, code: Secret, facts: OwnFacts): PanelRequest => ({
  method: 'POST',
  path: REGISTER_PATH,
  bearer: null,
  body: { code: code.reveal(), pubkey: publicKeyOf(pending.key ?? ''), ...facts },
});

export const approvalQuestion = (pending: Pending, facts: OwnFacts): PanelRequest => ({
  method: 'POST',
  path: APPROVAL_PATH,
  bearer: new Secret(pending.secret),
  body: facts,
});
