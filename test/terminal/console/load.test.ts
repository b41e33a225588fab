/** Keys are answered whatever the supervisor does. The milliseconds themselves are reported by `npm run bench -- console`. */
import { describe, expect, it } from 'vitest';
import { keysUnder, TROUBLE_WORDS, TROUBLES } from '../support/console-load.ts';

/** A console that waited for its socket would need 15 s. The promise of 100 ms on a machine of its own is measured by the bench. */
const MEDIAN_MS = 5000;
const STEADY_BYTES_PER_S = 200;
const MILLION = 1_000_000;

describe.each(TROUBLES)('%s', (trouble) => {
  it(`keys are answered while ${TROUBLE_WORDS[trouble]}`, { timeout: 200_000 }, async () => {
    const isFlood = trouble === 'flood';
    const { medianMs, sortedMs, bytesPerS, sent } = await keysUnder(trouble, 5, isFlood ? MILLION + 1 : 0, isFlood ? 6000 : 0);
    expect(medianMs, sortedMs.map((ms) => ms.toFixed(0)).join(' ')).toBeLessThan(MEDIAN_MS);
    if (trouble === 'frames') expect(sent.frames).toBeGreaterThan(2);
    if (isFlood) {
      expect(sent.lines).toBeGreaterThan(MILLION);
      expect(bytesPerS).toBeLessThan(STEADY_BYTES_PER_S);
    }
  });
});
