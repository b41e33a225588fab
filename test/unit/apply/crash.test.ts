import { afterAll, expect, it } from 'vitest';
import { cleanUp, everyOperation, oneRun } from '../../support/crash-runs.ts';

afterAll(cleanUp);

// Thousands of these run in the loop tier; here are enough to catch an order that was turned round.
it('a power cut at random never leaves the box without a working configuration, and never makes a loop', async () => {
  for (let seed = 1; seed <= 24; seed++) await oneRun(seed);
}, 60_000);

it('nor does one before any single operation of an unhealthy configuration', async () => {
  expect(await everyOperation('unhealthy')).toBeGreaterThan(20);
}, 60_000);
