/** From a key to the Kubernetes API and back: the log of a pod in a pane, a pod started anew. The API speaks HTTP, lists, watches and logs. */
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { parsePolicy } from '#status/policy.ts';
import { podLogs, podRestart } from '#supervisor/actions/pods.ts';
import { serveControl } from '#supervisor/control.ts';
import { Cluster, K3S_BINARY, KUBECONFIG } from '#supervisor/kube/cluster.ts';
import { hostView } from '#system/observe.ts';
import { atEnd } from '../../support/at-end.ts';
import { request } from '../../support/supervisor-process.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';
import { realClock } from '../support/console.ts';
import { openConsole, openStand } from '../support/open.ts';
import { KEYS, type Pty } from '../support/pty.ts';

const OWNED = { ownerReferences: [{ kind: 'ReplicaSet', name: 'rs' }] };
const pod = (name: string, containers: readonly string[], meta: object = OWNED) => ({
  metadata: { name, namespace: 'spatium', uid: name, resourceVersion: '1', ...meta },
  spec: { containers: containers.map(() => ({})) },
  status: { phase: 'Running', containerStatuses: containers.map((c) => ({ name: c, ready: true, state: { running: {} } })) },
});

const calls: string[] = [];
const logs = new Set<http.ServerResponse>();
const pods = [pod('pod-0', ['app', 'side']), pod('pod-1', ['app'], {})];

const api = http.createServer((req, res) => {
  const url = new URL(req.url ?? '/', 'http://x');
  if (url.pathname === '/readyz') return void res.end('ok');
  if (url.pathname.endsWith('/log')) {
    calls.push(`log ${url.searchParams.get('container')}`);
    res.writeHead(200).write(`hello from ${url.searchParams.get('container')} \x1b[31mred\x1b[2J\n`);
    logs.add(res);
    return;
  }
  if (req.method === 'DELETE') {
    calls.push(`delete ${url.pathname}${url.search}`);
    return void res.end('{}');
  }
  if (url.searchParams.get('watch') === '1') return void res.writeHead(200).flushHeaders();
  res.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: url.pathname === '/api/v1/pods' ? pods : [] }));
});

let socket = '';
let control = '';
const audited: string[] = [];

beforeEach(async () => {
  calls.length = 0;
  audited.length = 0;
  await new Promise<void>((r) => api.listen(0, '127.0.0.1', () => r()));
  atEnd(() => {
    api.closeAllConnections();
    api.close();
  });
  const root = tempDir();
  for (const [file, text] of [
    [K3S_BINARY, ''],
    [KUBECONFIG, `server: http://127.0.0.1:${(api.address() as AddressInfo).port}\n`],
  ] as const) {
    fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    fs.writeFileSync(path.join(root, file), text);
  }
  const cluster = new Cluster(hostView(root));
  atEnd(() => cluster.stop());
  await cluster.start();
  await waitFor(() => cluster.pods().state === 'known', 'the pods are listed');
  ({ socket } = await openStand());
  control = path.join(path.dirname(socket), 'control.sock');
  const refuse = () => Promise.reject(new Error('no command in this test'));
  const server = await serveControl({
    socket: control,
    policy: async () => parsePolicy(null),
    ports: { run: refuse, remove: refuse },
    works: { 'pod.logs': podLogs(cluster), 'pod.restart': podRestart(cluster) },
    monoMs: realClock.monoMs,
    audit: (text) => audited.push(text),
  });
  atEnd(() => server.close());
});

async function podMenu(): Promise<Pty> {
  const pty = openConsole({ socket });
  await pty.waitFor('HEALTHY');
  await pty.waitFor('F5 Power');
  pty.send('\x1bOR');
  await pty.waitFor(/>• pod-0/);
  pty.send(KEYS.enter);
  await pty.waitFor(/Follow log[\s\S]*Restart pod/);
  await sleep(300);
  return pty;
}

it('follows every container, without what a log could do to a terminal, and stops when the page is left', async () => {
  const pty = await podMenu();
  pty.send(KEYS.enter);
  await pty.waitFor(/Log of pod-0[\s\S]*\[app\] hello from app red/);
  await pty.waitFor('[side] hello from side red');
  for (const log of logs) log.write('second line\n');
  await pty.waitFor('[app] second line');
  pty.send('/');
  await pty.waitFor('Enter filter');
  await pty.press('side');
  await pty.press(KEYS.enter);
  await pty.waitFor('only "side"');
  expect(pty.text()).not.toContain('[app]');
  const open = [...logs];
  pty.send(KEYS.escape);
  await pty.waitFor(/>• pod-0/);
  await waitFor(() => open.every((log) => log.destroyed || log.closed), 'the API is let go');
});

it('a restart is asked about first and deletes that pod only', async () => {
  const plan = await request(control, '/v1/actions/pod.restart', {
    method: 'POST',
    body: JSON.stringify({ args: { ns: 'spatium', pod: 'pod-0' } }),
  });
  const { confirm_token: token, consequences } = JSON.parse(plan.body);
  expect(consequences).toEqual(['Namespace: spatium', 'Pod: pod-0', expect.stringContaining('stops until the new one is ready')]);
  const post = (name: string) =>
    request(control, '/v1/actions/pod.restart', {
      method: 'POST',
      body: JSON.stringify({ confirm_token: token, args: { ns: 'spatium', pod: name } }),
      headers: { 'x-spatium-tty': 'ttyS0', 'x-spatium-admin': 'ops' },
    });
  // The yes was for another one.
  expect((await post('pod-1')).status).toBe(409);
  expect(calls).toEqual([]);
  expect((await post('pod-0')).body).toContain('"rc":0');
  expect(calls).toEqual(['delete /api/v1/namespaces/spatium/pods/pod-0?gracePeriodSeconds=30']);
  expect(audited).toEqual(['pod.restart ns=spatium pod=pod-0 confirmed on ttyS0 by ops']);
});

it('a pod that nothing would start again says so, and a name that is no name goes nowhere', async () => {
  const plan = (pod: string) =>
    request(control, '/v1/actions/pod.restart', { method: 'POST', body: JSON.stringify({ args: { ns: 'spatium', pod } }) });
  expect((await plan('pod-1')).body).toContain('NOTHING OWNS THIS POD');
  expect((await plan('gone')).body).toContain('this pod is gone');
  for (const name of ['../nodes/n1', 'a/b', 'A', '', 'x?y']) expect((await plan(name)).status).toBe(400);
  expect((await request(control, '/v1/actions/pod.restart', { method: 'POST', body: '{"args":{"ns":"spatium","pod":7}}' })).status).toBe(
    400,
  );
  expect(calls).toEqual([]);
});

it('the menu asks before it restarts, and No is the default', async () => {
  const pty = await podMenu();
  pty.send(KEYS.down);
  await sleep(100);
  pty.send(KEYS.enter);
  await pty.waitFor(/Delete this pod[\s\S]*Pod: pod-0[\s\S]*\[> No <\]/);
  await sleep(300);
  pty.send(KEYS.enter);
  await pty.waitFor(/>• pod-0/);
  await sleep(500);
  expect(calls).toEqual([]);
});
