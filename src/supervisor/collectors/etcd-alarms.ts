/** Alarms of etcd's own: NOSPACE and CORRUPT. They are in no metric, only in its maintenance API. */
import https from 'node:https';
import { isRecord, parseJson } from '#model/json.ts';
import type { Clock } from '#status/store.ts';
import type { HostView } from '#system/observe.ts';

const TLS_DIR = '/var/lib/rancher/k3s/server/tls/etcd';
const ASK_MS = 30_000;
const TIMEOUT_MS = 2000;
const MAX_BYTES = 64 * 1024;

/** Where k3s lets its etcd answer HTTP: a port of its own, since 2379 takes gRPC only; older ones serve both there. */
const HTTP_PORTS: readonly number[] = [2382, 2379];

/**
 * Names of the alarms in an answer, each once; null when it is no such answer. A member without any leaves the list out, and etcd
 * 3.4 the header too.
 */
export function parseAlarms(body: string): string[] | null {
  const v = parseJson(body);
  if (!isRecord(v) || !Object.keys(v).every((key) => key === 'header' || key === 'alarms')) return null;
  const list = Array.isArray(v['alarms']) ? v['alarms'].filter(isRecord) : [];
  const names = list.map((a) => a['alarm']).filter((a): a is string => typeof a === 'string' && a !== 'NONE');
  return [...new Set(names)].sort();
}

interface Credentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

function post(port: number, path: string, body: string, tls: Credentials): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const req = https.request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false, timeout: TIMEOUT_MS, ...tls });
    req.on('timeout', () => req.destroy(new Error('etcd does not answer')));
    req.on('error', reject);
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('error', reject);
      res.on('data', (part: string) => {
        text += part;
        if (text.length > MAX_BYTES) req.destroy(new Error('the answer is too large'));
      });
      res.on('end', () => (res.statusCode === 200 ? resolve(text) : reject(new Error(`etcd answers ${res.statusCode}`))));
    });
    req.end(body);
  });
}

/** The alarms as they were within half a minute; null when etcd cannot be asked, which says nothing about alarms. */
export function etcdAlarms(host: HostView, clock: Clock, ports = HTTP_PORTS): () => Promise<readonly string[] | null> {
  let asked: { readonly atMs: number; readonly alarms: readonly string[] | null } | null = null;
  const ask = async (): Promise<readonly string[] | null> => {
    const [ca, cert, key] = await Promise.all(['server-ca.crt', 'client.crt', 'client.key'].map((n) => host.text(`${TLS_DIR}/${n}`)));
    if (!ca || !cert || !key) return null;
    for (const port of ports) {
      const body = await post(port, '/v3/maintenance/alarm', '{"action":"GET"}', { ca, cert, key }).catch(() => '');
      const alarms = parseAlarms(body);
      if (alarms !== null) return alarms;
    }
    return null;
  };
  return async () => {
    if (asked === null || clock.monoMs() - asked.atMs >= ASK_MS) asked = { atMs: clock.monoMs(), alarms: await ask().catch(() => null) };
    return asked.alarms;
  };
}
