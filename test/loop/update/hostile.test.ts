/** Whatever is published, the box runs, runs the right version, and says what was wrong. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import fs from 'node:fs';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isLocked, isOurs } from '#supervisor/update/lock.ts';
import { signManifest } from '#supervisor/update/manifest.ts';
import { run } from '#system/run.ts';
import { waitFor } from '../../support/wait-for.ts';
import { Box } from './box.ts';
import { type Fault, program } from './releases.ts';

let box: Box;
beforeEach(async () => {
  box = await Box.start();
});
afterEach(() => box.stop());

const fields = (more: Readonly<Record<string, unknown>>) => ({
  channel: 'stable',
  version: '1.1.0',
  url: '/file',
  size: 1000,
  sha256: createHash('sha256').update('x').digest('hex'),
  signature: `${'A'.repeat(86)}==`,
  ...more,
});

function signedByStranger(): unknown {
  const { signature: _, ...unsigned } = fields({});
  return signManifest(unsigned, generateKeyPairSync('ed25519').privateKey);
}

/** The image's version answers, nothing was installed, and the reason was said. */
async function isUnharmed(why: RegExp): Promise<void> {
  await box.answers('1.0.0');
  expect(await box.store.current()).toBe(null);
  expect(box.said.join('\n')).toMatch(why);
}

describe('a manifest', () => {
  test.each<[string, unknown, RegExp]>([
    ['that nobody signed', fields({}), /none of the release keys/],
    ['signed by a stranger', signedByStranger(), /none of the release keys/],
    ['with a negative size', fields({ size: -1 }), /size must be/],
    ['with half a byte', fields({ size: 1.5 }), /size must be/],
    ['with a size in words', fields({ size: '1000' }), /size must be/],
    ['with a size that no file has', fields({ size: 1e300 }), /size must be/],
    ['with no size', fields({ size: undefined }), /size must be/],
    ['with no hash', fields({ sha256: undefined }), /sha256 must be/],
    ['with no signature', fields({ signature: undefined }), /signature must be/],
    ['with a field of its own', fields({ post_install: 'rm -rf /' }), /unknown field "post_install"/],
    ['that would change what all objects are', JSON.parse('{"__proto__": {"channel": "stable"}}'), /unknown field "__proto__"/],
    ['for a path out of the panel', fields({ url: '//evil.example/x' }), /url must be/],
    ['for a path that a browser reads as another host', fields({ url: '/\\evil.example/x' }), /url must be/],
    ['for a file of this box', fields({ url: 'file:///etc/shadow' }), /url must be/],
    ['by plain http', fields({ url: 'http://panel.example/x' }), /url must be/],
    ['with a password in its address', fields({ url: 'https://u:p@panel.example/x' }), /url must be/],
    ['with a version that is a path', fields({ version: '../../etc' }), /version must/],
    ['that is a list', [], /not a JSON object/],
  ])('%s is refused by name', async (_name, manifest, why) => {
    box.publisher.answer = (response) => void response.end(JSON.stringify(manifest));
    expect(await box.update()).toBe(1);
    await isUnharmed(why);
    expect((await box.store.load()).last).toMatchObject({ outcome: 'refused' });
    expect(box.publisher.seen).toEqual([]);
  });

  test.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['of 100 MB', (r) => void r.end(Buffer.alloc(100 * 1024 * 1024, 0x20)), /too large/],
    ['nested 8000 deep', (r) => void r.end(`${'['.repeat(8000)}${']'.repeat(8000)}`), /not a JSON object/],
    ['that is cut', cut, /cannot be asked/],
    [
      'that says where else to look, for ever',
      (r) => void r.writeHead(302, { location: '/v1/releases/stable' }).end(),
      /more than 5 redirects/,
    ],
    ['that leads to a file', (r) => void r.writeHead(302, { location: 'file:///etc/passwd' }).end(), /redirects away|no URL/],
    ['that drips', (r) => drip(r), /no whole manifest within/],
  ])('%s', async (_name, answer, why) => {
    box.wholeMs = 700;
    box.publisher.answer = answer;
    const beganMs = Date.now();
    expect([1, 75]).toContain(await box.update());
    expect(Date.now() - beganMs).toBeLessThan(10_000);
    await isUnharmed(why);
  });
});

function cut(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 500 }).write('{"chan');
  setTimeout(() => response.destroy(), 50);
}

function drip(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
}

describe('a file', () => {
  const good = Buffer.from(program('1.1.0', 'good'));
  const compressed: Fault = (_q, r, bytes) => void r.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes));
  test.each<[string, number, Fault[], RegExp]>([
    ['that comes compressed', good.length, [compressed], /compressed \(gzip\)/],
    ['that is larger than signed', good.length - 1, [], /more than the/],
    ['that is smaller than signed', good.length + 1, [], /has no such part|ended after/],
  ])('%s is not installed', async (_name, size, faults, why) => {
    box.publisher.publish('1.1.0', good, { size });
    box.publisher.faults.push(...faults);
    expect([1, 75]).toContain(await box.update());
    await isUnharmed(why);
    // And the next run, with a right one, is not in its way.
    box.publisher.publish('1.1.1', Buffer.from(program('1.1.1', 'good')));
    expect(await box.update()).toBe(0);
    await box.answers('1.1.1');
  });

  test('a folder that cannot be written to is told, and harms nothing', async () => {
    box.publish('1.1.0', 'good');
    fs.rmSync(path.join(box.dir, 'agent'), { recursive: true, force: true });
    fs.writeFileSync(path.join(box.dir, 'agent'), '');
    await expect(box.update()).rejects.toThrow(/agent/);
    await box.answers('1.0.0');
  });
});

describe('a release that', () => {
  test.each([
    ['writes 100 MB when asked for its version', 'floods', /it says "xxx/],
    ['leaves a process behind that holds its output', 'forks', /runs/],
  ] as const)(
    '%s',
    async (_name, manner, why) => {
      box.publish('1.1.0', manner);
      const beganMs = Date.now();
      const beforeBytes = process.memoryUsage().rss;
      const code = await box.update();
      expect(process.memoryUsage().rss - beforeBytes).toBeLessThan(200e6);
      // It said what it should; what it left behind is the sandbox's to end, and nobody waits for it.
      if (manner === 'forks') return expect([code, Date.now() - beganMs < 30_000]).toEqual([0, true]);
      expect(code).toBe(1);
      await isUnharmed(why);
      expect((await box.store.load()).bad).toHaveLength(1);
    },
    90_000,
  );

  test('reads a terminal finds none, and does not wait', async () => {
    box.publish('1.1.0', 'wants_a_terminal');
    expect(await box.update()).toBe(0);
    await box.answers('1.1.0');
  });
});

describe('two updaters', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  test('a lock that another one holds is not ours, however locked it is', async () => {
    const lock = path.join(box.dir, 'lock');
    expect([await isLocked(run, lock), await isOurs(run, lock)]).toEqual([false, false]);
    children.push(spawn('flock', [lock, 'sleep', '60'], { stdio: 'ignore' }));
    await waitFor(() => isLocked(run, lock), 'the other one has it');
    expect(await isOurs(run, lock)).toBe(false);
  });

  test.each([['flock'], ['flock', '--no-fork']])('the lock of %j that started us is ours', async (...words) => {
    const lock = path.join(box.dir, 'lock');
    const script = `
      import { isOurs } from '${path.resolve(import.meta.dirname, '../../../src/supervisor/update/lock.ts')}';
      import { run } from '${path.resolve(import.meta.dirname, '../../../src/system/run.ts')}';
      console.log(await isOurs(run, ${JSON.stringify(lock)}));`;
    const result = await run([...words, lock, process.execPath, '--input-type=module', '-e', script], { timeoutMs: 20_000 });
    expect(result.stdout.trim(), result.stderr).toBe('true');
  });
});
