/** A panel and a client of it on this machine, for tests. */
import type { PanelRequest } from '../../../src/model/pull.ts';
import { Secret } from '../../../src/model/secret.ts';
import { type PanelClient, type PanelClientOptions, panelClient } from '../../../src/supervisor/panel/client.ts';
import { mintToken, sha256 } from '../../panel/records.ts';
import { type Panel, type PanelOptions, startPanel } from '../../panel/server.ts';
import { atEnd } from '../../support/at-end.ts';
import { tempDir } from '../../support/temp.ts';

export async function testPanel(options: Partial<PanelOptions> = {}): Promise<Panel> {
  const panel = await startPanel({ dir: tempDir(), ...options });
  atEnd(() => panel.close());
  return panel;
}

export const BUILT_AT_MS = Date.parse('2026-01-01T00:00:00Z');

export function clientOf(panel: Panel, options: Partial<PanelClientOptions> = {}): PanelClient {
  const client = panelClient({
    panel: panel.url,
    trust: { kind: 'pins', pins: [panel.pin] },
    userAgent: 'spatium/test',
    builtAtMs: BUILT_AT_MS,
    nowMs: Date.now,
    ...options,
  });
  atEnd(() => client.close());
  return client;
}

export const SECRET = 'a-secret-of-the-device-that-no-log-may-hold';

/** An appliance that is enrolled already, by the wire. */
export async function enrolled(panel: Panel, client: PanelClient, secret = SECRET): Promise<void> {
  const token = await mintToken(panel.records, 'lb', null);
  const body = { enrollment_id: 'e-0000-0001', secret_sha256: sha256(secret), kind: 'lb', product_uuid: null, agent_version: '1' };
  const reply = await client.ask({ method: 'POST', path: '/v1/enroll', bearer: new Secret(token), body });
  if (reply.kind !== 'reply' || reply.status !== 200) throw new Error(`not enrolled: ${JSON.stringify(reply)}`);
}

export const getConfig = (headers: Record<string, string> = {}, secret = SECRET): PanelRequest => ({
  method: 'GET',
  path: '/v1/lb/config',
  bearer: new Secret(secret),
  headers,
});
