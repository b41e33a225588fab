/** The steps of an application, with real files. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { failedWith } from '#supervisor/apply/quarantine.ts';
import { markOf } from '#supervisor/apply/records.ts';
import { recover } from '#supervisor/apply/recover.ts';
import { applyConfig } from '#supervisor/apply/steps.ts';
import { type ConfigStore, openStore } from '#supervisor/apply/store.ts';
import { bad, type Daemon, good } from '#supervisor/kinds/kind.ts';
import { sha256Of } from '#supervisor/pull/envelope.ts';
import { modelKind, stored } from '../../support/crash-world.ts';
import { easyDaemon, easyKind, storeFiles } from '../../support/pull-world.ts';
import { tempDir } from '../../support/temp.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const same = { agent: '1', daemon: '2.6' };
const verdict = { sha256: 'a', version: 2, phase: 'health', outcome: 'reverted', message: 'm' } as const;

let dir = '';
let store: ConfigStore;
const one = stored(1, 'good');
const two = stored(2, 'good');
const context = (daemon: Partial<Daemon> = {}) => ({
  store,
  kind: modelKind('/nonexistent'),
  daemon: { ...easyDaemon, ...daemon },
  pause: { monoMs: () => 0, sleep: async () => undefined },
  wallMs: () => NOW,
  agentVersion: '1',
  bootId: 'boot',
  health: { windowMs: 0, everyMs: 1, goodInARow: 1 },
});
beforeEach(async () => {
  dir = tempDir();
  store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

it('keeps this one and the one before, owner only, and nothing else', async () => {
  for (const config of [stored(3, 'good'), one, two]) expect(await applyConfig(context(), config, () => false)).toBe('applied');
  expect(fs.readdirSync(path.join(dir, 'gen')).sort()).toEqual([markOf(one.sha256), markOf(two.sha256)].sort());
  expect(fs.readlinkSync(path.join(dir, 'current'))).toBe(`gen/${markOf(two.sha256)}`);
  expect(fs.readdirSync(dir).sort()).toEqual(['applied.json', 'current', 'gen']);
  for (const name of ['applied.json', 'current/nature', 'current/sub/mark'])
    expect(fs.statSync(path.join(dir, name)).mode & 0o777).toBe(0o600);
  expect(fs.statSync(path.join(dir, 'gen')).mode & 0o777).toBe(0o700);
});

it('the checker fails with exit 1 and says nothing: the running one was not touched', async () => {
  await applyConfig(context(), one, () => false);
  let reloads = 0;
  const daemon = {
    check: async () => bad(''),
    reload: async () => {
      reloads += 1;
      return good;
    },
  };
  expect(await applyConfig(context(daemon), two, () => false)).toBe('failed');
  expect(reloads).toBe(0);
  expect(store.quarantine.failed).toMatchObject({ phase: 'validate', outcome: 'not_started', message: '', version: 2 });
  expect(fs.existsSync(path.join(dir, 'attempt.json'))).toBe(false);
});

it('is called off before the swap by something newer, never after it', async () => {
  expect(await applyConfig(context(), one, () => true)).toBe('superseded');
  expect(fs.existsSync(path.join(dir, 'current'))).toBe(false);
  let isSuperseded = false;
  const daemon = {
    reload: async () => {
      isSuperseded = true;
      return good;
    },
  };
  expect(await applyConfig(context(daemon), one, () => isSuperseded)).toBe('applied');
});

it('a disk that is full at any write leaves the running one running, with a verdict', async () => {
  await applyConfig(context(), one, () => false);
  for (let n = 0; n < 12; n++) {
    let left = n;
    const full = async (): Promise<never> => {
      throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    };
    const tight: typeof storeFiles = { ...storeFiles, write: (...args) => (left-- > 0 ? storeFiles.write(...args) : full()) };
    const there = await openStore({ dir, emptyDir: '/nonexistent' }, tight, 'lb');
    const end = await applyConfig({ ...context(), store: there }, two, () => false);
    const current = fs.readlinkSync(path.join(dir, 'current'));
    if (end === 'applied') expect(current).toBe(`gen/${markOf(two.sha256)}`);
    else expect([end, current, there.quarantine.failed?.sha256]).toEqual(['failed', `gen/${markOf(one.sha256)}`, two.sha256]);
    if (end === 'applied') break;
    expect(n).toBeLessThan(11);
  }
});

it('moves damaged files aside, and finds the last good one again from its own file', async () => {
  await applyConfig(context(), one, () => false);
  fs.rmSync(path.join(dir, 'gen'), { recursive: true });
  for (const name of ['attempt.json', 'quarantine.json', 'fetched.json']) fs.writeFileSync(path.join(dir, name), '{"half');
  store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
  expect(
    fs
      .readdirSync(dir)
      .filter((n) => n.endsWith('.corrupt'))
      .sort(),
  ).toEqual(['attempt.json.corrupt', 'fetched.json.corrupt', 'quarantine.json.corrupt']);
  await recover(store, modelKind('/nonexistent'), same, NOW);
  expect(fs.readFileSync(path.join(dir, 'current/sub/mark'), 'utf8')).toBe(markOf(one.sha256));
});

it('keeps what runs when only the record of it is lost, and falls back to it', async () => {
  await applyConfig(context(), one, () => false);
  fs.writeFileSync(path.join(dir, 'applied.json'), '{"half');
  store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
  expect(await recover(store, modelKind('/nonexistent'), same, NOW)).toEqual({ done: [], hasMoved: false });
  let reloads = 0;
  const fails = { reload: async () => (++reloads === 1 ? bad('no') : good) };
  expect(await applyConfig(context(fails), two, () => false)).toBe('failed');
  expect(store.quarantine.failed?.outcome).toBe('reverted');
  expect(fs.readFileSync(path.join(dir, 'current/sub/mark'), 'utf8')).toBe(markOf(one.sha256));
  const kind = modelKind('/nonexistent');
  const listening = {
    ...kind,
    prepare: (config: unknown) => {
      const made = kind.prepare(config);
      return made.ok ? { ...made, prepared: { ...made.prepared, listens: [{ address: null, port: 80 }] } } : made;
    },
  };
  // The port may be held by the daemon itself.
  const check = async (_: string, places: readonly unknown[]) => (places.length === 0 ? good : bad('taken'));
  expect(await applyConfig({ ...context({ check }), kind: listening }, stored(3, 'good'), () => false)).toBe('applied');
});

it.each(['attempt.json', 'quarantine.json'])('does not take for well what %s speaks against', async (name) => {
  await applyConfig(context(), one, () => false);
  fs.rmSync(path.join(dir, 'applied.json'));
  const failed = failedWith({ ...verdict, sha256: one.sha256 }, null, same, NOW);
  const text = name === 'attempt.json' ? '{"half' : JSON.stringify({ failed, refused: null });
  fs.writeFileSync(path.join(dir, name), text);
  store = await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb');
  expect((await recover(store, modelKind('/nonexistent'), same, NOW)).hasMoved).toBe(true);
  expect(fs.readlinkSync(path.join(dir, 'current'))).toBe('/nonexistent');
});

it('reads back whatever it has taken: the largest body, and none that could not be read', async () => {
  const body = `{${'\n'.repeat(1024 ** 2 - 100)}"schema":1,"kind":"lb","device_id":"d1","version":1,"config":{}}`;
  const large = { ...one, body, sha256: sha256Of(body), envelope: JSON.parse(body) };
  await store.putApplied(large, 'now');
  expect((await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb')).applied).toEqual(large);
  await expect(store.putApplied({ ...large, body: 'x'.repeat(9 * 1024 ** 2) }, 'now')).rejects.toThrow(/over/);
  expect((await openStore({ dir, emptyDir: '/nonexistent' }, storeFiles, 'lb')).applied).toEqual(large);
});

it('leads to the configuration of the image when there was never a good one', async () => {
  expect((await recover(store, easyKind('/nonexistent'), same, NOW)).hasMoved).toBe(true);
  expect(fs.readlinkSync(path.join(dir, 'current'))).toBe('/nonexistent');
  expect((await recover(store, easyKind('/nonexistent'), same, NOW)).done).toEqual([]);
});
