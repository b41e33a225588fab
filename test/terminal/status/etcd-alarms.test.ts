/** The maintenance API of etcd over real TLS: only with the client certificate of k3s. */
import fs from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { etcdAlarms } from '#supervisor/collectors/etcd-alarms.ts';
import { hostView } from '#system/observe.ts';
import { authority } from '../../support/pki.ts';
import { fileTree } from '../../support/temp.ts';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'etcd-alarms-'));
const pki = authority(dir);
const client = pki.sign('client');
const asked: string[] = [];
const server = https.createServer({ ...pki.sign('server'), ca: pki.ca.cert, requestCert: true, rejectUnauthorized: true }, (req, res) => {
  req.setEncoding('utf8').on('data', (body: string) => asked.push(`${req.method} ${req.url} ${body}`));
  req.on('end', () => res.end('{"header":{"cluster_id":"1"},"alarms":[{"memberID":"5","alarm":"NOSPACE"}]}'));
});
const port = (): number => (server.address() as AddressInfo).port;
const TLS = 'var/lib/rancher/k3s/server/tls/etcd';

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve())));
afterAll(() => {
  server.closeAllConnections();
  server.close();
  fs.rmSync(dir, { recursive: true });
});

const look = (files: Record<string, string>, at = port()) =>
  etcdAlarms(hostView(fileTree({ 'etc/x': '', ...files })), { now: () => '', monoMs: () => 0 }, [1, at]);
const files = { [`${TLS}/server-ca.crt`]: pki.ca.cert, [`${TLS}/client.crt`]: client.cert, [`${TLS}/client.key`]: client.key };

it('gives the alarms, and asks once in half a minute', async () => {
  const ask = look(files);
  expect([await ask(), await ask()]).toEqual([['NOSPACE'], ['NOSPACE']]);
  expect(asked).toEqual(['POST /v3/maintenance/alarm {"action":"GET"}']);
});
it('without certificate, with another authority, without etcd: not known, which is not none', async () => {
  const foreign = authority(dir, 'foreign');
  expect(await look({})()).toBeNull();
  expect(await look({ ...files, [`${TLS}/server-ca.crt`]: foreign.ca.cert })()).toBeNull();
  expect(await look(files, 1)()).toBeNull();
});
