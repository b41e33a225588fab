/** The whole chain with a real HAProxy: whatever the panel does, it serves. */
import { generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IdentityPort, StatusReport } from '#model/pull.ts';
import { Secret } from '#model/secret.ts';
import { storeFiles } from '#supervisor/apply/files.ts';
import type { Daemon, Kind } from '#supervisor/kinds/kind.ts';
import { LB_CONFIG } from '#supervisor/kinds/lb/config.ts';
import { lbDaemon, lbKind } from '#supervisor/kinds/lb/index.ts';
import { renderLb } from '#supervisor/kinds/lb/render.ts';
import { realClock } from '#supervisor/pull/clock.ts';
import { Manager, openRecovered } from '#supervisor/pull/manager.ts';
import { run } from '#system/run.ts';
import { makeCertificate } from '../../panel/certificate.ts';
import { configFile, freePort, getOnce, HaproxyService, Traffic, upstream } from '../../support/haproxy.ts';
import { tempDir } from '../../support/temp.ts';
import { ask, type Behaviour, TinyPanel } from '../../support/tiny-panel.ts';
import { waitFor } from '../../support/wait-for.ts';

const dir = tempDir();
const places = { statsSocket: path.join(dir, 'stats.sock') };
const emptyDir = path.join(dir, 'empty');
const configDir = path.join(dir, 'config');
const panel = new TinyPanel();
const service = new HaproxyService(configFile(configDir), path.join(dir, 'haproxy.log'));
const logs: string[] = [];
let manager: Manager;
let one: Awaited<ReturnType<typeof upstream>>;
let two: Awaited<ReturnType<typeof upstream>>;
let port = 0;
let afterCheck: () => Promise<unknown> = async () => undefined;

const identity: IdentityPort = {
  state: () => 'active',
  deviceId: () => 'd1',
  credential: () => new Secret('spd_x'),
  noteStatus: async () => undefined,
  onChange: () => () => undefined,
  ask: ask(panel),
};

async function openAgent(): Promise<Manager> {
  const kind: Kind = { ...lbKind(places), emptyDir };
  const daemon = lbDaemon(service, run, places);
  const check: Daemon['check'] = async (staged, wanted) => {
    const outcome = await daemon.check(staged, wanted);
    await afterCheck();
    return outcome;
  };
  const log = (text: string): void => void logs.push(text);
  const common = { kind, daemon: { ...daemon, check }, dir: configDir, files: storeFiles, agentVersion: '1', bootId: 'b', log };
  const store = await openRecovered({ ...common, wallMs: Date.now });
  const opened = new Manager(
    {
      ...common,
      settings: { kind: 'lb', panel: 'https://panel.example', pins: [] },
      identity,
      words: () => ({ code: null, message: '' }),
      pin: () => null,
      facts: { bootId: async () => 'b', uptimeS: async () => 1, isClockSynced: () => null, update: async () => undefined },
      // Real time, only that no wait is long.
      clock: { ...realClock, after: (ms, work) => realClock.after(Math.min(ms, 300), work) },
      health: { windowMs: 2000, everyMs: 100, goodInARow: 3 },
    },
    store,
  );
  opened.start();
  return opened;
}

const web = (servers: readonly number[], more: Readonly<Record<string, unknown>> = {}) => ({
  listeners: [{ name: 'web', address: '127.0.0.1', port, default_backend: 'app', ...more }],
  backends: [{ name: 'app', servers: servers.map((p, i) => ({ name: `s${i}`, address: '127.0.0.1', port: p })) }],
});

const section = () => manager.section();
const isApplied = (version: number) =>
  waitFor(async () => (await section()).applied_version === version, `version ${version} applied`, 30_000);
const lastReport = (): StatusReport | undefined => panel.reports.at(-1);

beforeAll(async () => {
  const empty = LB_CONFIG.read({}, '');
  if (!empty.ok) throw new Error(empty.wanted);
  fs.mkdirSync(emptyDir, { recursive: true });
  for (const file of renderLb(empty.value, 'empty', places)) fs.writeFileSync(path.join(emptyDir, file.name), file.text);
  [one, two, port] = await Promise.all([upstream('one'), upstream('two'), freePort()]);
  await panel.start();
  manager = await openAgent();
});
afterAll(async () => {
  await manager.stop();
  await service.stop();
  await panel.stop();
  one.close();
  two.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

describe('a load balancer whose panel misbehaves', () => {
  it('applies the first configuration, says so, and then a second one without a lost request', async () => {
    await isApplied(panel.set(web([one.port])));
    expect((await getOnce(port)).body).toBe('one');
    const traffic = new Traffic(port);
    const version = panel.set(web([two.port]));
    await isApplied(version);
    await waitFor(() => lastReport()?.applied_version === version, 'the report');
    await traffic.stop();
    expect(traffic.failures).toEqual([]);
    expect(traffic.bodies).toEqual(['one', 'two']);
    expect(lastReport()).toMatchObject({ state: 'applied', applied_version: version, fetched_version: version, warnings: [] });
    expect(lastReport()?.failed).toBeUndefined();
  });

  const slow: Behaviour = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 200);
    response.on('close', () => clearInterval(drip));
    setTimeout(() => response.destroy(), 1500);
  };
  it.each<[string, Behaviour]>([
    ['garbage', (_q, r) => r.writeHead(200, { 'content-type': 'application/json', etag: '"x"' }).end('\u0000{"not json')],
    ['a sign-in page', (_q, r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    [
      'an envelope of another device',
      (_q, r) =>
        r
          .writeHead(200, { 'content-type': 'application/json', etag: '"y"' })
          .end('{"schema":1,"kind":"lb","device_id":"zz","version":9,"config":{}}'),
    ],
    ['an empty object', (_q, r) => r.writeHead(200, { 'content-type': 'application/json', etag: '"z"' }).end('{}')],
    ...[401, 403, 404, 410, 429, 500, 503, 302].map((status): [string, Behaviour] => [
      String(status),
      (_q, r) => r.writeHead(status, { location: 'http://127.0.0.1:1/', 'retry-after': '1' }).end('gone'),
    ]),
    ['slow bytes that break off', slow],
    ['a connection that is cut', (q) => q.socket.destroy()],
  ])('serves all the time while it answers %s', async (_name, behave) => {
    const traffic = new Traffic(port);
    const before = panel.polls;
    panel.behave = behave;
    await waitFor(() => panel.polls >= before + 3, 'three polls', 30_000);
    panel.behave = null;
    await traffic.stop();
    expect(traffic.failures).toEqual([]);
    expect(traffic.bodies).toEqual(['two']);
    expect(traffic.requests).toBeGreaterThan(20);
  });

  it('serves while the panel is gone, takes what it has when it is back', async () => {
    const traffic = new Traffic(port);
    await panel.stop();
    await waitFor(async () => (await section()).code === 'POL-UNREACHABLE', 'it is noticed', 20_000);
    const version = panel.set(web([one.port]));
    await panel.start();
    await isApplied(version);
    await traffic.stop();
    expect(traffic.failures).toEqual([]);
    expect(traffic.bodies).toEqual(['two', 'one']);
  });
});

describe('a configuration that does not work', () => {
  /** Sends it, waits for the verdict, and gives what the panel was told. */
  async function fails(config: unknown): Promise<{ readonly report: StatusReport; readonly traffic: Traffic }> {
    const traffic = new Traffic(port);
    const good = (await section()).applied_version;
    const version = panel.set(config);
    await waitFor(
      () => lastReport()?.failed?.version === version && lastReport()?.failed?.outcome !== 'revert_failed',
      'the verdict is told',
      30_000,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    await traffic.stop();
    const report = lastReport() as StatusReport;
    expect(traffic.failures).toEqual([]);
    expect(report).toMatchObject({ state: 'failed', applied_version: good, fetched_version: version });
    expect(fs.readlinkSync(path.join(configDir, 'current'))).toBe(`gen/${report.applied_sha256?.slice(0, 8)}`);
    return { report, traffic };
  }

  it('that HAProxy itself refuses is never given to it', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const config = { ...web([one.port], { tls: { certificates: ['c'] } }), certificates: [{ name: 'c', pem: key }] };
    const { report } = await fails(config);
    expect(report.failed).toMatchObject({ phase: 'validate', outcome: 'not_started', attempts: 1 });
    expect(report.failed?.message).toContain('haproxy -c: exit status 1');
    expect(JSON.stringify(report)).not.toContain(key.split('\n')[1]);
    expect(report.failed?.retry_at).toBeDefined();
  });

  it('whose port is taken by somebody else is never given to it', async () => {
    const squatter = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    const taken = (squatter.address() as net.AddressInfo).port;
    const config = web([two.port]);
    config.listeners.push({ name: 'second', address: '127.0.0.1', port: taken, default_backend: 'app' });
    const { report, traffic } = await fails(config);
    squatter.close();
    expect(report.failed).toMatchObject({ phase: 'validate', outcome: 'not_started' });
    expect(report.failed?.message).toBe(`127.0.0.1, port ${taken} is taken by another program on this box`);
    expect(traffic.bodies).toEqual(['one']);
  });

  it('whose port is taken after it was looked at is taken back', async () => {
    const squatter = net.createServer();
    const config = web([two.port]);
    const late = await freePort();
    config.listeners.push({ name: 'second', address: '127.0.0.1', port: late, default_backend: 'app' });
    afterCheck = () => new Promise<void>((resolve) => squatter.listen(late, '127.0.0.1', () => resolve()));
    const good = (await section()).applied_version;
    const version = panel.set(config);
    await waitFor(
      () => lastReport()?.failed?.version === version && lastReport()?.failed?.outcome !== 'revert_failed',
      'the verdict is told',
      30_000,
    );
    afterCheck = async () => undefined;
    squatter.close();
    expect(lastReport()).toMatchObject({ applied_version: good, failed: { phase: 'health', outcome: 'reverted' } });
    const traffic = new Traffic(port);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await traffic.stop();
    expect(traffic.failures).toEqual([]);
    expect(traffic.bodies).toEqual(['one']);
  });

  /** The verdict over a configuration that was swapped in, and what runs after it. */
  async function isTakenBack(config: unknown): Promise<StatusReport['failed']> {
    const good = (await section()).applied_version;
    const version = panel.set(config);
    const isTold = (): boolean => lastReport()?.failed?.version === version && lastReport()?.failed?.outcome !== 'revert_failed';
    await waitFor(isTold, 'the verdict is told');
    afterCheck = async () => undefined;
    expect(lastReport()).toMatchObject({ applied_version: good, failed: { outcome: 'reverted' } });
    expect((await getOnce(port)).body).toBe('one');
    return lastReport()?.failed;
  }

  it('whose certificate goes away after the check is taken back', async () => {
    const { keyPem, certPem } = makeCertificate({
      commonName: 'x',
      hosts: ['x'],
      notBefore: new Date(0),
      notAfter: new Date('2040-01-01'),
    });
    const gen = path.join(configDir, 'gen');
    afterCheck = async () => fs.readdirSync(gen).map((name) => fs.rmSync(path.join(gen, name, 'certs'), { recursive: true, force: true }));
    const config = { ...web([two.port], { tls: { certificates: ['c'] } }), certificates: [{ name: 'c', pem: certPem + keyPem }] };
    expect(await isTakenBack(config)).toMatchObject({ phase: 'health' });
  });

  it('under which the daemon is killed for its memory is taken back, and the daemon is started again', async () => {
    afterCheck = async () => void setTimeout(() => process.kill(service.pid ?? 0, 'SIGKILL'), 1500);
    const failed = await isTakenBack(web([two.port]));
    expect(failed).toMatchObject({ phase: 'health', message: 'the service does not run' });
    expect(service.pid).not.toBe(null);
  });

  it('is followed by one that does, and the failure is forgotten', async () => {
    const version = panel.set(web([two.port]));
    await isApplied(version);
    await waitFor(() => lastReport()?.applied_version === version && lastReport()?.state === 'applied', 'the report', 20_000);
    expect(lastReport()?.failed).toBeUndefined();
    expect(fs.existsSync(path.join(configDir, 'attempt.json'))).toBe(false);
    expect(fs.readdirSync(path.join(configDir, 'gen')).length).toBe(2);
  });

  it('goes on after the agent was killed in the window: the mark is on disk and the last good one runs', async () => {
    const traffic = new Traffic(port);
    const applied = (await section()).applied_version;
    panel.behave = (_q, r) => r.writeHead(503).end();
    await manager.stop();
    // As a kill between the swap and the verdict leaves it.
    const sha = JSON.parse(fs.readFileSync(path.join(configDir, 'applied.json'), 'utf8')).sha256 as string;
    fs.cpSync(path.join(configDir, `gen/${sha.slice(0, 8)}`), path.join(configDir, 'gen/ffffffff'), { recursive: true });
    fs.writeFileSync(path.join(configDir, 'attempt.json'), JSON.stringify({ sha256: 'f'.repeat(64), version: 99, n: 2, failures: 0 }));
    fs.rmSync(path.join(configDir, 'current'));
    fs.symlinkSync('gen/ffffffff', path.join(configDir, 'current'));
    manager = await openAgent();
    expect(fs.readlinkSync(path.join(configDir, 'current'))).toBe(`gen/${sha.slice(0, 8)}`);
    expect(fs.existsSync(path.join(configDir, 'attempt.json'))).toBe(false);
    expect((await section()).applied_version).toBe(applied);
    expect(JSON.parse(fs.readFileSync(path.join(configDir, 'quarantine.json'), 'utf8')).failed).toMatchObject({
      phase: 'crash_loop',
      version: 99,
      retry_at: null,
    });
    panel.behave = null;
    await traffic.stop();
    expect(traffic.failures).toEqual([]);
  });
});
