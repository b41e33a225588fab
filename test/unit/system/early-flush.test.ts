/** The kernel tells a failed flush once; whoever flushed early must not lose it. */
import { expect, it } from 'vitest';
import { EarlyFlush } from '#system/copy-ranges.ts';

const MANY_BYTES = 64 * 1024 ** 2;

it('keeps the failure of an early flush for the end, although the last one would succeed', async () => {
  let calls = 0;
  const early = new EarlyFlush(async () => {
    calls += 1;
    if (calls === 1) throw new Error('EIO');
  });
  early.wrote(MANY_BYTES);
  await expect(early.end()).rejects.toThrow('EIO');
  expect(calls).toBe(1);
  expect(() => early.wrote(1)).toThrow('EIO');
});

it('flushes one at a time, and at the end in any case', async () => {
  let [running, most, calls] = [0, 0, 0];
  const early = new EarlyFlush(async () => {
    calls += 1;
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  });
  for (let i = 0; i < 5; i++) early.wrote(MANY_BYTES);
  await early.end();
  expect([most, calls]).toEqual([1, 2]);
  early.wrote(1);
  await early.end();
  expect(calls).toBe(3);
});
