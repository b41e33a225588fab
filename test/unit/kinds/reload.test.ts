import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bad, good } from '#supervisor/kinds/kind.ts';
import { reloadLb } from '#supervisor/kinds/lb/reload.ts';
import type { Service } from '#supervisor/kinds/service.ts';
import { tempDir } from '../../support/temp.ts';

const RULE = { tries: 3, waitMs: 150, everyMs: 10 };

let dir = '';
let socket = '';
let worker: string | null = '100';
let server: net.Server;
let signals = 0;
let heeded = 1;

const service: Service = {
  reload: async () => {
    signals += 1;
    if (signals === heeded) worker = '200';
    return good;
  },
  state: async () => ({ isActive: true, mainPid: 1, restarts: 0 }),
};

beforeEach(async () => {
  dir = tempDir();
  socket = path.join(dir, 's');
  [worker, signals, heeded] = ['100', 0, 1];
  const answer = (client: net.Socket): void => void (worker !== null && client.end(`Name: HAProxy\nPid: ${worker}\n`));
  server = net.createServer((client) => client.on('error', () => undefined).on('data', () => answer(client)));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
});
afterEach(() => {
  server.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

it.each([
  ['heard at once', 1, 1],
  ['lost twice', 3, 3],
  ['never heard, which its health will show', 99, 3],
])('a signal that is %s', async (_name, heard, sent) => {
  heeded = heard;
  expect(await reloadLb(service, socket, RULE)).toEqual(good);
  expect(signals).toBe(sent);
});

it('a daemon that hangs, or does not run, is asked once and not waited for', async () => {
  worker = null;
  const beganMs = performance.now();
  await reloadLb(service, socket, RULE);
  await reloadLb({ ...service, state: async () => ({ isActive: false, mainPid: null, restarts: 0 }) }, socket, RULE);
  expect(signals).toBe(2);
  expect(performance.now() - beganMs).toBeLessThan(5000);
});

it('one that hangs from the reload on costs its tries and no more', async () => {
  const hangs: Service = {
    ...service,
    reload: async () => {
      worker = null;
      signals += 1;
      return good;
    },
  };
  const beganMs = performance.now();
  await reloadLb(hangs, socket, RULE);
  expect(performance.now() - beganMs).toBeLessThan(3 * 2500);
  expect(signals).toBe(3);
});

it('what the service manager refuses is told, and the master that ended is not signalled again', async () => {
  expect(await reloadLb({ ...service, reload: async () => bad('no') }, socket, RULE)).toEqual(bad('no'));
  heeded = 99;
  let looks = 0;
  const ended: Service = { ...service, state: async () => ({ isActive: looks++ === 0, mainPid: 1, restarts: 0 }) };
  await reloadLb(ended, socket, RULE);
  expect(signals).toBe(1);
});
