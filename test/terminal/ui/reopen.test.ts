/** A terminal that is given back and taken again still hears its keys. */
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { NODE, REPO } from '../../support/program.ts';
import { Pty } from '../support/pty.ts';

let pty: Pty | null = null;
afterEach(() => pty?.close());

it('keys come, raw, at every turn on the own terminal', async () => {
  pty = new Pty({ argv: [NODE, path.join(REPO, 'test/terminal/support/reopen-entry.ts')], term: 'xterm' });
  for (const [turn, key] of [
    ['first', 'a'],
    ['second', 'b'],
    ['third', 'c'],
  ] as const) {
    await pty.waitFor(`${turn} turn, raw true`);
    pty.send(key);
    await pty.waitFor(`${turn} key text${key}`);
  }
  expect(await pty.exit).toBe(0);
});
