/** A day of a box at several thousand times its pace, in a process of its own so that its heap is its own. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { NODE, REPO } from '../../support/program.ts';

/** A leak of ten bytes at each of the 17 281 steps would be a sixth of this; one log line kept a step is more than it. */
const GROWTH_MIB = 1;

it('24 hours through store, socket and clients: memory is flat, nothing is lost', async () => {
  const { stdout } = await promisify(execFile)(NODE, ['--expose-gc', path.join(REPO, 'test/bench/soak.ts')], { timeout: 110_000 });
  const r = JSON.parse(stdout);
  expect(r.factor).toBeGreaterThan(100);
  expect(r.last_hour).toBe('2026-12-01T00:00:00.000Z');
  expect(r.lost).toBe(0);
  expect(r.frames).toBeGreaterThan(1000);
  expect(r.levels).toEqual(expect.arrayContaining(['CRITICAL', 'HEALTHY']));
  // From the sixth hour on, when every buffer has its size.
  const [settled = Number.NaN, ...later] = (r.heaps_mib as number[]).slice(2);
  expect(later.length).toBe(6);
  expect(Math.max(...later) - settled).toBeLessThan(GROWTH_MIB);
  // What the judge remembers is what is wrong now, not what ever was.
  expect(r.remembered).toBeLessThan(20);
}, 120_000);
