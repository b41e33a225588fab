/** Fifty reloads of a real HAProxy under load: no request is lost, on new connections and on kept ones. */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { markOf } from '#supervisor/apply/records.ts';
import type { Daemon } from '#supervisor/kinds/kind.ts';
import { LB_CONFIG, type LbConfig } from '#supervisor/kinds/lb/config.ts';
import { lbDaemon } from '#supervisor/kinds/lb/index.ts';
import { frontendsOf, renderLb } from '#supervisor/kinds/lb/render.ts';
import { sha256Of } from '#supervisor/pull/envelope.ts';
import { run } from '#system/run.ts';
import { freePort, HaproxyService, upstream } from '../../support/haproxy.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';

const RELOADS = 50;
const CLIENTS = 6;

const dir = tempDir();
const places = { statsSocket: path.join(dir, 'stats.sock') };
const file = path.join(dir, 'current/haproxy.cfg');
const service = new HaproxyService(file, path.join(dir, 'haproxy.log'));
const daemon: Daemon = lbDaemon(service, run, places);
let server: Awaited<ReturnType<typeof upstream>>;
let config: LbConfig;
let port = 0;

function lay(generation: number): string {
  const mark = markOf(sha256Of(String(generation)));
  for (const { name, text } of renderLb(config, mark, places)) {
    fs.mkdirSync(path.dirname(path.join(dir, 'current', name)), { recursive: true });
    fs.writeFileSync(path.join(dir, 'current', name), text);
  }
  return mark;
}

beforeAll(async () => {
  server = await upstream('hello');
  port = await freePort();
  const read = LB_CONFIG.read(
    {
      listeners: [{ name: 'web', address: '127.0.0.1', port, default_backend: 'app' }],
      backends: [{ name: 'app', servers: [{ name: 's', address: '127.0.0.1', port: server.port }] }],
    },
    '',
  );
  if (!read.ok) throw new Error(read.wanted);
  config = read.value;
});
afterAll(async () => {
  await service.stop();
  server.closeAllConnections();
  server.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

interface Load {
  requests: number;
  repeated: number;
  readonly lost: string[];
  readonly connections: Set<unknown>;
}

/** One question. `isReused`: on a connection that had served before. */
function askOnce(agent: http.Agent, method: string, load: Load): Promise<{ readonly why: string | null; readonly isReused: boolean }> {
  return new Promise((resolve) => {
    const request = http.request({ host: '127.0.0.1', port, agent, method, timeout: 10_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        body += part;
      });
      response.on('error', (error) => end(String(error)));
      response.on('end', () => end(response.statusCode === 200 && body === 'hello' ? null : `status ${response.statusCode}`));
    });
    const end = (why: string | null): void => resolve({ why, isReused: request.reusedSocket });
    request.on('socket', (socket) => load.connections.add(socket));
    request.on('timeout', () => request.destroy(new Error('no answer in 10 s')));
    request.on('error', (error) => end(String(error)));
    request.end(method === 'POST' ? 'x' : undefined);
  });
}

/** Posts on a new connection each time, which nobody may repeat. */
async function stranger(load: Load, isOver: () => boolean): Promise<void> {
  const agent = new http.Agent({ keepAlive: false });
  while (!isOver()) {
    const { why } = await askOnce(agent, 'POST', load);
    if (why !== null) load.lost.push(why);
    load.requests += 1;
  }
}

/**
 * Keeps its connection, idle now and then: a reload may end it under the next question, as HTTP lets any server do, and like every
 * browser and library it then asks once more on a new one.
 */
async function regular(agent: http.Agent, load: Load, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    let asked = await askOnce(agent, 'GET', load);
    if (asked.isReused && /hang up|ECONNRESET|EPIPE/.test(asked.why ?? '')) {
      load.repeated += 1;
      asked = await askOnce(agent, 'GET', load);
    }
    if (asked.why !== null) load.lost.push(asked.why);
    load.requests += 1;
    await new Promise((resolve) => setTimeout(resolve, load.requests % 7));
  }
}

const newLoad = (): Load => ({ requests: 0, repeated: 0, lost: [], connections: new Set() });

it(`${RELOADS} reloads lose nothing`, async () => {
  const first = lay(0);
  service.start();
  await waitFor(async () => (await daemon.probe(first, frontendsOf(config))).ok, 'it serves');
  let isOver = false;
  const [fresh, held] = [newLoad(), newLoad()];
  const kept = Array.from({ length: CLIENTS }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  const clients = [
    ...kept.map((agent) => regular(agent, held, () => isOver)),
    ...Array.from({ length: CLIENTS }, () => stranger(fresh, () => isOver)),
  ];
  const pid = service.pid;
  for (let generation = 1; generation <= RELOADS; generation++) {
    const mark = lay(generation);
    await daemon.reload();
    await waitFor(async () => (await daemon.probe(mark, frontendsOf(config))).ok, `generation ${generation} serves`);
  }
  isOver = true;
  await Promise.all(clients);
  for (const agent of kept) agent.destroy();
  process.stderr.write(
    `reloads: ${fresh.requests} requests on new connections, ${fresh.lost.length} lost; ${held.requests} on ${held.connections.size} kept ones, ${held.lost.length} lost, ${held.repeated} repeated\n`,
  );
  expect(service.pid).toBe(pid);
  expect(fresh.requests).toBeGreaterThan(RELOADS);
  // They were kept, and every reload moved them on.
  expect(held.requests).toBeGreaterThan(2 * held.connections.size);
  expect({ fresh: fresh.lost, kept: held.lost }).toEqual({ fresh: [], kept: [] });
}, 300_000);
