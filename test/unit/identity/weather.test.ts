import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FaultFile } from '../../panel/faults.ts';
import { mintToken, sha256 } from '../../panel/records.ts';
import { testPanel } from '../panel/support.ts';
import { Fuse, fused, PowerCut } from './power.ts';
import { Machine, poll } from './support.ts';

/** Small, and the same on every machine. */
function dice(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const FAULTS: readonly (FaultFile['config'] | null)[] = [
  null,
  null,
  { do: 'lost' },
  { do: 'reset' },
  { do: 'cut' },
  { do: 'garbage' },
  { do: 'portal' },
  { do: 'redirect' },
  { do: 'status', status: 401 },
  { do: 'status', status: 403 },
  { do: 'status', status: 404 },
  { do: 'status', status: 429, retry_after: '3' },
  { do: 'status', status: 500 },
];
const ROUTES = ['enroll', 'config', 'rotate', 'pins'] as const;
const CERTIFICATES = ['ok', 'ok', 'ok', 'renewed', 'wrong_key', 'expired', 'vouched'] as const;

describe('bad weather', () => {
  // Each run is some months of faults, power cuts, rotations and strange certificates.
  test.each(Array.from({ length: 16 }, (_, i) => i + 1))(
    'run %i ends enrolled, as one device, with the secret that the panel knows',
    async (seed) => {
      const random = dice(seed);
      const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
      const panel = await testPanel();
      const machine = new Machine();
      machine.serial(await mintToken(panel.records, 'lb', random() < 0.5 ? panel.pin : null));
      for (let life = 0; life < 6; life++) {
        const plan = Object.fromEntries(ROUTES.map((route) => [route, pick(FAULTS)]).filter(([, fault]) => fault !== null));
        // The first contact is honest, or there is nothing to trust.
        const tls = existsSync(machine.file) && machine.stored()['active'] !== null ? pick(CERTIFICATES) : 'ok';
        await panel.faults({ ...plan, tls });
        const fuse = new Fuse(1 + Math.floor(random() * 12), pick(['before', 'after'] as const));
        try {
          const keeper = await machine.keeper(panel, fused(machine, panel, fuse));
          for (let i = 0; i < 4; i++) {
            await machine.step(keeper);
            await poll(keeper);
            machine.nowMs += random() < 0.2 ? 31 * 86_400_000 : 90_000;
          }
          await keeper.stop();
        } catch (error) {
          if (!((error instanceof Error ? (error.cause ?? error) : error) instanceof PowerCut)) throw error;
        }
      }
      await panel.faults({});
      const keeper = await machine.keeper(panel);
      for (let i = 0; i < 4; i++) {
        machine.nowMs += 3_700_000;
        await machine.step(keeper);
        await poll(keeper);
      }
      expect([keeper.state(), await poll(keeper)]).toEqual(['active', 204]);
      await keeper.stop();
      const { devices } = await panel.records.read();
      expect(devices.map((d) => d.device_id)).toEqual([keeper.deviceId()]);
      expect(devices[0]?.secret_sha256).toBe(sha256(keeper.credential()?.reveal() ?? ''));
    },
    60_000,
  );
});
