/** The control plane this appliance belongs to: reachable, and does it know us? Never a code, token or key. */
import net from 'node:net';
import { PATHS } from '#model/limits.ts';
import type { SectionData } from '#model/status.ts';
import { type Collector, intOf, notApplicable, ok } from '#status/collector.ts';
import { type HostView, parseKeyValues } from '#system/observe.ts';
import { notAfterOf } from './certs.ts';
import { type ControlPlaneWatch, NOT_LOOKED } from './control-plane-look.ts';

export const AGENT_DIR = '/var/persist/spatium-supervisor';
const PIN = `${AGENT_DIR}/tls/control-plane.pem`;
const CONNECT_MS = 2000;
/** One refused connection is noise. */
const FAILURES_BEFORE_DOWN = 2;
const CONTACT_INTERVAL_S = 30;

interface RoleConfig {
  readonly isAppliance: boolean;
  readonly url: string | null;
  readonly hasCode: boolean;
}

async function roleConfig(host: HostView): Promise<RoleConfig> {
  const v = parseKeyValues((await host.text(PATHS.roleConfig).catch(() => null)) ?? '');
  const role = v.get('ROLE') ?? '';
  return {
    isAppliance: role === 'appliance' || role === 'application',
    url: v.get('CONTROL_PLANE_URL') || null,
    // The installer leaves the code on STATE, readable by root only, until it is claimed; here its presence is enough.
    hasCode: (v.get('BOOTSTRAP_PAIRING_CODE') ?? '') !== '' || (await host.exists(`${PATHS.state}/pairing-code`)),
  };
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly url: URL;
}

/** Host and port of a URL; a name without a scheme counts as https, as the agent takes it. */
export function endpointOf(url: string): Endpoint | null {
  const full = /^[a-z]+:\/\//i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(full)) return null;
  const u = new URL(full);
  if (u.protocol !== 'https:' && u.protocol !== 'http:') return null;
  return { host: u.hostname.replace(/^\[|\]$/g, ''), port: Number(u.port) || (u.protocol === 'https:' ? 443 : 80), url: u };
}

/** Milliseconds until the connection stood; null when it did not in time. `onAddress` hears what the name resolved to. */
export function connectTime(
  host: string,
  port: number,
  timeoutMs: number,
  onAddress: (address: string) => void = () => undefined,
): Promise<number | null> {
  return new Promise((resolve) => {
    const startedMs = performance.now();
    const socket = net.connect({ host, port });
    // Looking up the name counts too: a resolver that hangs is no reason to wait longer.
    const limit = setTimeout(() => finish(null), timeoutMs);
    const finish = (result: number | null): void => {
      clearTimeout(limit);
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => finish(performance.now() - startedMs));
    socket.on('error', () => finish(null));
    socket.on('lookup', (_error, address) => address && onAddress(address));
  });
}

export function controlPlaneCollector(host: HostView, watch: ControlPlaneWatch): Collector<'control_plane'> {
  let failures = 0;
  return {
    name: 'control_plane',
    periodMs: 5000,
    timeLimitMs: 7000,
    ttlMs: 15_000,
    source: 'TCP connect to the control plane',
    async collect() {
      const { isAppliance, url } = await roleConfig(host);
      if (!isAppliance) return notApplicable;
      const endpoint = url === null ? null : endpointOf(url);
      const addresses: string[] = [];
      const rtt = endpoint === null ? null : await connectTime(endpoint.host, endpoint.port, CONNECT_MS, (a) => addresses.push(a));
      if (rtt === null) watch.forget();
      const pin = await host.text(PIN).catch(() => null);
      const look = endpoint === null || rtt === null ? NOT_LOOKED : await watch.look(endpoint.url, pin);
      failures = endpoint === null || rtt !== null ? 0 : failures + 1;
      const mark = await host.modifiedMs(`${AGENT_DIR}/last-loop-at`);
      return ok({
        url,
        resolved_addrs: addresses.length === 0 ? null : [...new Set(addresses)],
        tcp_ok: endpoint === null ? null : rtt !== null ? true : failures >= FAILURES_BEFORE_DOWN ? false : null,
        tls_ok: look.tlsOk,
        http_ok: look.httpOk,
        rtt_ms: rtt === null ? null : Math.round(rtt),
        last_heartbeat_at: mark === null ? null : new Date(mark).toISOString(),
        last_heartbeat_status: null,
        consecutive_failures: failures,
        interval_s: CONTACT_INTERVAL_S,
        in_cluster: false,
      });
    },
  };
}

export interface PairingFiles {
  readonly hasUrl: boolean;
  readonly hasCode: boolean;
  readonly approval: string | null;
  readonly hasId: boolean;
  readonly certificate: string | null;
  /** The control plane shows another certificate than the pinned one. */
  readonly isPinBroken?: boolean;
}

/** Which state the files tell; what only the agent's own requests could tell (throttled, rejected) is not guessed. */
export function pairingState(f: PairingFiles): SectionData['pairing']['state'] {
  if (f.approval === 'revoked') return 'revoked';
  if (f.certificate !== null) return f.isPinBroken ? 'pin_mismatch' : 'paired';
  if (!f.hasUrl) return 'no_url';
  if (f.hasId) return 'awaiting';
  return f.hasCode ? 'registering' : 'no_code';
}

function endOf(pem: string | null): string | null {
  const text = pem === null ? null : notAfterOf(pem);
  return text === null ? null : new Date(text).toISOString();
}

/**
 * @param own the pairing of this supervisor itself, on a box that asks a panel for its configuration; null: another
 * supervisor pairs this box, and its files tell
 */
export function pairingCollector(
  host: HostView,
  watch: ControlPlaneWatch,
  own: (hasCode: boolean) => SectionData['pairing'] | null = () => null,
): Collector<'pairing'> {
  return {
    name: 'pairing',
    periodMs: 5000,
    timeLimitMs: 2000,
    ttlMs: 10_000,
    source: AGENT_DIR,
    async collect() {
      const { isAppliance, url, hasCode } = await roleConfig(host);
      const mine = own(hasCode);
      if (mine !== null) return ok(mine);
      if (!isAppliance) return notApplicable;
      const [approval, id, certificate, pin, strikes] = await Promise.all([
        host.word(`${AGENT_DIR}/approval-state`),
        host.word(`${AGENT_DIR}/identity/appliance_id`),
        host.word(`${AGENT_DIR}/tls/cert.pem`),
        host.exists(PIN),
        host.word(`${AGENT_DIR}/revocation-strikes`),
      ]);
      const matches = watch.last.pinMatches;
      const isPinBroken = pin && matches === false;
      return ok({
        applicable: true,
        state: pairingState({ hasUrl: url !== null, hasCode, approval, hasId: id !== null, certificate, isPinBroken }),
        code_present: hasCode,
        attempts: null,
        last_attempt_at: null,
        retry_at: null,
        last_error: null,
        approved_at: null,
        revocation: strikes === null ? null : { strikes: intOf(strikes) ?? 0, header: null, at: null },
        pinned: pin,
        pin_mismatch: matches === null ? null : !matches,
        cert_not_after: endOf(certificate),
      });
    },
  };
}
