/** T77: eight consoles ask the machine and its cluster no more than one does. Counted at the cluster's API and in the supervisor's own process. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.ts';
import { FakeCluster, TOKEN } from '../../support/kube-api.ts';
import { openStream, request, type Stream, startSupervisor } from '../../support/supervisor-process.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';

const WINDOW_MS = 15_000;
const pause = (ms: number): Promise<void> => new Promise((r) => setTimeout(r, ms));

/** Processor time of a process in clock ticks (100 a second), user and system. */
function ticksOf(pid: number): number {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** Processes that it has started and that still run. */
const childrenOf = (pid: number): string => fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();

it('the supervisor of a cluster knows every section of it, and tells none of the secrets that it uses', async () => {
  const fake = await new FakeCluster().start();
  atEnd(() => fake.stop());
  const supervisor = await startSupervisor(tempDir(), ['--root', fake.root]);
  atEnd(() => supervisor.stop());
  const wanted = ['pods', 'nodes', 'events', 'usage', 'api', 'platform', 'postgres', 'loadbalancer'];
  let body = '';
  await waitFor(
    async () => {
      body = (await request(supervisor.socket, '/v1/status')).body;
      const sections = JSON.parse(body).sections;
      return wanted.every((n) => sections[n].state === 'ok') && sections.api.data.metrics_status === 'ok';
    },
    'all of them',
    20_000,
  );
  expect(JSON.parse(body).sections.network.data.web_ui_urls[0]).toEqual({ url: 'https://192.0.2.50', kind: 'vip', family: 'v4' });
  const appLines = (await request(supervisor.socket, '/v1/log')).body.split('\n').filter((l) => l.includes('"src":"app"'));
  expect(JSON.parse(appLines[0] ?? '{}')).toMatchObject({ at: '2026-11-30T15:55:50.000Z', sev: 'warn', text: 'WARNING: pool is small' });
  const key = fs.readFileSync(path.join(fake.root, '/etc/rancher/k3s/k3s.yaml'), 'utf8').match(/client-key-data: (\S+)/)?.[1] ?? '';
  expect(key.length).toBeGreaterThan(100);
  for (const secret of [TOKEN, Buffer.from(TOKEN).toString('base64'), key, 'PRIVATE KEY']) {
    expect(body).not.toContain(secret);
    expect(supervisor.said()).not.toContain(secret);
  }
}, 60_000);

it('T77: upstream requests and processes are the same with one console and with eight, and each hears all', async () => {
  const fake = await new FakeCluster().start();
  atEnd(() => fake.stop());
  for (const f of ['proc/stat', 'proc/meminfo', 'proc/loadavg', 'proc/uptime', 'proc/self/mountinfo'])
    fake.write(`/${f}`, fs.readFileSync(`/${f}`, 'utf8'));
  const supervisor = await startSupervisor(tempDir(), ['--root', fake.root]);
  atEnd(() => supervisor.stop());
  const pid = supervisor.process.pid as number;
  const consoleOf = (): Stream[] => [openStream(supervisor.socket, '/v1/stream'), openStream(supervisor.socket, '/v1/log?follow=1')];
  const measure = async (consoles: number) => {
    const streams = Array.from({ length: consoles }, consoleOf).flat();
    await waitFor(() => streams.every((s, i) => i % 2 === 1 || s.frames.length > 0), 'snapshots');
    const [requests, ticks] = [fake.requests.length, ticksOf(pid)];
    await pause(WINDOW_MS);
    const result = {
      requests: fake.requests.slice(requests),
      ticks: ticksOf(pid) - ticks,
      frames: streams.map((s) => s.frames.length),
      children: childrenOf(pid),
    };
    for (const s of streams) s.close();
    return result;
  };
  // The watches are opened and the token is looked up once, at the start.
  await waitFor(
    () => fake.asked(/^app \/metrics$/) >= 2 && fake.asked(/^exporter/) >= 1 && fake.asked(/watch$/) >= 4,
    'a first round',
    20_000,
  );
  const [none, one, eight] = [await measure(0), await measure(1), await measure(8)];
  const kinds = (list: readonly string[]) => [...new Set(list)].sort();
  expect(kinds(eight.requests)).toEqual(kinds(one.requests));
  // A window may catch one round more or less of each of the seven questions.
  expect(Math.abs(eight.requests.length - one.requests.length)).toBeLessThanOrEqual(7);
  expect(Math.abs(one.requests.length - none.requests.length)).toBeLessThanOrEqual(7);
  expect([none.children, one.children, eight.children]).toEqual(['', '', '']);
  for (let i = 0; i < 8; i += 1) expect(eight.frames[2 * i]).toBeGreaterThan(5);
  // Sending is not free, collecting eight times over would be far more: seven consoles may cost a tenth of a processor.
  expect(eight.ticks - one.ticks).toBeLessThan((WINDOW_MS / 10) * 0.1);
}, 90_000);
