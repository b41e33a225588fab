/** The whole updater with real programs as releases, real processes as the service and a real server; only systemd is not there. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pinnedAgent } from '#supervisor/panel/client.ts';
import { readReady } from '#supervisor/update/ready.ts';
import { runUpdate } from '#supervisor/update/run.ts';
import { runningVersion } from '#supervisor/update/service.ts';
import { notePlannedShutdown, recover } from '#supervisor/update/settle.ts';
import { startPanel } from '../../panel/server.ts';
import { Box, none } from './box.ts';
import { program } from './releases.ts';

const BINARY = path.resolve(import.meta.dirname, '../../../dist/spatium');

let box: Box;
beforeEach(async () => {
  box = await Box.start();
});
afterEach(() => box.stop());

test('a good release runs, the next run has nothing to do, and a newer one replaces it', async () => {
  box.publish('1.1.0', 'good');
  expect(await box.update()).toBe(0);
  expect(await runningVersion(box.socket)).toBe('1.1.0');
  expect(await box.store.current()).toBe('1.1.0');
  expect(fs.statSync(box.store.programOf('1.1.0')).mode & 0o777).toBe(0o755);
  expect(await box.update()).toBe(0);
  expect(box.said.at(-1)).toMatch(/is the published one/);
  box.publish('1.2.0', 'good');
  expect(await box.update()).toBe(0);
  box.publish('1.3.0', 'good');
  expect(await box.update()).toBe(0);
  // The way back is kept, and no more than that.
  expect(fs.readdirSync(box.store.versionsDir).sort()).toEqual(['1.2.0', '1.3.0']);
  expect((await box.store.load()).installed.map((i) => i.over)).toEqual(['1.0.0', '1.0.0']);
});

describe.each([
  ['exits', /ends again and again/],
  ['hangs', /nothing answers/],
  ['other_version', /version 9\.9\.9 answers/],
  ['crashes_later', /started again within the window/],
  ['never_ready', /has not loaded/],
] as const)('a release that %s', (manner, why) => {
  test('is taken back, and not tried again', async () => {
    box.publish('1.1.0', 'good');
    await box.update();
    box.publish('1.2.0', manner);
    expect(await box.update()).toBe(1);
    await box.answers('1.1.0');
    expect(await box.store.current()).toBe('1.1.0');
    const state = await box.store.load();
    expect(state.pending).toBeUndefined();
    expect(state.last?.why).toMatch(why);
    expect(state.bad).toMatchObject([{ version: '1.2.0', reason: 'health' }]);
    const asked = box.publisher.seen.length;
    expect(await box.update()).toBe(1);
    expect(await box.update()).toBe(0);
    expect(box.publisher.seen.length).toBe(asked);
    box.publish('1.2.1', 'good');
    expect(await box.update()).toBe(0);
    expect(await runningVersion(box.socket)).toBe('1.2.1');
  });
});

test.each([
  ['says_other', /says "spatium 9\.9\.9"/],
  ['fails_check', /self-check failed: exit status 1, applied\.json is not understood/],
] as const)('a release that %s is found before it is swapped in', async (manner, why) => {
  box.publish('1.1.0', manner);
  expect(await box.update()).toBe(1);
  expect(await runningVersion(box.socket)).toBe('1.0.0');
  expect(box.service.failures).toBe(0);
  const state = await box.store.load();
  expect(state.last?.why).toMatch(why);
  expect(state.bad).toMatchObject([{ version: '1.1.0', reason: 'self_check' }]);
  expect(fs.readdirSync(box.store.versionsDir)).toEqual([]);
});

test('no file of the right name but the wrong kind: a release that is no program at all', async () => {
  box.publisher.publish('1.1.0', Buffer.from('\u007fELF and then nothing'));
  expect(await box.update()).toBe(1);
  expect((await box.store.load()).last?.why).toMatch(/does not start/);
  expect(await runningVersion(box.socket)).toBe('1.0.0');
});

test('a manifest by a stranger, for another channel, older, or published twice', async () => {
  box.publish('1.1.0', 'good');
  const good = box.publisher.manifest;
  if (good === null) throw new Error('no manifest');
  box.publisher.manifest = { ...good, version: '1.1.1' };
  expect(await box.update()).toBe(1);
  expect(box.said.at(-1)).toMatch(/none of the release keys/);
  const quiet = box.said.length;
  expect(await box.update()).toBe(0);
  expect(box.said.length).toBe(quiet);
  box.publisher.publish('1.1.0', Buffer.from(program('1.1.0', 'good')), { channel: 'beta' });
  expect(await box.update()).toBe(1);
  box.publish('0.9.0', 'good');
  expect(await box.update()).toBe(1);
  expect(box.said.at(-1)).toMatch(/not newer/);
  box.publish('1.0.0', 'hangs');
  expect(await box.update()).toBe(1);
  expect(box.said.at(-1)).toMatch(/published again with other content/);
  expect(await runningVersion(box.socket)).toBe('1.0.0');
  box.publisher.publish('0.9.0', Buffer.from(program('0.9.0', 'good')), { allow_downgrade: true });
  expect(await box.update()).toBe(0);
  expect(await runningVersion(box.socket)).toBe('0.9.0');
  // The image is newer, and was when the downgrade was ordered: a boot does not undo it. A newer image does.
  expect(await recover(box.store, '1.0.0', new Date().toISOString())).toBe('nothing');
  expect(await recover(box.store, '1.0.1', new Date().toISOString())).toBe('image_is_newer');
  expect(await box.store.current()).toBeNull();
});

test('a panel that is down, without a release, or busy, and a configuration that is being applied', async () => {
  expect(await box.update()).toBe(0);
  box.publish('1.1.0', 'good');
  box.isApplying = true;
  expect(await box.update()).toBe(75);
  box.isApplying = false;
  box.publisher.faults.push((_, response) => void response.writeHead(404).end());
  expect(await box.update()).toBe(75);
  await box.publisher.close();
  expect(await box.update()).toBe(75);
  expect(await runningVersion(box.socket)).toBe('1.0.0');
});

test('told to end in the window: the next boot does not count, and the next run judges', async () => {
  box.publish('1.1.0', 'good');
  const ending = new AbortController();
  const going = runUpdate(await box.ports(ending.signal), ending.signal);
  await box.answers('1.1.0');
  ending.abort();
  await expect(going).rejects.toThrow();
  await notePlannedShutdown(box.store);
  expect(await recover(box.store, '1.0.0', new Date().toISOString())).toBe('counted');
  expect((await box.store.load()).pending).toMatchObject({ boots: 0, forgiven: true });
  expect(await box.update()).toBe(0);
  expect((await box.store.load()).last).toMatchObject({ version: '1.1.0', outcome: 'installed' });
});

test('a damaged state file: the image runs, the file is put aside', async () => {
  box.publish('1.1.0', 'good');
  await box.update();
  fs.writeFileSync(path.join(box.dir, 'update.json'), '{"schema": 1, "bad"');
  await recover(box.store, '1.0.0', new Date().toISOString());
  expect(await box.store.current()).toBeNull();
  expect(fs.existsSync(path.join(box.dir, 'update.json.corrupt'))).toBe(true);
});

test('from a real panel by https, believed by its key; one with another key is told by name', async () => {
  const home = path.join(box.dir, 'panel');
  const panel = await startPanel({ dir: home, port: 0, log: () => undefined, needsApproval: false });
  try {
    box.publisher.publish('1.1.0', Buffer.from(program('1.1.0', 'good')), { url: '/v1/releases/files/spatium-1.1.0' });
    fs.mkdirSync(path.join(home, 'releases/files'), { recursive: true });
    fs.writeFileSync(path.join(home, 'releases/stable.json'), JSON.stringify(box.publisher.manifest));
    fs.writeFileSync(path.join(home, 'releases/files/spatium-1.1.0'), program('1.1.0', 'good'));
    const trust = (pin: string) => pinnedAgent(new URL(panel.url), { kind: 'pins', pins: [pin] }, 5000);
    await expect(trust('A'.repeat(43))).rejects.toMatchObject({ fault: 'tls_pin' });
    const agent = await trust(panel.pin);
    expect(await runUpdate(await box.ports(none, panel.url, agent), none)).toBe(0);
    expect(await runningVersion(box.socket)).toBe('1.1.0');
    agent.destroy();
    // Without the pin nobody has signed the certificate: no release, and the reason is not "unreachable".
    expect(await runUpdate(await box.ports(none, panel.url), none)).toBe(75);
    expect(box.said.at(-1)).toMatch(/nobody this machine trusts/);
  } finally {
    await panel.close();
  }
});

test('the program of this repository as a release', async () => {
  if (!fs.existsSync(BINARY)) throw new Error(`${BINARY} does not exist; run "npm run build"`);
  const version = execFileSync(BINARY, ['--version'], { encoding: 'utf8' }).trim().replace('spatium ', '');
  fs.writeFileSync(path.join(box.dir, 'image'), program('0.0.1', 'good'), { mode: 0o755 });
  await box.service.port.restart();
  await box.answers('0.0.1');
  box.publisher.publish(version, fs.readFileSync(BINARY));
  const code = await runUpdate({ ...(await box.ports()), imageVersion: async () => '0.0.1' }, none);
  expect({ code, said: box.said.at(-1) }).toEqual({ code: 0, said: `version ${version} runs` });
  expect(await runningVersion(box.socket)).toBe(version);
  expect(await readReady(path.join(box.dir, 's/agent-ready.json'))).toMatchObject({ version });
});
