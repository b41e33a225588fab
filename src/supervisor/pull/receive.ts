/** A 200 of the panel: taken, taken already, or refused. Nothing here applies anything. See docs/panel-api.md. */
import type { StoredConfig } from '#model/pull.ts';
import { reportable } from '../apply/quarantine.ts';
import type { RefusedBody } from '../apply/records.ts';
import type { ConfigStore } from '../apply/store.ts';
import type { Kind } from '../kinds/kind.ts';
import { type BodyReading, readReply, tagOf } from './envelope.ts';
import { judgeVersion } from './versions.ts';

export interface ReceiveContext {
  readonly store: ConfigStore;
  readonly kind: Kind;
  readonly deviceId: string;
  readonly agentVersion: string;
  readonly wallMs: () => number;
}

export type Received =
  | { readonly kind: 'stored'; readonly isReused: boolean }
  /** The same content once more. */
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'garbled'; readonly why: string };

type Refusal = Pick<RefusedBody, 'sha256' | 'version' | 'phase' | 'message'>;

async function refuse(context: ReceiveContext, etag: string | null, refusal: Refusal): Promise<Received> {
  const { store, agentVersion, deviceId } = context;
  const message = reportable(refusal.message, []);
  await store.putQuarantine({ refused: { ...refusal, message, etag, agent_version: agentVersion, device_id: deviceId } });
  return { kind: 'refused', message: `version ${refusal.version ?? '?'} refused: ${message}` };
}

async function take(
  context: ReceiveContext,
  etag: string | null,
  body: string,
  reading: BodyReading & { kind: 'envelope' },
): Promise<Received> {
  const { store, kind, deviceId, wallMs } = context;
  const { envelope, sha256 } = reading;
  const preparation = kind.prepare(envelope.config);
  if (!preparation.ok) return refuse(context, etag, { sha256, version: envelope.version, phase: 'schema', message: preparation.message });
  const newest = store.fetched ?? store.applied;
  // Another device's counter says nothing about ours.
  const before = newest?.envelope.device_id === deviceId ? newest : null;
  const mark = before && { epoch: before.envelope.epoch, version: before.envelope.version, sha256: before.sha256 };
  const verdict = judgeVersion({ epoch: envelope.epoch, version: envelope.version, sha256 }, mark);
  if (verdict === 'regressed') {
    const message = `version_regressed: version ${envelope.version} came after ${before?.envelope.version}; to go back, send the old content as a new version`;
    return refuse(context, etag, { sha256, version: envelope.version, phase: 'version', message });
  }
  const isKnown = verdict === 'same' && store.fetched !== null;
  if (!isKnown || store.fetched?.etag !== etag) {
    const stored: StoredConfig = { etag, sha256, received_at: new Date(wallMs()).toISOString(), body, envelope };
    await store.putFetched(stored);
  }
  await store.putQuarantine({ refused: null, ...(store.quarantine.failed?.sha256 === sha256 ? {} : { failed: null }) });
  return isKnown ? { kind: 'known' } : { kind: 'stored', isReused: verdict === 'reused' };
}

/** Judges and stores. @throws when the disk does not take it. */
export async function receive(context: ReceiveContext, headers: Readonly<Record<string, string>>, body: string): Promise<Received> {
  const reading = readReply(headers, body, { kind: context.kind.kind, deviceId: context.deviceId });
  const etag = tagOf(headers);
  switch (reading.kind) {
    case 'garbled':
      return reading;
    case 'refused':
      return refuse(context, etag, { sha256: reading.sha256, version: reading.version, phase: 'schema', message: reading.message });
    case 'envelope':
      return take(context, etag, body, reading);
  }
}

/**
 * What to send as If-None-Match; null for an unconditional request. Of the newest answer that was judged: the refused one, so that
 * the panel parks on 304, else the stored one. An older agent's refusal may be another verdict today.
 */
export function tagToSend(store: Pick<ConfigStore, 'fetched' | 'quarantine'>, deviceId: string, agentVersion: string): string | null {
  const { refused } = store.quarantine;
  if (refused !== null && refused.device_id === deviceId) {
    if (refused.agent_version === agentVersion && refused.etag !== null) return refused.etag;
    return null;
  }
  return store.fetched?.envelope.device_id === deviceId ? store.fetched.etag : null;
}
