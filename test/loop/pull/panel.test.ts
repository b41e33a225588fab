/** An appliance from its first boot, against the panel of the tests over real HTTPS, with a real HAProxy behind it. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATHS } from '#model/limits.ts';
import type { StatusReport } from '#model/pull.ts';
import { readShape } from '#model/shape.ts';
import { SECTION_SHAPES, type SectionData } from '#model/status.ts';
import { pullCollector } from '#supervisor/collectors/pull.ts';
import { LB_CONFIG } from '#supervisor/kinds/lb/config.ts';
import { lbDaemon, lbKind } from '#supervisor/kinds/lb/index.ts';
import { renderLb } from '#supervisor/kinds/lb/render.ts';
import { type Managed, recoverAtBoot, startManaged } from '#supervisor/managed.ts';
import { realClock } from '#supervisor/pull/clock.ts';
import { run } from '#system/run.ts';
import { mintToken } from '../../panel/records.ts';
import { type Panel, startPanel } from '../../panel/server.ts';
import { configFile, freePort, getOnce, HaproxyService, Traffic, upstream } from '../../support/haproxy.ts';
import { putFile, tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';

const base = tempDir();
const root = path.join(base, 'root');
const panelDir = path.join(base, 'panel');
const configDir = path.join(root, PATHS.pullConfig);
const places = { statsSocket: path.join(base, 'stats.sock') };
const emptyDir = path.join(base, 'empty');
const lines: string[] = [];
let panel: Panel;
let managed: Managed;
let service: HaproxyService;
let server: Awaited<ReturnType<typeof upstream>>;
let port = 0;
let token = '';

const start = (): Managed =>
  startManaged({
    root,
    version: '1.0.0',
    bootId: 'boot-1',
    run,
    isClockSynced: () => true,
    update: async () => undefined,
    log: (text) => lines.push(text),
    // Real time, only that no backoff is long.
    clock: { ...realClock, after: (ms, work) => realClock.after(Math.min(ms, 1500), work) },
    kinds: () => ({ kind: { ...lbKind(places), emptyDir }, daemon: () => lbDaemon(service, run, places) }),
  });

async function section(): Promise<SectionData['pull'] | null> {
  const seen = await pullCollector(managed.source).collect();
  if (seen.state !== 'ok') return null;
  const read = readShape(SECTION_SHAPES.pull, seen.data);
  if (!read.ok) throw new Error(`${read.path}: ${read.wanted}`);
  return seen.data;
}

const assign = (to: number): void =>
  putFile(
    path.join(panelDir, 'config/lb.json'),
    JSON.stringify({
      listeners: [{ name: 'web', address: '127.0.0.1', port, default_backend: 'app' }],
      backends: [{ name: 'app', servers: [{ name: 's', address: '127.0.0.1', port: to }] }],
    }),
  );

function report(): StatusReport | null {
  const dir = path.join(panelDir, 'status');
  const name = fs.existsSync(dir) ? fs.readdirSync(dir).find((n) => /^[^.].*\.json$/.test(n)) : undefined;
  return name === undefined ? null : JSON.parse(fs.readFileSync(path.join(dir, name), 'utf8'));
}

beforeAll(async () => {
  const empty = LB_CONFIG.read({}, '');
  if (!empty.ok) throw new Error(empty.wanted);
  for (const file of renderLb(empty.value, 'empty', places)) putFile(path.join(emptyDir, file.name), file.text);
  [server, port] = await Promise.all([upstream('served'), freePort()]);
  panel = await startPanel({ dir: panelDir });
  token = await mintToken(panel.records, 'lb', panel.pin);
  putFile(path.join(root, 'sys/class/dmi/id/product_serial'), `${token}\n`);
  putFile(path.join(root, 'sys/class/dmi/id/product_uuid'), '4c4c4544-0000-2010-8020-80c04f202020\n');
  service = new HaproxyService(configFile(configDir), path.join(base, 'haproxy.log'));
});
afterAll(async () => {
  await managed.stop();
  await service.stop();
  await panel.close();
  server.close();
  fs.rmSync(base, { recursive: true, force: true });
});

describe('an appliance and its panel', () => {
  it('is not managed without pull.json, says what is wrong with a bad one, and starts with a good one by itself', async () => {
    managed = start();
    await waitFor(() => managed.source().kind === 'none', 'it looks');
    expect(await recoverAtBoot(root, '1.0.0')).toBeNull();
    await managed.stop();
    putFile(path.join(root, PATHS.pullSettings), '{"kind":"lb","panel":"http://plain"}');
    managed = start();
    await waitFor(() => managed.source().kind === 'wrong', 'it complains');
    expect(managed.source()).toMatchObject({ message: expect.stringContaining('"panel" must be https') });
    putFile(path.join(root, PATHS.pullSettings), JSON.stringify({ kind: 'lb', panel: panel.url }));
    await waitFor(() => managed.source().kind === 'running', 'it starts', 30_000);
  });

  it('enrols, has nothing to do, and says so', async () => {
    await waitFor(async () => (await section())?.state === 'unassigned', 'enrolled and asked', 60_000);
    expect(await section()).toMatchObject({ identity: 'active', code: null, last_status: 204, applied_version: null, pin: panel.pin });
    await waitFor(() => report()?.state === 'unassigned', 'the report', 30_000);
  });

  it('runs what is assigned, and only then says "applied"', async () => {
    assign(server.port);
    await waitFor(async () => (await section())?.fetched_version === 1, 'fetched', 30_000);
    expect((await section())?.applied_version).toBeNull();
    await waitFor(async () => (await section())?.applied_version === 1, 'applied', 60_000);
    expect((await getOnce(port)).body).toBe('served');
    await waitFor(() => report()?.applied_version === 1, 'the report', 30_000);
    expect(report()).toMatchObject({ state: 'applied', boot_id: 'boot-1', clock_synced: true, agent_version: '1.0.0' });
    expect(JSON.stringify(lines)).not.toContain(token);
  });

  it('serves through every fault of the panel, its certificate and its absence', async () => {
    const traffic = new Traffic(port);
    for (const fault of ['garbage', 'portal', 'redirect', 'cut', 'reset', 'not_http', 'too_large', 'force_304']) {
      await panel.faults({ config: { do: fault, location: 'https://127.0.0.1:1/' } });
      const polls = (): number => panel.requests().filter((line) => line.includes('config')).length;
      const before = polls();
      await waitFor(() => polls() > before, fault, 60_000);
    }
    await panel.faults({ tls: 'wrong_key' });
    await panel.close();
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await traffic.stop();
    expect(traffic.failures).toEqual([]);
    expect((await section())?.identity).toBe('active');
    expect(fs.existsSync(path.join(configDir, 'applied.json'))).toBe(true);
  });

  it('starts again without any panel from what is on disk', async () => {
    await managed.stop();
    await service.stop();
    fs.rmSync(path.join(configDir, 'current'));
    fs.rmSync(path.join(configDir, 'gen'), { recursive: true });
    managed = start();
    await waitFor(() => managed.source().kind === 'running', 'it starts', 30_000);
    await waitFor(async () => (await getOnce(port).catch(() => null))?.body === 'served', 'it serves', 30_000);
    expect(await section()).toMatchObject({ applied_version: 1, state: 'applied' });
  });
});
