/** Asking the panel for the release manifest: with the trust of this box, and without a credential, since the signature is what counts. */
import type https from 'node:https';
import type { PanelReply } from '#model/pull.ts';
import { failureOf } from '../panel/faults.ts';
import { byteSource } from './byte-source.ts';
import { MAX_MANIFEST_BYTES } from './manifest.ts';

export interface ManifestSource {
  readonly ask: (signal: AbortSignal) => Promise<PanelReply>;
  /** The pinned agent for the panel itself, none for other hosts. */
  readonly agentFor: (url: URL) => Promise<https.Agent | undefined>;
}

export interface ManifestSourceOptions {
  readonly panel: string;
  readonly channel: string;
  readonly userAgent: string;
  /** What believes the panel's certificate; undefined: the system's authorities. */
  readonly agent?: https.Agent | undefined;
  readonly wholeMs?: number;
}

const HEADERS_MS = 15_000;
/** For the whole of some 500 bytes: whoever drips them would keep the updater, and its lock. */
const WHOLE_MS = 30_000;

/** A source of the manifest of one channel; its `ask` never throws. */
export function panelManifest({ panel, channel, userAgent, agent, wholeMs = WHOLE_MS }: ManifestSourceOptions): ManifestSource {
  const { origin } = new URL(panel);
  const agentFor = async (url: URL): Promise<https.Agent | undefined> => (url.origin === origin ? agent : undefined);
  const get = byteSource({ agentFor, userAgent, headersMs: HEADERS_MS });
  const ask = async (signal: AbortSignal): Promise<PanelReply> => {
    const limit = AbortSignal.timeout(wholeMs);
    try {
      const reply = await get(new URL(`/v1/releases/${channel}`, panel), { accept: 'application/json' }, AbortSignal.any([signal, limit]));
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      for await (const chunk of reply.chunks) {
        sizeBytes += chunk.length;
        if (sizeBytes > MAX_MANIFEST_BYTES) break;
        chunks.push(chunk);
      }
      reply.close();
      if (sizeBytes > MAX_MANIFEST_BYTES) return { kind: 'failed', fault: 'too_large', message: 'the manifest is too large' };
      return { kind: 'reply', status: reply.status, headers: {}, body: Buffer.concat(chunks).toString('utf8') };
    } catch (error) {
      if (limit.aborted) return { kind: 'failed', fault: 'timeout', message: `no whole manifest within ${wholeMs / 1000} s` };
      return { kind: 'failed', ...failureOf(error, { nowMs: Date.now(), builtAtMs: 0 }) };
    }
  };
  return { ask, agentFor };
}
