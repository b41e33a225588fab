/** Which certificate is believed, and the connections that rest on it. See docs/decisions/0013-identity.md. */
import type { AskPanel, PanelReply, PanelRequest } from '#model/pull.ts';
import type { PanelClient } from '../panel/client.ts';
import type { PanelTrust } from '../panel/trust.ts';
import type { IdentityDeps } from './deps.ts';

/** The variable that turns all checks of the panel's certificate off. */
export const VERIFICATION_OFF = 'SPATIUM_INSECURE_SKIP_TLS_VERIFY';

/** Trust for an enrolment or an identity; `first_use`: nobody has said which key is the right one. */
export function pickTrust(
  { settings, isVerificationOff }: Pick<IdentityDeps, 'settings' | 'isVerificationOff'>,
  stored: readonly string[],
): PanelTrust | 'first_use' {
  if (isVerificationOff) return { kind: 'off' };
  // What the image or the operator says comes first; it is how a lost pin is mended without a new token.
  if (settings.pins.length > 0) return { kind: 'pins', pins: settings.pins };
  if (settings.trust === 'system') return { kind: 'system' };
  return stored.length > 0 ? { kind: 'pins', pins: stored } : 'first_use';
}

/** One client a panel and trust: a kept connection is never used under another trust than the one it was made with. */
export class Connections {
  readonly #deps: IdentityDeps;
  readonly #clients = new Map<string, PanelClient>();

  constructor(deps: IdentityDeps) {
    this.#deps = deps;
  }

  ask(panel: string, trust: PanelTrust, ...rest: Parameters<AskPanel>): Promise<PanelReply> {
    const key = JSON.stringify([panel, trust]);
    const client = this.#clients.get(key) ?? this.#deps.connect(panel, trust);
    this.#clients.set(key, client);
    return client.ask(...rest);
  }

  /** Without a trust to rest on, a question fails and nothing is sent. */
  askIf(panel: string, trust: PanelTrust | 'first_use', request: PanelRequest, signal?: AbortSignal): Promise<PanelReply> {
    if (trust !== 'first_use') return this.ask(panel, trust, request, signal);
    return Promise.resolve({ kind: 'failed', fault: 'tls_pin', message: 'no key of the panel is pinned; a new token is needed' });
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }
}
