/** T73: a login prompt that nobody uses gives the terminal back. With the real agetty, so it takes its minute. */
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { NODE, REPO } from '../../support/program.ts';
import { Pty } from '../support/pty.ts';

let pty: Pty | null = null;
afterEach(() => pty?.close());

it('T73: after a minute without a name the dashboard has its terminal again', async () => {
  pty = new Pty({ argv: [NODE, path.join(REPO, 'test/terminal/support/login-entry.ts')], term: 'vt220' });
  // agetty serves only root; for anybody else it ends at once, and the terminal has to come back all the same.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await pty.waitFor('login:', 15_000);
  const text = await pty.waitFor(/back after \d+ s/, 80_000);
  expect(Number(/back after (\d+) s/.exec(text)?.[1])).toBeGreaterThanOrEqual(isRoot ? 58 : 0);
}, 120_000);
