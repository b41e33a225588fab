import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { isBadRelease } from '#supervisor/update/state.ts';
import { type Behaviour, type Blow, type Case, IMAGE, NEW, World } from './world.ts';

// In memory where there is such a place: what is tested is the order of the writes, and there are a million of them.
const base = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'spatium-update-'));
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));

const BEHAVIOURS: readonly Behaviour[] = ['good', 'exits', 'hangs', 'other_version', 'crashes_later', 'panics', 'panics_later', 'reboots'];
const BEFORE = [null, '1.1.0'] as const;

/** One life of a box; gives back the world when every promise was kept. */
async function live(c: Case): Promise<World> {
  const dir = fs.mkdtempSync(path.join(base, 'box-'));
  try {
    const world = new World(dir, c);
    await world.prepare();
    await world.live();
    const state = await world.store.load();
    const old = c.before ?? IMAGE;
    const isBad = isBadRelease(state, NEW);
    expect(state.pending).toBeUndefined();
    expect((await world.store.current()) ?? IMAGE, 'what runs is what would start').toBe(world.running);
    if (c.behaviour === 'good') {
      // Two power cuts within the window cannot be told from a release that takes the box down.
      expect([isBad ? old : NEW.version]).toContain(world.running);
      if (world.cuts < 2) expect(isBad).toBe(false);
      else if (isBad) expect(state.bad.at(-1)?.reason).toBe('crash_loop');
    } else {
      expect(world.running).toBe(old);
      expect(isBad).toBe(true);
    }
    expect(world.panics).toBeLessThanOrEqual(2);
    expect(fs.existsSync(path.join(dir, 'agent/versions', NEW.version))).toBe(world.running === NEW.version);
    return world;
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

const named = (c: Case): string => `${c.behaviour} before=${c.before} ${c.blows.map((b) => `${b.what}@${b.step}`).join(' ')}`;

async function liveAll(cases: readonly Case[]): Promise<void> {
  for (const c of cases) {
    try {
      await live(c);
    } catch (error) {
      throw new Error(`${named(c)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

test.each(BEHAVIOURS)('a release that is/does %s, with one crash at every step', async (behaviour) => {
  for (const before of BEFORE) {
    const { steps } = await live({ behaviour, before, blows: [] });
    const cases: Case[] = [];
    for (let step = 1; step <= steps; step += 1)
      for (const what of ['power', 'updater'] as const) cases.push({ behaviour, before, blows: [{ step, what }] });
    await liveAll(cases);
  }
});

test('up to four crashes anywhere, thousands of lives', async () => {
  // A fixed sequence, so that a failure can be seen again.
  let seed = 20261130;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const cases: Case[] = Array.from({ length: 3000 }, () => {
    const blows: Blow[] = [];
    let step = 0;
    for (let n = 2 + random(3); n > 0; n -= 1) {
      step += 1 + random(random(3) === 0 ? 60 : 12);
      blows.push({ step, what: random(2) === 0 ? 'power' : 'updater' });
    }
    return { behaviour: BEHAVIOURS[random(BEHAVIOURS.length)] ?? 'good', before: BEFORE[random(2)] ?? null, blows };
  });
  await liveAll(cases);
});
