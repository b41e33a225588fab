/** Asking the panel for the release manifest, with the identity and the trust of this box. */
import https from 'node:https';
import type { PanelReply } from '#model/pull.ts';
import { messageOf } from '#system/complain.ts';
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
  /** Certificates that the panel may be signed by besides the system's. */
  readonly ca?: readonly string[];
}

/** A source that needs no identity: the signature is what makes a manifest worth anything. */
export async function panelManifest({ panel, channel, userAgent, ca }: ManifestSourceOptions): Promise<ManifestSource> {
  const agent = ca === undefined ? undefined : new https.Agent({ ca: [...ca] });
  const { origin } = new URL(panel);
  const agentFor = async (url: URL): Promise<https.Agent | undefined> => (url.origin === origin ? agent : undefined);
  const get = byteSource({ agentFor, userAgent, headersMs: 15_000 });
  const ask = async (signal: AbortSignal): Promise<PanelReply> => {
    try {
      const reply = await get(new URL(`/v1/releases/${channel}`, panel), {}, signal);
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      for await (const chunk of reply.chunks) {
        sizeBytes += chunk.length;
        if (sizeBytes > MAX_MANIFEST_BYTES) break;
        chunks.push(chunk);
      }
      if (sizeBytes > MAX_MANIFEST_BYTES) return { kind: 'failed', fault: 'too_large', message: 'the manifest is too large' };
      return { kind: 'reply', status: reply.status, headers: {}, body: Buffer.concat(chunks).toString('utf8') };
    } catch (error) {
      return { kind: 'failed', fault: 'unreachable', message: messageOf(error) };
    }
  };
  return { ask, agentFor };
}
