import { afterAll, describe, expect, it } from 'vitest';
import { cleanUp, everyOperation, NATURES, oneRun } from '../../support/crash-runs.ts';

afterAll(cleanUp);

const RUNS = Number(process.env['SPATIUM_CRASH_RUNS'] ?? 500);

describe('power cuts, on the real store', () => {
  it(`never leave the box without a working configuration, and never make a loop (${RUNS} runs)`, async () => {
    for (let seed = 1; seed <= RUNS; seed++) await oneRun(seed);
  }, 1_800_000);

  it.each(NATURES)('before every single operation: %s', async (nature) => {
    expect(await everyOperation(nature)).toBeGreaterThan(20);
  });
});
