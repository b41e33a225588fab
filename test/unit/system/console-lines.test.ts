import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ConsoleLines } from '#system/console-lines.ts';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'consoles-'));
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

it('writes to every console there is, leaves out the missing one, and shows control characters', async () => {
  fs.mkdirSync(dir, { recursive: true });
  const files = ['a', 'b'].map((name) => path.join(dir, name));
  for (const file of files) fs.writeFileSync(file, '');
  const consoles = new ConsoleLines([...files, path.join(dir, 'absent')]);
  await consoles.lines(['one', 'evil \u001b[2J']);
  consoles.close();
  for (const file of files) expect(fs.readFileSync(file, 'utf8')).toBe('one\r\nevil \\x1b[2J\r\n');
});
