/** A cluster to look at: its API over HTTPS with client certificates, the product's API and a database exporter over HTTP, all on loopback. */
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { K3S_BINARY, KUBECONFIG } from '#supervisor/kube/cluster.ts';
import { authority } from './pki.ts';
import { tempDir } from './temp.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/kube');
const fixture = (name: string): string => fs.readFileSync(path.join(FIXTURES, name), 'utf8');

export const TOKEN = 'metrics-token-of-the-release';

const listen = async (server: http.Server | https.Server, host: string, port = 0): Promise<number> => {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return (server.address() as AddressInfo).port;
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export class FakeCluster {
  /** Answers by path; a test replaces or deletes them. */
  readonly answers = new Map<string, { status: number; body: string }>();
  /** Every request that came, `host path`. */
  readonly requests: string[] = [];
  ready = { status: 200, body: '{"status":"ok","checks":{"database":"ok","redis":{"status":"up"},"schema":true}}' };
  metrics = fixture('api-metrics.txt');
  exporter = { status: 200, body: fixture('cnpg-metrics.txt') };
  /** False: the application refuses connections. */
  isUp = true;
  /** What the application takes, and what the secret of its release holds. */
  token = TOKEN;
  secret = TOKEN;
  /** A file tree with k3s in it, for `hostView` or `--root`. */
  readonly root = tempDir();
  readonly pki = authority(tempDir());
  readonly #servers: (http.Server | https.Server)[] = [];

  async start(): Promise<this> {
    const serving = this.pki.sign('kube-apiserver');
    const client = this.pki.sign('system-admin');
    const api = https.createServer(
      { cert: serving.cert, key: serving.key, ca: this.pki.ca.cert, requestCert: true, rejectUnauthorized: true },
      (req, res) => this.#kube(new URL(req.url ?? '/', 'http://x'), res),
    );
    const app = http.createServer((req, res) => this.#app(req, res));
    const exporter = http.createServer((req, res) => {
      this.requests.push(`exporter ${req.url}`);
      res.writeHead(this.exporter.status).end(this.exporter.body);
    });
    this.#servers.push(api, app, exporter);
    const [apiPort, appPort] = [await listen(api, '127.0.0.1'), await listen(app, '127.0.0.1')];
    // The exporter's port is fixed, so it has a loopback address of its own.
    await listen(exporter, '127.0.0.2', 9187);
    const services = JSON.parse(fixture('services.json'));
    services.items[0].spec.ports[1].port = appPort;
    this.#put('/api/v1/services', JSON.stringify(services));
    for (const kind of ['pods', 'nodes']) this.#put(`/api/v1/${kind}`, fixture(`${kind}.json`));
    this.#put('/api/v1/events', JSON.stringify({ metadata: { resourceVersion: '10' }, items: [] }));
    this.#put('/readyz', 'ok');
    this.#put('/apis/metrics.k8s.io/v1beta1/pods', fixture('pod-metrics.json'));
    this.#put('/apis/metrics.k8s.io/v1beta1/nodes', fixture('node-metrics.json'));
    this.#put('/api/v1/nodes/node-1/proxy/stats/summary', fixture('summary.json'));
    const kubeconfig = [
      'clusters:',
      `- cluster:\n    certificate-authority-data: ${base64(this.pki.ca.cert)}\n    server: https://127.0.0.1:${apiPort}`,
      `users:\n- user:\n    client-certificate-data: ${base64(client.cert)}\n    client-key-data: ${base64(client.key)}\n`,
    ].join('\n');
    this.write(K3S_BINARY, '');
    this.write(KUBECONFIG, kubeconfig);
    this.write('/proc/sys/kernel/hostname', 'node-1\n');
    return this;
  }

  write(file: string, text: string): void {
    const at = path.join(this.root, file);
    fs.mkdirSync(path.dirname(at), { recursive: true });
    fs.writeFileSync(at, text);
  }

  asked(what: RegExp): number {
    return this.requests.filter((r) => what.test(r)).length;
  }

  stop(): void {
    for (const s of this.#servers) {
      s.closeAllConnections();
      s.close();
    }
  }

  #put(file: string, body: string): void {
    this.answers.set(file, { status: 200, body });
  }

  #kube(url: URL, res: http.ServerResponse): void {
    const isWatch = url.searchParams.get('watch') === '1';
    this.requests.push(`kube ${url.pathname}${isWatch ? ' watch' : ''}`);
    if (url.pathname.endsWith('/secrets')) {
      const found = url.searchParams.get('labelSelector') === 'app.kubernetes.io/name=spatiumddi';
      const items = found ? [{ data: { other: base64('x') } }, { data: { 'metrics-token': base64(this.secret) } }] : [];
      res.writeHead(200).end(JSON.stringify({ items }));
      return;
    }
    if (url.pathname.endsWith('/log')) {
      // It stays open like a watch.
      res.writeHead(200).write('2026-11-30T15:55:50.000000000Z WARNING: pool is small\n');
      return;
    }
    const answer = this.answers.get(url.pathname) ?? { status: 404, body: '404 page not found\n' };
    if (isWatch && answer.status === 200) {
      // A watch stays open and silent while nothing changes.
      res.writeHead(200).flushHeaders();
      return;
    }
    res.writeHead(answer.status).end(answer.body);
  }

  #app(req: http.IncomingMessage, res: http.ServerResponse): void {
    this.requests.push(`app ${req.url}`);
    if (!this.isUp) {
      req.socket.destroy();
      return;
    }
    if (req.url === '/health/ready') res.writeHead(this.ready.status).end(this.ready.body);
    else if (req.headers.authorization !== `Bearer ${this.token}`) res.writeHead(401).end();
    else res.writeHead(200).end(this.metrics);
  }
}
