/**
 * What an unchanged configuration costs: bytes on the wire and requests a second of one appliance, a thousand appliances against one
 * panel, and a day of polling in some seconds. Panel, TLS and files are real; only the daemon is left out, and the day's clock is made.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IdentityPort, StoredConfig } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';
import { storeFiles } from '#supervisor/apply/files.ts';
import { openStore } from '#supervisor/apply/store.ts';
import { type PanelClient, panelClient } from '#supervisor/panel/client.ts';
import { realClock } from '#supervisor/pull/clock.ts';
import { Manager, openRecovered } from '#supervisor/pull/manager.ts';
import { Poller } from '#supervisor/pull/poller.ts';
import { sha256 } from '../panel/records.ts';
import { startPanel } from '../panel/server.ts';
import { storeFiles as countedFiles, easyDaemon, easyKind, envelope, FakeClock, FakeIdentity, reply } from '../support/pull-world.ts';

const ROUNDS = 500;
const FLEET = Number(process.env['BENCH_FLEET'] ?? 1000);
const FLEET_MS = 20_000;
const ARRIVE_MS = 90_000;
const HOUR_MS = 3_600_000;
// In memory: it is not the disk that is measured.
const base = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'bench-poll-'));
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Counts what goes through, both ways: payload of TCP, TLS records included. */
async function meter(
  to: number,
): Promise<{ readonly port: number; readonly bytes: { up: number; down: number }; readonly close: () => void }> {
  const bytes = { up: 0, down: 0 };
  const server = net.createServer((client) => {
    const panel = net.connect(to, '127.0.0.1');
    client.on('data', (part) => {
      bytes.up += part.length;
    });
    panel.on('data', (part) => {
      bytes.down += part.length;
    });
    client.pipe(panel).pipe(client);
    for (const socket of [client, panel]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as net.AddressInfo).port, bytes, close: () => server.close() };
}

const panelDir = path.join(base, 'panel');
const panel = await startPanel({ dir: panelDir });
const secret = new Secret(randomBytes(24).toString('base64url'));
const deviceId = 'bench-device';
await panel.records.change((r) =>
  r.devices.push({
    device_id: deviceId,
    kind: 'lb',
    enrollment_id: 'bench',
    product_uuid: null,
    secret_sha256: sha256(secret.reveal()),
    next_sha256: null,
    state: 'active',
  }),
);
fs.writeFileSync(path.join(panelDir, 'config/lb.json'), '{}');

/** Of a fleet whose panel shares the processor with it, and with whoever else is at work here. */
const PATIENT = { connectMs: 60_000, headersMs: 60_000, wholeMs: 120_000 };

const connect = (port: number, limits: Partial<typeof PATIENT> = {}): PanelClient =>
  panelClient({
    panel: `https://127.0.0.1:${port}`,
    trust: { kind: 'pins', pins: [panel.pin] },
    userAgent: 'spatium/bench',
    builtAtMs: 0,
    nowMs: Date.now,
    limits,
  });

async function onePoll(): Promise<void> {
  const gauge = await meter(panel.port);
  const client = connect(gauge.port);
  const ask = (tag: string | null) =>
    client.ask({
      method: 'GET',
      path: '/v1/lb/config',
      bearer: secret,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', ...(tag === null ? {} : { 'if-none-match': tag }) },
    });
  const first = await ask(null);
  if (first.kind !== 'reply' || first.status !== 200) throw new Error(`the panel answers ${JSON.stringify(first)}`);
  const tag = first.headers['etag'] ?? null;
  const before = { ...gauge.bytes };
  const times: number[] = [];
  const beganMs = performance.now();
  for (let i = 0; i < ROUNDS; i++) {
    const startMs = performance.now();
    const answer = await ask(tag);
    times.push(performance.now() - startMs);
    if (answer.kind !== 'reply' || answer.status !== 304) throw new Error(`not a 304: ${JSON.stringify(answer)}`);
  }
  const seconds = (performance.now() - beganMs) / 1000;
  const up = (gauge.bytes.up - before.up) / ROUNDS;
  const down = (gauge.bytes.down - before.down) / ROUNDS;
  say(`unchanged poll, HTTPS on a kept connection (${ROUNDS} in a row)`);
  say(
    `  bytes up ${up.toFixed(0)}, down ${down.toFixed(0)}, both ${(up + down).toFixed(0)}; at 5 s ${((up + down) / 5).toFixed(0)} a second`,
  );
  say(
    `  median ${median(times).toFixed(2)} ms, ${(ROUNDS / seconds).toFixed(0)} requests a second one after the other (client and panel in one process)`,
  );
  client.close();
  gauge.close();
}

/** What an appliance has on disk that is up to date. */
async function stored(): Promise<StoredConfig> {
  const client = connect(panel.port);
  const answer = await client.ask({ method: 'GET', path: '/v1/lb/config', bearer: secret });
  client.close();
  if (answer.kind !== 'reply') throw new Error(answer.message);
  const { body, headers } = answer;
  return { etag: headers['etag'] ?? null, sha256: sha256(body), received_at: new Date().toISOString(), body, envelope: JSON.parse(body) };
}

/** One appliance that is up to date; `onAnswer` hears what each of its questions came to. */
async function appliance(dir: string, known: StoredConfig, onAnswer: (key: string) => void) {
  const client = connect(panel.port, PATIENT);
  const identity: IdentityPort = {
    state: () => 'active',
    deviceId: () => deviceId,
    credential: () => secret,
    noteStatus: async () => undefined,
    onChange: () => () => undefined,
    ask: async (request, signal) => {
      const answer = await client.ask(request, signal);
      onAnswer(answer.kind === 'reply' ? String(answer.status) : answer.fault);
      return answer;
    },
  };
  const store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
  await store.putFetched(known);
  const kind = easyKind('/nonexistent');
  const poller = new Poller({
    identity,
    store,
    kind,
    agentVersion: '1',
    clock: realClock,
    onStored: () => undefined,
    onRefused: () => undefined,
    onPolled: () => undefined,
  });
  return { poller, client };
}

async function fleet(): Promise<void> {
  const pollers: Poller[] = [];
  const clients: PanelClient[] = [];
  const statuses = new Map<string, number>();
  const known = await stored();
  for (let i = 0; i < FLEET; i++) {
    const { poller, client } = await appliance(path.join(base, `fleet/${i}`), known, (key) => {
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
    });
    pollers.push(poller);
    clients.push(client);
  }
  const cpu = process.cpuUsage();
  for (const poller of pollers) poller.start();
  const isIn = (): boolean => pollers.every((p) => p.facts().polls > 0);
  const beganMs = performance.now();
  while (!isIn() && performance.now() - beganMs < ARRIVE_MS) await sleep(100);
  const arrived = pollers.filter((p) => p.facts().polls > 0).length;
  const arrivedS = (performance.now() - beganMs) / 1000;
  const settled = new Map(statuses);
  const middle = process.cpuUsage(cpu);
  await sleep(FLEET_MS);
  const spent = process.cpuUsage(cpu);
  const seconds = FLEET_MS / 1000;
  const polls = [...statuses].map(([key, n]) => [key, n - (settled.get(key) ?? 0)] as const).filter(([, n]) => n > 0);
  const total = polls.reduce((sum, [, n]) => sum + n, 0);
  const busy = (spent.user + spent.system - middle.user - middle.system) / 1e6 / seconds;
  const perPollMs = (busy * seconds * 1000) / total;
  say(
    `${FLEET} appliances, one panel, loopback, all in one process: ${arrived} connected within ${arrivedS.toFixed(0)} s, then ${seconds} s`,
  );
  say(`  ${(total / seconds).toFixed(0)} requests a second: ${polls.map(([key, n]) => `${key} ${n}`).join(', ')}`);
  say(
    `  processor ${(busy * 100).toFixed(0)} % of one, ${perPollMs.toFixed(2)} ms a poll for both sides; memory ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB`,
  );
  await Promise.all(pollers.map((p) => p.stop()));
  for (const client of clients) client.close();
}

async function day(): Promise<void> {
  const clock = new FakeClock();
  const identity = new FakeIdentity();
  identity.answers = [
    (request) => {
      identity.requests.length = 0;
      identity.statuses.length = 0;
      if (request.method === 'POST') return reply(204);
      return request.headers?.['if-none-match'] === '"v1"' ? reply(304) : reply(200, envelope(1), { etag: '"v1"' });
    },
  ];
  const dir = path.join(base, 'day');
  const common = {
    kind: easyKind('/nonexistent'),
    daemon: easyDaemon,
    dir,
    files: countedFiles,
    agentVersion: '1',
    bootId: 'b',
    log: () => undefined,
  };
  const manager = new Manager(
    {
      ...common,
      settings: { kind: 'lb', panel: 'https://panel.example', pins: [] },
      identity,
      words: () => ({ code: null, message: '' }),
      pin: () => null,
      facts: { bootId: async () => 'b', uptimeS: async () => clock.nowMs / 1000, isClockSynced: () => null, update: async () => undefined },
      clock,
    },
    await openRecovered({ ...common, wallMs: clock.wallMs }),
  );
  manager.start();
  const heaps: string[] = [];
  const beganMs = performance.now();
  for (let hour = 0; hour <= 24; hour += 3) {
    if (hour > 0) await clock.run(3 * HOUR_MS);
    globalThis.gc?.();
    heaps.push(`${hour} h ${(process.memoryUsage().heapUsed / 1e6).toFixed(2)}`);
    if (hour === 0) await clock.run(60_000);
  }
  const section = await manager.section();
  const stop = manager.stop();
  await clock.run(60_000);
  await stop;
  say(`a day of polling, reporting and looking at the daemon, in ${((performance.now() - beganMs) / 1000).toFixed(0)} s`);
  say(`  heap in MB after a collection: ${heaps.join(', ')}${globalThis.gc ? '' : ' (no --expose-gc: not collected)'}`);
  say(
    `  at the end: ${section.state}, version ${section.applied_version}, ${section.consecutive_failures} failures, timers left ${clock.pending}`,
  );
}

try {
  await day();
  await onePoll();
  await fleet();
} finally {
  await panel.close();
  fs.rmSync(base, { recursive: true, force: true });
}
