/** The whole updater with real programs as releases, real processes as the service and a real server; only systemd is not there. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import type https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pinnedAgent } from '#supervisor/panel/client.ts';
import { byteSource } from '#supervisor/update/byte-source.ts';
import { DOWNLOAD_LIMITS } from '#supervisor/update/download.ts';
import { watchHealth } from '#supervisor/update/health.ts';
import { panelManifest } from '#supervisor/update/panel-manifest.ts';
import { readReady } from '#supervisor/update/ready.ts';
import { runUpdate, type UpdatePorts } from '#supervisor/update/run.ts';
import { runningVersion } from '#supervisor/update/service.ts';
import { notePlannedShutdown, recover } from '#supervisor/update/settle.ts';
import { VersionStore } from '#supervisor/update/store.ts';
import { run } from '#system/run.ts';
import { startPanel } from '../../panel/server.ts';
import { ChildService } from '../../support/child-service.ts';
import { KEYS, type Manner, type Publisher, program, startPublisher } from './releases.ts';

const BINARY = path.resolve(import.meta.dirname, '../../../dist/spatium');
const LIMITS = { windowMs: 1500, startMs: 4000, everyMs: 100, mayMiss: 3 };

let dir = '';
let publisher: Publisher;
let service: ChildService;
let store: VersionStore;
let said: string[] = [];
let applying = false;

const socket = (): string => path.join(dir, 's/status.sock');
const ready = (): string => path.join(dir, 's/agent-ready.json');
const none = new AbortController().signal;

async function ports(signal: AbortSignal = none, panel = publisher.url, agent?: https.Agent): Promise<UpdatePorts> {
  const sleep = (ms: number): Promise<void> => pause(ms, undefined, { signal });
  const source = panelManifest({ panel, channel: 'stable', userAgent: 'test', agent });
  const health = {
    service: service.port,
    runningVersion: () => runningVersion(socket()),
    ready: () => readReady(ready()),
    monoMs: () => performance.now(),
    sleep,
  };
  return {
    settle: {
      store,
      restart: service.port.restart,
      resetFailed: service.port.resetFailed,
      health: (version) => watchHealth(version, health, LIMITS),
      runningVersion: health.runningVersion,
      now: () => new Date().toISOString(),
    },
    probe: { run, sleep },
    download: {
      get: byteSource({ agentFor: source.agentFor, userAgent: 'test', headersMs: 5000 }),
      sleep: (ms, stop) => pause(Math.min(ms, 20), undefined, { signal: stop }),
      limits: DOWNLOAD_LIMITS,
      note: (text) => said.push(text),
    },
    askManifest: () => source.ask(signal),
    keys: [KEYS.publicKey],
    channel: 'stable',
    panel,
    imageProgram: path.join(dir, 'image'),
    imageVersion: async () => '1.0.0',
    isApplying: async () => applying,
    freeBytes: async () => 100e9,
    note: (text) => said.push(text),
  };
}

const publish = (version: string, manner: Manner): void => publisher.publish(version, Buffer.from(program(version, manner)));
const update = async (): Promise<number> => runUpdate(await ports(), none);

async function answers(version: string): Promise<void> {
  for (const untilMs = Date.now() + 10_000; (await runningVersion(socket())) !== version; await pause(50))
    if (Date.now() > untilMs) throw new Error(`${version} does not answer`);
}

beforeEach(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-upd-'));
  fs.mkdirSync(path.join(dir, 's'));
  fs.writeFileSync(path.join(dir, 'image'), program('1.0.0', 'good'), { mode: 0o755 });
  said = [];
  applying = false;
  publisher = await startPublisher();
  store = new VersionStore({ agent: path.join(dir, 'agent'), state: path.join(dir, 'update.json') });
  service = new ChildService(path.join(dir, 'agent'), path.join(dir, 'image'), ['supervise', '--socket', socket()], {
    ...process.env,
    SOCKET: socket(),
  });
  await service.start();
  await answers('1.0.0');
});
afterEach(async () => {
  await service.stop();
  await publisher.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

test('a good release runs, the next run has nothing to do, and a newer one replaces it', async () => {
  publish('1.1.0', 'good');
  expect(await update()).toBe(0);
  expect(await runningVersion(socket())).toBe('1.1.0');
  expect(await store.current()).toBe('1.1.0');
  expect(fs.statSync(store.programOf('1.1.0')).mode & 0o777).toBe(0o755);
  expect(await update()).toBe(0);
  expect(said.at(-1)).toMatch(/is the published one/);
  publish('1.2.0', 'good');
  expect(await update()).toBe(0);
  publish('1.3.0', 'good');
  expect(await update()).toBe(0);
  // The way back is kept, and no more than that.
  expect(fs.readdirSync(store.versionsDir).sort()).toEqual(['1.2.0', '1.3.0']);
  expect((await store.load()).installed.map((i) => i.over)).toEqual(['1.0.0', '1.0.0']);
});

describe.each([
  ['exits', /ends again and again/],
  ['hangs', /nothing answers/],
  ['other_version', /version 9\.9\.9 answers/],
  ['crashes_later', /started again within the window/],
  ['never_ready', /has not loaded/],
] as const)('a release that %s', (manner, why) => {
  test('is taken back, and not tried again', async () => {
    publish('1.1.0', 'good');
    await update();
    publish('1.2.0', manner);
    expect(await update()).toBe(1);
    await answers('1.1.0');
    expect(await store.current()).toBe('1.1.0');
    const state = await store.load();
    expect(state.pending).toBeUndefined();
    expect(state.last?.why).toMatch(why);
    expect(state.bad).toMatchObject([{ version: '1.2.0', reason: 'health' }]);
    const asked = publisher.seen.length;
    expect(await update()).toBe(1);
    expect(await update()).toBe(0);
    expect(publisher.seen.length).toBe(asked);
    publish('1.2.1', 'good');
    expect(await update()).toBe(0);
    expect(await runningVersion(socket())).toBe('1.2.1');
  });
});

test.each([
  ['says_other', /says "spatium 9\.9\.9"/],
  ['fails_check', /self-check failed: exit status 1, applied\.json is not understood/],
] as const)('a release that %s is found before it is swapped in', async (manner, why) => {
  publish('1.1.0', manner);
  expect(await update()).toBe(1);
  expect(await runningVersion(socket())).toBe('1.0.0');
  expect(service.failures).toBe(0);
  const state = await store.load();
  expect(state.last?.why).toMatch(why);
  expect(state.bad).toMatchObject([{ version: '1.1.0', reason: 'self_check' }]);
  expect(fs.readdirSync(store.versionsDir)).toEqual([]);
});

test('no file of the right name but the wrong kind: a release that is no program at all', async () => {
  publisher.publish('1.1.0', Buffer.from('\u007fELF and then nothing'));
  expect(await update()).toBe(1);
  expect((await store.load()).last?.why).toMatch(/does not start/);
  expect(await runningVersion(socket())).toBe('1.0.0');
});

test('a manifest by a stranger, for another channel, older, or published twice', async () => {
  publish('1.1.0', 'good');
  const good = publisher.manifest;
  if (good === null) throw new Error('no manifest');
  publisher.manifest = { ...good, version: '1.1.1' };
  expect(await update()).toBe(1);
  expect(said.at(-1)).toMatch(/none of the release keys/);
  const quiet = said.length;
  expect(await update()).toBe(0);
  expect(said.length).toBe(quiet);
  publisher.publish('1.1.0', Buffer.from(program('1.1.0', 'good')), { channel: 'beta' });
  expect(await update()).toBe(1);
  publish('0.9.0', 'good');
  expect(await update()).toBe(1);
  expect(said.at(-1)).toMatch(/not newer/);
  publish('1.0.0', 'hangs');
  expect(await update()).toBe(1);
  expect(said.at(-1)).toMatch(/published again with other content/);
  expect(await runningVersion(socket())).toBe('1.0.0');
  publisher.publish('0.9.0', Buffer.from(program('0.9.0', 'good')), { allow_downgrade: true });
  expect(await update()).toBe(0);
  expect(await runningVersion(socket())).toBe('0.9.0');
  // The image is newer, and was when the downgrade was ordered: a boot does not undo it. A newer image does.
  expect(await recover(store, '1.0.0', new Date().toISOString())).toBe('nothing');
  expect(await recover(store, '1.0.1', new Date().toISOString())).toBe('image_is_newer');
  expect(await store.current()).toBeNull();
});

test('a panel that is down, without a release, or busy, and a configuration that is being applied', async () => {
  expect(await update()).toBe(0);
  publish('1.1.0', 'good');
  applying = true;
  expect(await update()).toBe(75);
  applying = false;
  publisher.faults.push((_, response) => void response.writeHead(404).end());
  expect(await update()).toBe(75);
  await publisher.close();
  expect(await update()).toBe(75);
  expect(await runningVersion(socket())).toBe('1.0.0');
});

test('told to end in the window: the next boot does not count, and the next run judges', async () => {
  publish('1.1.0', 'good');
  const ending = new AbortController();
  const going = runUpdate(await ports(ending.signal), ending.signal);
  await answers('1.1.0');
  ending.abort();
  await expect(going).rejects.toThrow();
  await notePlannedShutdown(store);
  expect(await recover(store, '1.0.0', new Date().toISOString())).toBe('counted');
  expect((await store.load()).pending).toMatchObject({ boots: 0, forgiven: true });
  expect(await update()).toBe(0);
  expect((await store.load()).last).toMatchObject({ version: '1.1.0', outcome: 'installed' });
});

test('a damaged state file: the image runs, the file is put aside', async () => {
  publish('1.1.0', 'good');
  await update();
  fs.writeFileSync(path.join(dir, 'update.json'), '{"schema": 1, "bad"');
  await recover(store, '1.0.0', new Date().toISOString());
  expect(await store.current()).toBeNull();
  expect(fs.existsSync(path.join(dir, 'update.json.corrupt'))).toBe(true);
});

test('from a real panel by https, believed by its key; one with another key is told by name', async () => {
  const home = path.join(dir, 'panel');
  const panel = await startPanel({ dir: home, port: 0, log: () => undefined, needsApproval: false });
  try {
    publisher.publish('1.1.0', Buffer.from(program('1.1.0', 'good')), { url: '/v1/releases/files/spatium-1.1.0' });
    fs.mkdirSync(path.join(home, 'releases/files'), { recursive: true });
    fs.writeFileSync(path.join(home, 'releases/stable.json'), JSON.stringify(publisher.manifest));
    fs.writeFileSync(path.join(home, 'releases/files/spatium-1.1.0'), program('1.1.0', 'good'));
    const trust = (pin: string) => pinnedAgent(new URL(panel.url), { kind: 'pins', pins: [pin] }, 5000);
    await expect(trust('A'.repeat(43))).rejects.toMatchObject({ fault: 'tls_pin' });
    const agent = await trust(panel.pin);
    expect(await runUpdate(await ports(none, panel.url, agent), none)).toBe(0);
    expect(await runningVersion(socket())).toBe('1.1.0');
    agent.destroy();
    // Without the pin nobody has signed the certificate: no release, and the reason is not "unreachable".
    expect(await runUpdate(await ports(none, panel.url), none)).toBe(75);
    expect(said.at(-1)).toMatch(/nobody this machine trusts/);
  } finally {
    await panel.close();
  }
});

test('the program of this repository as a release', async () => {
  if (!fs.existsSync(BINARY)) throw new Error(`${BINARY} does not exist; run "npm run build"`);
  const version = execFileSync(BINARY, ['--version'], { encoding: 'utf8' }).trim().replace('spatium ', '');
  fs.writeFileSync(path.join(dir, 'image'), program('0.0.1', 'good'), { mode: 0o755 });
  await service.port.restart();
  await answers('0.0.1');
  publisher.publish(version, fs.readFileSync(BINARY));
  const code = await runUpdate({ ...(await ports()), imageVersion: async () => '0.0.1' }, none);
  expect({ code, said: said.at(-1) }).toEqual({ code: 0, said: `version ${version} runs` });
  expect(await runningVersion(socket())).toBe(version);
  expect(await readReady(ready())).toMatchObject({ version });
});
