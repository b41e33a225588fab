/** The panel client: one https.Agent for one set of pins, never the global one, never one a request. See docs/panel-api.md. */
import https from 'node:https';
import type { AskPanel, PanelReply, PanelRequest } from '#model/pull.ts';
import { ExchangeError, type ExchangeOptions, exchange, PANEL_LIMITS, type PanelLimits } from './exchange.ts';
import { failureOf } from './faults.ts';
import { sharedLookup } from './lookup.ts';
import { type Leaf, type PanelTrust, presentedLeaf, tlsOptions, wrongPin } from './trust.ts';

export interface PanelClientOptions {
  /** `https://host[:port]`. */
  readonly panel: string;
  readonly trust: PanelTrust;
  /** `name/version`. */
  readonly userAgent: string;
  /** When this program was built, milliseconds since 1970. */
  readonly builtAtMs: number;
  readonly nowMs: () => number;
  readonly limits?: Partial<PanelLimits>;
}

export interface PanelClient {
  readonly ask: AskPanel;
  /** Ends every kept connection; a later question opens a new one. */
  readonly close: () => void;
  /** Connections that are kept for the next question. */
  readonly idleConnections: () => number;
}

const IDLE_SOCKETS = 2;

/**
 * An agent that believes exactly `trust`. The certificate that the panel shows is looked at first, since the agent has to
 * know it; no byte of HTTP is sent for that. @throws PanelError, or the error of the connection
 */
export async function pinnedAgent(panel: URL, trust: PanelTrust, connectMs: number, signal?: AbortSignal): Promise<https.Agent> {
  const leaf: Leaf | null = trust.kind === 'pins' ? await presentedLeaf(panel, connectMs, signal) : null;
  if (trust.kind === 'pins' && leaf !== null && !trust.pins.includes(leaf.pin)) throw wrongPin(leaf.pin, trust.pins);
  return new https.Agent({
    ...tlsOptions(trust, leaf),
    keepAlive: true,
    maxFreeSockets: IDLE_SOCKETS,
    // A resumed session would skip the check of the certificate.
    maxCachedSessions: 0,
    minVersion: 'TLSv1.2',
    lookup: sharedLookup,
  });
}

/**
 * A client for one panel and one trust; another trust needs another client, since a kept connection is not checked again.
 * @throws TypeError when `panel` is no https URL
 */
export function panelClient(options: PanelClientOptions): PanelClient {
  const { trust } = options;
  const origin = new URL(options.panel);
  if (origin.protocol !== 'https:') throw new TypeError('the panel is spoken to by https only');
  const limits = { ...PANEL_LIMITS, ...options.limits };
  let agent: https.Agent | null = null;

  const close = (): void => {
    agent?.destroy();
    agent = null;
  };
  const open = async (signal: AbortSignal | undefined): Promise<https.Agent> => {
    if (agent !== null) return agent;
    const made = await pinnedAgent(origin, trust, limits.connectMs, signal);
    // Two questions at once: the first one's agent is kept.
    agent ??= made;
    return agent;
  };
  const once = async (request: PanelRequest, signal: AbortSignal | undefined): Promise<PanelReply> => {
    const settings: ExchangeOptions = { agent: await open(signal), origin, userAgent: options.userAgent, limits, signal };
    try {
      return await exchange(request, settings);
    } catch (error) {
      // The panel closed the kept connection just when it was used again: that is no failure of the panel.
      if (!(error instanceof ExchangeError && error.isStaleSocket && request.method === 'GET')) throw error;
      // The other kept ones are as old.
      for (const socket of Object.values(settings.agent.freeSockets).flat()) socket?.destroy();
      return exchange(request, settings);
    }
  };
  const tell = (error: unknown): PanelReply => {
    const cause = error instanceof ExchangeError ? error.cause : error;
    return { kind: 'failed', ...failureOf(cause, { nowMs: options.nowMs(), builtAtMs: options.builtAtMs }) };
  };

  const ask: AskPanel = async (request, signal) => {
    const wasWarm = agent !== null;
    const first = await once(request, signal).catch(tell);
    if (first.kind === 'reply' || !first.fault.startsWith('tls_')) return first;
    // The handshake failed, so nothing was sent. A certificate renewed with the same key is looked at once more.
    close();
    return wasWarm && trust.kind === 'pins' ? once(request, signal).catch(tell) : first;
  };
  const idleConnections = (): number => Object.values(agent?.freeSockets ?? {}).flat().length;
  return { ask, close, idleConnections };
}
