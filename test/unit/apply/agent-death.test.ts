/** The agent is killed while it applies, and the daemon lives on: that says nothing about the configuration. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Attempt } from '#supervisor/apply/records.ts';
import { hasLivedOn, recover } from '#supervisor/apply/recover.ts';
import { type ConfigStore, openStore } from '#supervisor/apply/store.ts';
import { applyStored, modelKind, type Nature, stored, World } from '../../support/crash-world.ts';
import { tempDir } from '../../support/temp.ts';

let dir = '';
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

const one = stored(1, 'good');

/** One life of the agent; the daemon runs before it and after it. `operations`: then it is killed. */
async function agentLife(world: World, target: typeof one, operations = Number.POSITIVE_INFINITY): Promise<ConfigStore> {
  world.isDead = false;
  world.fuse = Number.POSITIVE_INFINITY;
  const kind = modelKind(world.emptyDir);
  const bootId = `boot ${world.boots}`;
  const store = await openStore({ dir: world.dir, emptyDir: world.emptyDir }, world.files(), 'lb');
  const { hasMoved } = await recover(store, kind, { agent: '1', daemon: '1' }, world.nowMs, {
    bootId,
    daemon: await world.daemon().state(),
  });
  if (hasMoved) await world.daemon().reload();
  world.fuse = operations;
  if (store.fetched?.sha256 !== target.sha256) await store.putFetched(target);
  await applyStored(world, store);
  world.nowMs += 2000;
  return store;
}

/** A box that runs version 1. */
async function boxWith(): Promise<World> {
  const world = new World(path.join(dir, 'w'));
  world.boot();
  await recover(
    await openStore({ dir: world.dir, emptyDir: world.emptyDir }, world.files(), 'lb'),
    modelKind(world.emptyDir),
    { agent: '1', daemon: '1' },
    world.nowMs,
  );
  world.start();
  await agentLife(world, one);
  return world;
}

const failedIn = (world: World) => JSON.parse(fs.readFileSync(path.join(world.dir, 'quarantine.json'), 'utf8')).failed;
/** Deep enough to be in the window, whose looks are operations too. */
const IN_THE_WINDOW = 26;

describe('an agent that is killed in the health window', () => {
  it('once: the next one applies it', async () => {
    const world = await boxWith();
    await agentLife(world, stored(2, 'good'), IN_THE_WINDOW);
    expect(fs.existsSync(path.join(world.dir, 'attempt.json'))).toBe(true);
    const store = await agentLife(world, stored(2, 'good'));
    expect([store.applied?.envelope.version, store.quarantine.failed]).toEqual([2, null]);
  });

  it('twice: it is put off for a minute and told, and then it is applied', async () => {
    const world = await boxWith();
    const two = stored(2, 'good');
    await agentLife(world, two, IN_THE_WINDOW);
    await agentLife(world, two, IN_THE_WINDOW);
    const store = await agentLife(world, two);
    expect(world.nameOf([one, two], world.runs)).toBe('1');
    expect(store.applied?.envelope.version).toBe(1);
    expect(failedIn(world)).toMatchObject({
      phase: 'crash_loop',
      outcome: 'reverted',
      message: 'the agent ended 2 times while this configuration was tried; the service itself lived on',
      retry_at: expect.any(String),
    });
    world.nowMs += 60_000;
    const healed = await agentLife(world, two);
    expect([healed.applied?.envelope.version, healed.quarantine.failed]).toEqual([2, null]);
    expect(world.nameOf([one, two], world.runs)).toBe('2');
    expect(world.faults).toEqual([]);
  });

  it('again and again: later each time, never in a loop and never for good', async () => {
    const world = await boxWith();
    const two = stored(2, 'good');
    for (const seconds of [60, 300, 900, 3600, 3600]) {
      await agentLife(world, two, IN_THE_WINDOW);
      await agentLife(world, two, IN_THE_WINDOW);
      const store = await agentLife(world, two);
      const waitMs = Date.parse(store.quarantine.failed?.retry_at ?? '') - world.nowMs;
      expect([seconds, Math.round(waitMs / 10_000) * 10]).toEqual([seconds, Math.round((seconds - 2) / 10) * 10]);
      world.nowMs += seconds * 1000;
    }
    expect((await agentLife(world, two)).applied?.envelope.version).toBe(2);
  });

  it('a box that goes down twice with it is still a crash loop for good', async () => {
    const world = await boxWith();
    const two = stored(2, 'good');
    for (let i = 0; i < 2; i++) {
      await agentLife(world, two, IN_THE_WINDOW);
      world.fuse = Number.POSITIVE_INFINITY;
      world.boot();
      const places = { dir: world.dir, emptyDir: world.emptyDir };
      await recover(await openStore(places, world.files(), 'lb'), modelKind(world.emptyDir), { agent: '1', daemon: '1' }, world.nowMs);
      world.start();
    }
    await agentLife(world, two);
    expect(failedIn(world)).toMatchObject({ phase: 'crash_loop', retry_at: null, message: expect.stringContaining('the box went down 2') });
  });

  it.each(['unhealthy', 'dies late'] satisfies Nature[])('what is %s is still found out by the agent that lives', async (nature) => {
    const world = await boxWith();
    const bad = stored(2, nature);
    await agentLife(world, bad, IN_THE_WINDOW);
    await agentLife(world, bad);
    expect(failedIn(world)).toMatchObject({ phase: 'health', outcome: 'reverted' });
    expect(world.nameOf([one, bad], world.runs)).toBe('1');
  });
});

describe('who died', () => {
  const attempt: Attempt = {
    sha256: 'b',
    version: 2,
    n: 1,
    agent_deaths: 0,
    boot_id: 'boot',
    daemon: { is_active: true, main_pid: 7, restarts: 1 },
    failures: 0,
  };
  const same = { isActive: true, mainPid: 7, restarts: 1 };
  const first = { ...attempt, daemon: { is_active: false, main_pid: null, restarts: 1 } };
  it.each([
    ['the agent', attempt, same, 'boot', true],
    ['the box', attempt, same, 'another', false],
    ['the daemon, which was started again', attempt, { ...same, mainPid: 8, restarts: 2 }, 'boot', false],
    ['the daemon, which somebody restarted', attempt, { ...same, mainPid: 8 }, 'boot', false],
    ['the daemon for good', attempt, { ...same, isActive: false }, 'boot', false],
    ['the agent; the daemon was started by this try', first, same, 'boot', true],
    ['the daemon that this try started', first, { ...same, restarts: 2 }, 'boot', false],
    ['nobody knows: nothing counts restarts', first, { ...same, restarts: null }, 'boot', false],
    ['nobody knows: a mark of an older agent', { ...attempt, daemon: null, boot_id: null }, same, 'boot', false],
  ] as const)('%s', (_who, mark, daemon, bootId, isAgent) => expect(hasLivedOn(mark, { bootId, daemon })).toBe(isAgent));

  it('before the daemon runs, nobody has lived on', () => expect(hasLivedOn(attempt, null)).toBe(false));
});
