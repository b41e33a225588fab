/** A supervisor that is started together with the panel finds its folder a moment later. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { awaitLab } from '#supervisor/kinds/lab.ts';
import { waitFor } from '../../support/wait-for.ts';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'lab-'));
afterAll(() => fs.rmSync(dir, { recursive: true }));

it('waits until the token is there', async () => {
  const lab = path.join(dir, 'lab');
  const said: string[] = [];
  let isDone = false;
  const waiting = awaitLab(lab, (text) => said.push(text)).then(() => (isDone = true));
  await waitFor(() => said.length === 1, 'it says what it waits for');
  fs.mkdirSync(path.join(lab, 'sys/class/dmi/id'), { recursive: true });
  await delay(500);
  expect(isDone).toBe(false);
  fs.writeFileSync(path.join(lab, 'sys/class/dmi/id/product_serial'), 'z9:x\n');
  await waiting;
  expect(said).toEqual([`waiting for ${lab}, which a panel makes`]);
  // A folder that is there is taken as it is.
  await awaitLab(path.join(lab, 'sys'), (text) => said.push(text));
  expect(said).toHaveLength(1);
});

it('names the way to one when none comes', async () => {
  await expect(awaitLab(path.join(dir, 'none'), () => undefined, 200)).rejects.toThrow('"spatium panel --dir DIR" makes an appliance');
});
