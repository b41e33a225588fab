/** What runs on the cluster, read over real TLS from an API on loopback. Its answers are files of test/fixtures/kube. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SectionData } from '#model/status.ts';
import type { Observation } from '#status/store.ts';
import { Announcer } from '#supervisor/collectors/announcer.ts';
import { applicationCollectors } from '#supervisor/collectors/application.ts';
import { nodesCollector } from '#supervisor/collectors/cluster-sections.ts';
import { etcdCollector } from '#supervisor/collectors/etcd.ts';
import { clusterVip, loadbalancerCollector } from '#supervisor/collectors/loadbalancer.ts';
import { postgresCollector } from '#supervisor/collectors/postgres.ts';
import { usageCollector } from '#supervisor/collectors/usage.ts';
import { askText } from '#supervisor/http-text.ts';
import { Cluster } from '#supervisor/kube/cluster.ts';
import { hostView } from '#system/observe.ts';
import { FakeCluster } from '../../support/kube-api.ts';
import { waitFor } from '../../support/wait-for.ts';

let fake: FakeCluster;
let cluster: Cluster;
let nowMs = 0;
const clock = { now: () => '2026-11-30T15:55:53.000Z', monoMs: () => nowMs };
const hostname = async (): Promise<string> => 'node-1';

beforeEach(async () => {
  nowMs = 0;
  fake = await new FakeCluster().start();
  cluster = new Cluster(hostView(fake.root));
  void cluster.start();
  await waitFor(
    () => [cluster.pods(), cluster.nodes(), cluster.services()].every((o) => o.state === 'known'),
    'pods, nodes and services over TLS with a client certificate',
  );
});
afterEach(() => {
  cluster.stop();
  fake.stop();
});

const dataOf = <T>(seen: Observation<T>): T => {
  if (seen.state !== 'ok') throw new Error(`not ok: ${JSON.stringify(seen)}`);
  return seen.data;
};

describe('usage', () => {
  it('adds up containers, says where a pod runs, and counts shares of the whole node', async () => {
    const data = dataOf(await usageCollector(cluster, hostname).collect());
    expect(data).toMatchObject({ source: 'metrics', node_cpu_pct: 25, node_mem_pct: 50, node_fs_pct: null, max_cpu_cores: 0.3 });
    expect(data.pods.map((p) => [p.name.slice(0, 14), p.node, p.cpu_cores, p.mem_bytes])).toEqual([
      ['spatium-contro', 'node-1', 0.3, 576 * 1024 ** 2],
      ['spatium-pg-1', 'node-1', 0.012345678, 200 * 1024 ** 2],
      ['metrics-server', null, 0, 20 * 1024 ** 2],
    ]);
  });

  it('gives the nodes what they use, and null to one that was not measured', async () => {
    const usage = usageCollector(cluster, hostname);
    await usage.collect();
    const { list } = dataOf(await nodesCollector(cluster, hostname, (n) => usage.ofNode(n)).collect());
    expect(list.map((n) => [n.name, n.usage_cpu_cores])).toEqual([
      ['node-1', 1],
      ['node-2', 0.4],
      ['node-3', null],
    ]);
  });

  it('asks the kubelet of this node where there is no metrics server; a counter that is missing is not zero', async () => {
    fake.answers.delete('/apis/metrics.k8s.io/v1beta1/pods');
    const data = dataOf(await usageCollector(cluster, hostname).collect());
    expect(data).toMatchObject({ source: 'kubelet_proxy', node_cpu_pct: 20, node_fs_pct: 40 });
    expect(data.pods).toEqual([
      { ns: 'spatium', name: 'spatium-pg-1', node: 'node-1', cpu_cores: 0.02, mem_bytes: 100 },
      { ns: 'spatium', name: 'just-started', node: 'node-1', cpu_cores: null, mem_bytes: null },
    ]);
  });

  it('is not known when neither answers, and forgets what it knew', async () => {
    const usage = usageCollector(cluster, hostname);
    await usage.collect();
    fake.answers.set('/apis/metrics.k8s.io/v1beta1/pods', { status: 503, body: '' });
    fake.answers.delete('/api/v1/nodes/node-1/proxy/stats/summary');
    await expect(usage.collect()).rejects.toThrow('no metrics server, and the kubelet answers 404');
    expect(usage.ofNode('node-1')).toBeNull();
  });
});

describe('the API of the product', () => {
  const start = () => applicationCollectors({ cluster, clock, ask: askText });
  const look = async (c: ReturnType<typeof start>): Promise<[SectionData['api'], Observation<SectionData['platform']>]> => {
    nowMs += 5000;
    const [api, platform] = await Promise.all([c[0].collect(), c[1].collect()]);
    return [dataOf(api), platform];
  };

  it('finds its token by itself, asks readiness once for both sections, and gives a rate', async () => {
    const c = start();
    const [first, platform] = await look(c);
    expect(first).toEqual({
      present: true,
      requests_per_s: null,
      active: 2,
      total: 1020,
      metrics_status: 'ok',
      ready: 'ok',
      ready_http_status: 200,
    });
    expect(dataOf(platform).checks.map((x) => [x.name, x.state])).toEqual([
      ['database', 'ok'],
      ['redis', 'ok'],
      ['schema', 'ok'],
    ]);
    expect(fake.asked(/^app \/health\/ready$/)).toBe(1);
    fake.metrics = fake.metrics.replace('} 1000', '} 1050');
    expect((await look(c))[0].requests_per_s).toBe(10);
    expect(fake.asked(/\/secrets$/)).toBe(1);
    // A counter that went back was restarted: no rate, not a negative one.
    fake.metrics = fake.metrics.replace('} 1050', '} 5');
    expect((await look(c))[0].requests_per_s).toBeNull();
  });

  it('a 503 names what is down; what is not named is unknown, not failing', async () => {
    fake.ready = {
      status: 503,
      body: '{"status":"unavailable","checks":{"database":"error: \\u001b[31mrefused","redis":null,"schema":"ok"}}',
    };
    const [api, platform] = await look(start());
    expect(api).toMatchObject({ ready: 'degraded', ready_http_status: 503 });
    expect(dataOf(platform).checks).toEqual([
      { name: 'database', state: 'failing', detail: 'error: refused' },
      { name: 'redis', state: 'unknown', detail: null },
      { name: 'schema', state: 'ok', detail: null },
    ]);
  });

  it('T21: unreachable after two answers that did not come, and the checks keep their last state and its age', async () => {
    const c = start();
    await look(c);
    fake.isUp = false;
    expect((await look(c))[0]).toMatchObject({ ready: 'ok', metrics_status: 'unreachable', requests_per_s: null, total: null });
    const [api, platform] = await look(c);
    expect(api).toMatchObject({ ready: 'unreachable', ready_http_status: null });
    expect(platform).toEqual({ state: 'unavailable', code: 'api', msg: 'the API does not answer' });
  });

  it('a refused token is looked up again once a minute, not at every poll', async () => {
    const c = start();
    await look(c);
    fake.token = 'the next one';
    for (let i = 0; i < 5; i += 1) expect((await look(c))[0]).toMatchObject({ metrics_status: 'unauthorized', total: null });
    expect(fake.asked(/\/secrets$/)).toBe(1);
    fake.secret = 'the next one';
    nowMs += 60_000;
    expect((await look(c))[0]).toMatchObject({ metrics_status: 'ok', total: 1020 });
    expect(fake.asked(/\/secrets$/)).toBe(2);
  });

  it('without that service there is nothing to say', async () => {
    const absent = new Cluster(hostView('/nonexistent'));
    await absent.start();
    const [api, platform] = applicationCollectors({ cluster: absent, clock, ask: askText });
    expect([await api.collect(), await platform.collect()]).toEqual([{ state: 'not_applicable' }, { state: 'not_applicable' }]);
    absent.stop();
  });
});

describe('the database', () => {
  it('reads the primary: connections of the product, the slowest replica, sizes', async () => {
    expect(dataOf(await postgresCollector(cluster, askText, hostname).collect())).toEqual({
      present: true,
      role: 'primary',
      primary_pod: 'spatium-pg-1',
      replicas_streaming: 2,
      replica_lag_s: 1.5,
      backends_active: 4,
      backends_idle: 9,
      backends_waiting: 1,
      max_connections: 100,
      size_bytes: 52_428_800,
      wal_bytes: 150_994_944,
    });
  });
  it('an exporter without figures gives null, and one that refuses gives a reason', async () => {
    fake.exporter = { status: 200, body: '' };
    expect(dataOf(await postgresCollector(cluster, askText, hostname).collect())).toMatchObject({
      backends_active: null,
      size_bytes: null,
    });
    fake.exporter = { status: 500, body: '' };
    expect(await postgresCollector(cluster, askText, hostname).collect()).toMatchObject({ state: 'unavailable', code: 'exporter' });
  });
});

describe('the load balancer and the members', () => {
  it('counts speakers that are ready, and tries the virtual address', async () => {
    const tried: (string | number)[] = [];
    const lb = loadbalancerCollector(cluster, new Announcer(cluster), async (host, port) => {
      tried.push(host, port);
      return 3;
    });
    expect(dataOf(await lb.collect())).toEqual({
      metallb_present: true,
      speakers_ready: 2,
      speakers_total: 3,
      vip_assigned: true,
      vip_reachable: true,
    });
    expect(tried).toEqual(['192.0.2.50', 443]);
    expect(clusterVip(cluster)).toEqual({ v4: '192.0.2.50', v6: '2001:db8::50', announcing_node: null });
  });
  it('two of three members vote: at risk, though there is a leader', async () => {
    fake.write('/var/lib/rancher/k3s/server/db/etcd/x', '');
    fake.write('/var/lib/rancher/k3s/server/db/snapshots/etcd-snapshot-1', '');
    const etcd = etcdCollector(
      hostView(fake.root),
      clock,
      cluster,
      async () => 'etcd_server_has_leader 1\n',
      async () => null,
    );
    expect(dataOf(await etcd.collect())).toMatchObject({
      members_total: 3,
      members_healthy: 2,
      quorum: 'at_risk',
      snapshots_count: 1,
      last_snapshot_at: expect.stringMatching(/^20/),
    });
  });
});
