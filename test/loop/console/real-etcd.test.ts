/** The collector of etcd against a real one on the loopback: metrics, quota, and the alarm of a store that is full. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMPTY_MEMORY, judgeStatus } from '#status/verdict.ts';
import { etcdCollector } from '#supervisor/collectors/etcd.ts';
import { etcdAlarms } from '#supervisor/collectors/etcd-alarms.ts';
import { getText } from '#supervisor/http-text.ts';
import { hostView } from '#system/observe.ts';
import { authority } from '../../support/pki.ts';
import { healthyView } from '../../support/status-fixtures.ts';
import { fileTree, tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';

const QUOTA_BYTES = 8 * 1024 * 1024;
const TLS = 'var/lib/rancher/k3s/server/tls/etcd';
const obstacle = spawnSync('which', ['etcd']).status === 0 ? null : 'etcd is not installed';

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(obstacle !== null)(`real etcd${obstacle === null ? '' : ` (skipped: ${obstacle})`}`, () => {
  const dir = tempDir();
  const pki = authority(dir);
  const client = pki.sign('client');
  let etcd: ChildProcess | null = null;
  let [port, metricsPort] = [0, 0];
  const clock = { nowMs: 0, now: () => new Date().toISOString(), monoMs: () => clock.nowMs };

  beforeAll(async () => {
    pki.sign('server');
    [port, metricsPort] = [await freePort(), await freePort()];
    const at = (file: string): string => path.join(dir, file);
    const peer = `http://127.0.0.1:${await freePort()}`;
    const args = [
      ...['--data-dir', at('data'), '--name', 'one', '--quota-backend-bytes', String(QUOTA_BYTES)],
      ...['--listen-client-urls', `https://127.0.0.1:${port}`, '--advertise-client-urls', `https://127.0.0.1:${port}`],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `one=${peer}`],
      ...['--listen-metrics-urls', `http://127.0.0.1:${metricsPort}`],
      ...['--cert-file', at('server.crt'), '--key-file', at('server.key'), '--trusted-ca-file', at('test-ca.crt'), '--client-cert-auth'],
    ];
    etcd = spawn('etcd', args, { stdio: 'ignore' });
    await waitFor(
      async () => (await getText(`http://127.0.0.1:${metricsPort}/metrics`, 1000).catch(() => '')).includes('etcd_server_has_leader 1'),
      'a leader',
    );
  });
  afterAll(() => {
    etcd?.kill('SIGKILL');
    fs.rmSync(path.join(dir, 'data'), { recursive: true, force: true });
  });

  const collect = async () => {
    const files = { 'server-ca.crt': pki.ca.cert, 'client.crt': client.cert, 'client.key': client.key };
    const tree = Object.fromEntries(Object.entries(files).map(([name, text]) => [`${TLS}/${name}`, text]));
    const host = hostView(fileTree({ ...tree, 'usr/local/bin/k3s': '', 'var/lib/rancher/k3s/server/db/etcd/name': 'x' }));
    // k3s lets etcd serve its metrics on 2381; the test takes a free port.
    const ask = (url: string, timeoutMs: number) => getText(url.replace(':2381/', `:${metricsPort}/`), timeoutMs);
    const cluster = { nodes: () => ({ state: 'known', items: [] }) } as never;
    const seen = await etcdCollector(host, clock, cluster, ask, etcdAlarms(host, clock, [port])).collect();
    if (seen.state !== 'ok') throw new Error(`etcd is ${seen.state}`);
    return seen.data;
  };
  const put = (key: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const base64 = (text: string): string => Buffer.from(text).toString('base64');
      const body = JSON.stringify({ key: base64(key), value: base64('x'.repeat(1024 * 1024)) });
      const options = { host: '127.0.0.1', port, path: '/v3/kv/put', method: 'POST', agent: false, ca: pki.ca.cert, ...client };
      const req = https.request(options, (res) => res.resume().on('end', () => resolve(res.statusCode ?? 0)));
      req.on('error', reject).end(body);
    });

  it('is known in full, with the quota it was given', async () => {
    const d = await collect();
    expect(d).toMatchObject({ backend: 'etcd', has_leader: true, is_leader: true, quota_bytes: QUOTA_BYTES, alarms: [] });
    for (const bytes of [d.db_size_bytes, d.db_in_use_bytes]) expect(bytes).toBeGreaterThan(0);
  });

  it('a store that is full says so itself, and that is CRITICAL', async () => {
    for (let i = 0; i < 12 && (await put(`k${i}`)) === 200; i += 1);
    const d = await collect();
    expect(d.alarms).toEqual(['NOSPACE']);
    expect(d.db_size_bytes).toBeGreaterThan(0.9 * QUOTA_BYTES);
    const view = healthyView({ etcd: d });
    const { verdict } = judgeStatus({ view, now: '2026-11-30T15:55:53Z', nowMs: 0, memory: EMPTY_MEMORY });
    expect(verdict.reasons.map((r) => [r.level, r.code])).toEqual(
      expect.arrayContaining([
        ['CRITICAL', 'etcd.alarm'],
        ['CRITICAL', 'etcd.space'],
      ]),
    );
  });
});
