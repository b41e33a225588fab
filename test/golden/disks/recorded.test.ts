/** What is said of every recorded machine, word for word. A change of wording shows up here, and nowhere by accident. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readCapture } from '#machine/capture-file.ts';
import { disksAsText } from '#rules/disk-report.ts';
import { judgeDisks } from '#rules/disks.ts';

const dir = path.resolve(import.meta.dirname, '../../fixtures/machines');

it.each(fs.readdirSync(dir).filter((n) => n.endsWith('.json')))('%s', async (name) => {
  const machine = readCapture(fs.readFileSync(path.join(dir, name), 'utf8'));
  const text = disksAsText(machine, judgeDisks(machine));
  await expect(text).toMatchFileSnapshot(path.join(import.meta.dirname, 'recorded', name.replace('.json', '.txt')));
});
