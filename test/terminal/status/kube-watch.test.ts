/** The cluster sections against an API over HTTP that speaks lists and watches. Replies are written after the API's own documents. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventsCollector, nodesCollector, podsCollector } from '#supervisor/collectors/cluster-sections.ts';
import { Cluster, K3S_BINARY, KUBECONFIG } from '#supervisor/kube/cluster.ts';
import { hostView } from '#system/observe.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';

const pod = (name: string, version: number, reason?: string) => ({
  metadata: { name, namespace: 'spatium', uid: name, resourceVersion: String(version), creationTimestamp: '2026-11-29T00:00:00Z' },
  spec: { nodeName: 'n1', containers: [{}] },
  status: {
    phase: 'Running',
    containerStatuses: [reason ? { ready: false, state: { waiting: { reason } } } : { ready: true, state: { running: {} } }],
  },
});

/** A tiny API: lists what it holds, keeps watches open, counts requests. */
class FakeApi {
  pods = [pod('a', 1), pod('b', 2)];
  ready: 'ok' | 'failing' | 'hang' = 'ok';
  gone = false;
  lists = 0;
  readonly watches = new Set<http.ServerResponse>();
  readonly server = http.createServer((req, res) => this.answer(new URL(req.url ?? '/', 'http://x'), res));

  answer(url: URL, res: http.ServerResponse): void {
    if (url.pathname === '/readyz') {
      if (this.ready === 'hang') return;
      res.writeHead(this.ready === 'ok' ? 200 : 500).end(this.ready === 'ok' ? 'ok' : '[+]ping ok\n[-]etcd failed\n');
      return;
    }
    const isPods = url.pathname === '/api/v1/pods';
    if (url.searchParams.get('watch') === '1') {
      res.writeHead(200).flushHeaders();
      if (this.gone) {
        this.gone = false;
        res.end(`${JSON.stringify({ type: 'ERROR', object: { code: 410 } })}\n`);
      } else if (isPods) this.watches.add(res);
      return;
    }
    if (isPods) this.lists += 1;
    const items = isPods
      ? this.pods
      : url.pathname === '/api/v1/nodes'
        ? [{ metadata: { name: 'n1', uid: 'n1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } }]
        : [];
    res.writeHead(200).end(JSON.stringify({ metadata: { resourceVersion: '10' }, items }));
  }

  send(type: string, object: unknown): void {
    for (const w of this.watches) w.write(`${JSON.stringify({ type, object })}\n`);
  }
}

let api: FakeApi;
let cluster: Cluster;
let root: string;
beforeEach(async () => {
  api = new FakeApi();
  await new Promise<void>((r) => api.server.listen(0, '127.0.0.1', () => r()));
  root = tempDir();
  for (const [file, text] of [
    [K3S_BINARY, ''],
    [KUBECONFIG, `server: http://127.0.0.1:${(api.server.address() as AddressInfo).port}\n`],
  ] as const) {
    fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  }
  cluster = new Cluster(hostView(root));
});
afterEach(() => {
  cluster.stop();
  api.server.closeAllConnections();
  api.server.close();
});

const collect = () => podsCollector(cluster, () => Date.parse('2026-11-30T00:00:00Z')).collect();
const names = async (): Promise<string[]> => {
  const seen = await collect();
  return seen.state === 'ok' ? seen.data.list.map((p) => `${p.name}:${p.state}`) : [seen.state];
};

describe('watching the cluster', () => {
  it('lists once, then follows changes without asking again', async () => {
    void cluster.start();
    await waitFor(async () => (await names()).length === 2, 'two pods');
    await waitFor(() => api.watches.size === 1, 'a watch');
    api.send('MODIFIED', pod('b', 11, 'CrashLoopBackOff'));
    api.send('ADDED', pod('c', 12));
    api.send('DELETED', pod('a', 13));
    await waitFor(async () => (await names()).join() === 'b:CrashLoopBackOff,c:Running', 'the changes');
    for (let i = 0; i < 50; i += 1) await collect();
    expect(api.lists).toBe(1);
    expect((await nodesCollector(cluster, async () => 'n1').collect()).state).toBe('ok');
    expect((await eventsCollector(cluster).collect()).state).toBe('ok');
  });

  it('lists anew when the server has forgotten where we were', async () => {
    api.gone = true;
    void cluster.start();
    await waitFor(() => api.lists >= 2, 'a second list');
    await waitFor(async () => (await names()).length === 2, 'two pods');
  });

  it('says what failed when readiness fails, and keeps the pods it can still see', async () => {
    api.ready = 'failing';
    void cluster.start();
    await waitFor(() => cluster.readiness().readyz === 'failing', 'failing');
    expect(cluster.readiness().readyz_failed_checks).toEqual(['etcd']);
    await waitFor(async () => (await names()).length === 2, 'two pods');
  });

  it('a hung API makes the pods unknown, not empty, though the watch stays open', async () => {
    void cluster.start();
    await waitFor(async () => (await names()).length === 2, 'two pods');
    api.ready = 'hang';
    await waitFor(() => cluster.readiness().readyz === 'timeout', 'a time-out');
    expect(await collect()).toEqual({ state: 'unavailable', code: 'k3s', msg: 'the k3s API does not answer' });
  });

  it('without k3s everything of the cluster is not applicable', async () => {
    fs.rmSync(path.join(root, K3S_BINARY));
    await cluster.start();
    expect(await collect()).toEqual({ state: 'not_applicable' });
  });

  it('without a kubeconfig it says so', async () => {
    fs.rmSync(path.join(root, KUBECONFIG));
    await cluster.start();
    expect(await collect()).toMatchObject({ state: 'unavailable', msg: 'k3s has not written its kubeconfig yet' });
  });
});
