import { describe, expect, test } from 'vitest';
import type { IdentityKeeper } from '../../../src/supervisor/identity/keeper.ts';
import { mintCode, mintToken, sha256 } from '../../panel/records.ts';
import type { Panel } from '../../panel/server.ts';
import { testPanel } from '../panel/support.ts';
import { Fuse, fused, PowerCut } from './power.ts';
import { Machine, OTHER_UUID, poll } from './support.ts';

const STEPS = 12;

const approveAll = (panel: Panel) =>
  panel.records.change((r) => {
    for (const device of r.devices) device.state = 'active';
  });

/** Steps and polls until it is enrolled and confirmed. The operator approves whoever asks. */
async function live(machine: Machine, panel: Panel, keeper: IdentityKeeper): Promise<boolean> {
  for (let i = 0; i < STEPS; i++) {
    await machine.step(keeper);
    await approveAll(panel);
    if (keeper.credential() !== null && keeper.state() === 'active' && (await poll(keeper)) === 204) return true;
  }
  return false;
}

/** One life with a power cut in it, or none. */
async function lifeUntil(machine: Machine, panel: Panel, fuse: Fuse): Promise<void> {
  try {
    const keeper = await machine.keeper(panel, fused(machine, panel, fuse));
    await live(machine, panel, keeper);
    await keeper.stop();
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (!(cause instanceof PowerCut)) throw error;
  }
}

type Start = (panel: Panel, machine: Machine) => Promise<void>;

/** Lives the same life with a cut at every step, before it and after it. Gives the number of steps. */
async function atEveryStep(start: Start, check: (panel: Panel, machine: Machine, where: string) => Promise<void>): Promise<number> {
  const whole = new Fuse(Number.POSITIVE_INFINITY, 'before');
  const panel = await testPanel();
  const life = async (fuse: Fuse): Promise<Machine> => {
    await panel.records.change((r) => {
      for (const part of [r.tokens, r.codes, r.devices]) part.splice(0);
    });
    const machine = new Machine();
    await start(panel, machine);
    await lifeUntil(machine, panel, fuse);
    return machine;
  };
  await life(whole);
  for (let at = 1; at <= whole.count; at++) {
    for (const when of ['before', 'after'] as const) {
      await check(panel, await life(new Fuse(at, when)), `${when} step ${at} of ${whole.count}`);
    }
  }
  return whole.count;
}

const STARTS: Record<string, Start> = {
  'a token with the key': async (panel, machine) => machine.serial(await mintToken(panel.records, 'lb', panel.pin)),
  'a token without the key': async (panel, machine) => machine.serial(await mintToken(panel.records, 'lb', null)),
  'a pairing code': async (panel, machine) => machine.code(await mintCode(panel.records, 'lb')),
};

describe('a power cut at every step', () => {
  test.each(Object.entries(STARTS))(
    'of %s: always ends enrolled, as one device',
    async (_name, start) => {
      const steps = await atEveryStep(start, async (panel, machine, where) => {
        const keeper = await machine.keeper(panel);
        expect([where, await live(machine, panel, keeper)]).toEqual([where, true]);
        await keeper.stop();
        const { devices } = await panel.records.read();
        expect([where, devices.map((d) => d.device_id)]).toEqual([where, [keeper.deviceId()]]);
        expect(machine.stored()).toMatchObject({ pending: null, previous: null });
        expect(await machine.deps(panel).code.read()).toBe(null);
      });
      expect(steps).toBeGreaterThan(5);
    },
    60_000,
  );

  test('of a replacement: ends with the new device, and what the old one was told is forgotten', async () => {
    const first: string[] = [];
    const start: Start = async (panel, machine) => {
      machine.serial(await mintToken(panel.records, 'lb', panel.pin));
      const keeper = await machine.keeper(panel);
      await live(machine, panel, keeper);
      await keeper.stop();
      first.push(keeper.deviceId() ?? '');
      machine.forgotten.length = 0;
      machine.serial(await mintToken(panel.records, 'lb', panel.pin));
    };
    const steps = await atEveryStep(start, async (panel, machine, where) => {
      const keeper = await machine.keeper(panel);
      expect([where, await live(machine, panel, keeper)]).toEqual([where, true]);
      await keeper.stop();
      expect((await panel.records.read()).devices).toHaveLength(2);
      expect(first).not.toContain(keeper.deviceId());
      expect(machine.forgotten).toContain(keeper.deviceId());
      expect(machine.stored()).toMatchObject({ pending: null, previous: null });
    });
    expect(steps).toBeGreaterThan(4);
  }, 60_000);
});

describe('a power cut at every step of a rotation', () => {
  test('never strands the box: it polls on, with the new secret in the end', async () => {
    const start: Start = async (panel, machine) => {
      machine.serial(await mintToken(panel.records, 'lb', panel.pin));
      const keeper = await machine.keeper(panel);
      await live(machine, panel, keeper);
      await keeper.stop();
      machine.nowMs += 31 * 86_400_000;
    };
    const steps = await atEveryStep(start, async (panel, machine, where) => {
      const keeper = await machine.keeper(panel);
      for (let i = 0; i < 4; i++) {
        expect([where, await poll(keeper)]).toEqual([where, 204]);
        await machine.step(keeper);
      }
      await keeper.stop();
      const { devices } = await panel.records.read();
      const active = machine.stored()['active'] as Record<string, string>;
      expect([where, devices.length, active['next']]).toEqual([where, 1, null]);
      expect(devices[0]).toMatchObject({ secret_sha256: sha256(active['secret'] ?? ''), next_sha256: null });
    });
    expect(steps).toBeGreaterThanOrEqual(4);
  }, 60_000);
});

describe('a copy made at every step', () => {
  test('never shares an identity with its original', async () => {
    for (let at = 1; at <= 8; at++) {
      const panel = await testPanel();
      const machine = new Machine();
      machine.serial(await mintToken(panel.records, 'lb', panel.pin));
      await lifeUntil(machine, panel, new Fuse(at, 'after'));
      const before = panel.requests().length;
      machine.uuid(OTHER_UUID);
      const copy = await machine.keeper(panel);
      for (let i = 0; i < 5; i++) {
        await machine.step(copy);
        await poll(copy);
      }
      const { devices } = await panel.records.read();
      expect([at, devices.length]).toEqual([at, 1]);
      const isBound = devices[0]?.product_uuid === OTHER_UUID;
      // Either the original had not asked yet, then the copy is the only one; or the copy gets nothing.
      expect([at, isBound ? copy.state() : copy.credential()]).toEqual([at, isBound ? 'active' : null]);
      if (!isBound)
        expect(
          panel
            .requests()
            .slice(before)
            .filter((r) => r.includes('config')),
        ).toEqual([]);
      await panel.close();
    }
  }, 60_000);
});
