/** Runs of the world of crash-world.ts: a few in the unit tier, thousands in the loop tier. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import type { StoredConfig } from '#model/pull.ts';
import { recover } from '#supervisor/apply/recover.ts';
import { openStore } from '#supervisor/apply/store.ts';
import { applyStored, modelKind, type Nature, PowerCut, stored, World } from './crash-world.ts';

// In memory where there is such a place: thousands of runs sync every write.
const shared = fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir();
const base = fs.mkdtempSync(path.join(shared, 'spatium-crash-'));
export const cleanUp = (): void => fs.rmSync(base, { recursive: true, force: true });

/** The same numbers for the same seed, so that a failure can be run again. */
function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Ending {
  readonly runs: string;
  readonly current: string;
  readonly applied: number | null;
  readonly phase: string | null;
  readonly outcome: string | null;
}

/** From power-on until the agent has nothing to do, or the power goes. */
async function life(world: World, fetched: StoredConfig | null): Promise<void> {
  world.boot();
  const kind = modelKind(world.emptyDir);
  const places = { dir: world.dir, emptyDir: world.emptyDir };
  const versions = { agent: '1', daemon: '1' };
  // The oneshot before the daemon, the daemon, then the agent: three processes.
  await recover(await openStore(places, world.files(), 'lb'), kind, versions, world.nowMs);
  world.start();
  const store = await openStore(places, world.files(), 'lb');
  const bootId = `boot ${world.boots}`;
  await recover(store, kind, versions, world.nowMs, { bootId, daemon: await world.daemon().state() });
  if (fetched !== null && store.fetched?.sha256 !== fetched.sha256) await store.putFetched(fetched);
  await applyStored(world, store);
  if (world.isDead) throw new PowerCut();
}

/** Lives until one ends by itself. `cuts`: how many operations each life may do. */
async function lives(world: World, fetched: StoredConfig | null, cuts: readonly number[]): Promise<number> {
  for (let n = 0; n < 12; n++) {
    world.fuse = cuts[n] ?? Number.POSITIVE_INFINITY;
    try {
      await life(world, fetched);
      return n;
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
      // Soon: before the first step of the ladder.
      world.nowMs += 5000;
    }
  }
  return Number.POSITIVE_INFINITY;
}

async function ending(world: World, all: readonly StoredConfig[]): Promise<Ending> {
  world.fuse = Number.POSITIVE_INFINITY;
  const store = await openStore({ dir: world.dir, emptyDir: world.emptyDir }, world.files(), 'lb');
  const { failed } = store.quarantine;
  return {
    runs: world.nameOf(all, world.runs),
    current: world.nameOf(all, world.currentMark()),
    applied: store.applied?.envelope.version ?? null,
    phase: failed?.phase ?? null,
    outcome: failed?.outcome ?? null,
  };
}

export const NATURES: readonly Nature[] = ['good', 'fails check', 'fails reload', 'unhealthy', 'dies late', 'panics'];

/** A life with up to three cuts at random, of a random kind of configuration. Fails the test that calls it. */
export async function oneRun(seed: number): Promise<void> {
  const random = seeded(seed);
  random();
  const nature = NATURES[Math.floor(random() * NATURES.length)] as Nature;
  const hasPrevious = random() < 0.5;
  const world = new World(fs.mkdtempSync(path.join(base, 'w-')));
  const previous = stored(1, 'good');
  const next = stored(2, nature);
  if (hasPrevious) await lives(world, previous, []);
  const cuts = Array.from({ length: Math.floor(random() * 4) }, () => Math.floor(random() * 70));
  const ended = await lives(world, next, cuts);
  const end = await ending(world, [previous, next]);
  const home = hasPrevious ? '1' : 'empty';
  const told = `seed ${seed}: ${nature}, ${hasPrevious ? 'with' : 'without'} a last good one, cuts after ${cuts.join(', ') || 'none'}: ${JSON.stringify(end)}`;
  expect(world.faults, told).toEqual([]);
  expect(ended, `${told}: it never came to rest`).toBeLessThan(12);
  expect(world.panics, told).toBeLessThanOrEqual(2);
  expect(end.runs, told).toBe(end.current);
  // Two cuts inside the window make a good one look like a bad one: that is the price, and it is told.
  if (nature === 'good' && end.phase !== 'crash_loop') expect(end, told).toMatchObject({ runs: '2', applied: 2, phase: null });
  else expect(end, told).toMatchObject({ runs: home, applied: hasPrevious ? 1 : null });
  if (nature !== 'good') expect(end.phase, told).not.toBeNull();
  expect(end.outcome, told).not.toBe('revert_failed');
  fs.rmSync(path.dirname(world.dir), { recursive: true, force: true });
}

/** Cuts before each operation in turn, until one life gets through all of them. */
export async function everyOperation(nature: Nature): Promise<number> {
  const [previous, next] = [stored(1, 'good'), stored(2, nature)];
  for (let cut = 0; ; cut++) {
    const world = new World(fs.mkdtempSync(path.join(base, 'w-')));
    await lives(world, previous, []);
    const ended = await lives(world, next, [cut]);
    const end = await ending(world, [previous, next]);
    expect(end.runs, `${nature}, cut before operation ${cut}`).toBe(nature === 'good' ? '2' : '1');
    expect(world.faults).toEqual([]);
    fs.rmSync(path.dirname(world.dir), { recursive: true, force: true });
    // What panics cuts its own lives short, so it never gets through.
    if (ended === 0 || (nature === 'panics' && cut > 80)) return cut;
  }
}
