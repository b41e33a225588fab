/** Certificates this box depends on, and how long each is good. Read from their files; the web UI's own from a handshake. */
import { X509Certificate } from 'node:crypto';
import tls from 'node:tls';
import type { SectionData } from '#model/status.ts';
import { type Collector, notApplicable, ok } from '#status/collector.ts';
import type { HostView } from '#system/observe.ts';
import { AGENT_DIR } from './fleet.ts';

const K3S_TLS = '/var/lib/rancher/k3s/server/tls';
const DAY_MS = 86_400_000;
const WARN_DAYS = 14;
const HANDSHAKE_MS = 3000;
const HTTPS = 443;

/** What stops when it runs out is critical then; the others warn people away. */
const FILES: readonly (readonly [name: string, file: string, isVital: boolean])[] = [
  ['supervisor', `${AGENT_DIR}/tls/cert.pem`, true],
  ['pin', `${AGENT_DIR}/tls/control-plane.pem`, false],
  ['k3s_ca', `${K3S_TLS}/server-ca.crt`, true],
  ['k3s_client_ca', `${K3S_TLS}/client-ca.crt`, true],
  ['k3s_api', `${K3S_TLS}/serving-kube-apiserver.crt`, true],
  ['k3s_admin', `${K3S_TLS}/client-admin.crt`, true],
  ['k3s_etcd', `${K3S_TLS}/etcd/server-client.crt`, true],
  ['k3s_kubelet', '/var/lib/rancher/k3s/agent/serving-kubelet.crt', true],
];

type Cert = SectionData['certs'][number];

/** `notAfter` null: it cannot be read, so nobody knows. */
export function certOf(name: string, notAfter: string | null, isVital: boolean, nowMs: number): Cert {
  const untilMs = Date.parse(notAfter ?? '');
  if (notAfter === null || Number.isNaN(untilMs)) return { name, not_after: null, days_left: null, severity: 'unknown' };
  const days = Math.floor((untilMs - nowMs) / DAY_MS);
  const severity = days < 0 ? (isVital ? 'critical' : 'warning') : days <= WARN_DAYS ? 'warning' : 'ok';
  return { name, not_after: new Date(untilMs).toISOString(), days_left: days, severity };
}

/** End of the first certificate of a PEM text: the leaf of a chain. null when there is none. */
export function notAfterOf(pem: string): string | null {
  try {
    return new X509Certificate(pem).validTo;
  } catch {
    return null;
  }
}

/** End of what a TLS server shows, whoever signed it; null when nobody answers there with TLS. */
export function shownBy(host: string, port: number, timeoutMs = HANDSHAKE_MS): Promise<string | null> {
  return new Promise((resolve) => {
    const finish = (result: string | null): void => {
      clearTimeout(limit);
      socket.destroy();
      resolve(result);
    };
    // Nothing is sent, so nothing depends on whether it is trusted.
    const socket = tls.connect({ host, port, rejectUnauthorized: false }, () => finish(socket.getPeerX509Certificate()?.validTo ?? null));
    const limit = setTimeout(() => finish(null), timeoutMs);
    socket.on('error', () => finish(null));
  });
}

export function certsCollector(
  host: HostView,
  wallMs: () => number,
  webUi: () => Promise<string | null> = () => shownBy('127.0.0.1', HTTPS),
): Collector<'certs'> {
  return {
    name: 'certs',
    // A renewed certificate is seen within ten minutes; k3s renews when it starts.
    periodMs: 600_000,
    timeLimitMs: 10_000,
    ttlMs: 3_600_000,
    source: `${AGENT_DIR}/tls, ${K3S_TLS}, TLS on 127.0.0.1:${HTTPS}`,
    async collect() {
      const nowMs = wallMs();
      const files = await Promise.all(
        FILES.map(async ([name, file, isVital]): Promise<Cert | null> => {
          const pem = await host.text(file).catch(() => '');
          return pem === null ? null : certOf(name, notAfterOf(pem), isVital, nowMs);
        }),
      );
      const shown = await webUi();
      const certs = [...files, shown === null ? null : certOf('web_ui', shown, false, nowMs)].filter((c): c is Cert => c !== null);
      return certs.length === 0 ? notApplicable : ok(certs);
    },
  };
}
