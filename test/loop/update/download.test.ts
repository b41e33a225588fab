/** Loading a release from a real server that breaks off, lies, stalls and answers out of turn. */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import type http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { byteSource } from '#supervisor/update/byte-source.ts';
import { DOWNLOAD_LIMITS, type Downloaded, type DownloadLimits, download } from '#supervisor/update/download.ts';
import { type Publisher, startPublisher } from './releases.ts';

let dir = '';
let publisher: Publisher;
let said: string[] = [];
let pauses: number[] = [];
const content = randomBytes(300_000);
const sha256 = createHash('sha256').update(content).digest('hex');
const none = new AbortController().signal;

async function load(
  more: { limits?: Partial<DownloadLimits>; sha256?: string; dir?: string; signal?: AbortSignal; size?: number } = {},
): Promise<Downloaded> {
  const wanted = {
    version: '1.2.0',
    url: new URL('/file', publisher.url),
    sizeBytes: more.size ?? content.length,
    sha256: more.sha256 ?? sha256,
  };
  const ports = {
    get: byteSource({ agentFor: async () => undefined, userAgent: 'test', headersMs: 1000 }),
    sleep: async (ms: number, signal: AbortSignal) => {
      pauses.push(ms);
      await pause(5, undefined, { signal });
    },
    limits: { ...DOWNLOAD_LIMITS, ...more.limits },
    note: (text: string) => void said.push(text),
  };
  return download(more.dir ?? dir, wanted, ports, more.signal ?? none);
}

const isWhole = (end: Downloaded): boolean => end.kind === 'file' && fs.readFileSync(end.file).equals(content);
const parts = (): string[] => fs.readdirSync(dir).filter((n) => n.includes('.part'));
const tag = `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`;

/** The first `count` bytes of an answer that promised all of them. */
const cut =
  (count: number, headers: http.OutgoingHttpHeaders = { etag: tag }) =>
  (_: http.IncomingMessage, response: http.ServerResponse, bytes: Buffer): void => {
    response.writeHead(200, { ...headers, 'content-length': bytes.length });
    response.write(bytes.subarray(0, count), () => response.socket?.end());
  };
const status =
  (code: number, headers: http.OutgoingHttpHeaders = {}) =>
  (_: http.IncomingMessage, response: http.ServerResponse): void => {
    response.writeHead(code, headers).end('no');
  };

beforeEach(async () => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-load-'));
  said = [];
  pauses = [];
  publisher = await startPublisher();
  publisher.publish('1.2.0', content);
});
afterEach(async () => {
  await publisher.close();
  fs.rmSync(dir, { recursive: true, force: true });
});

test('a publisher that switches to another protocol is asked again, and nobody waits for ever', async () => {
  publisher.faults.push((_, response) => {
    response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h3\r\n\r\n');
  });
  expect(isWhole(await load())).toBe(true);
  expect(said.join()).toContain('another protocol');
});

test('a transfer that is cut goes on where it ended', async () => {
  publisher.faults.push(cut(100_000));
  expect(isWhole(await load())).toBe(true);
  expect(publisher.seen).toEqual(['/file whole', '/file bytes=100000-']);
});

test('a run that is ended leaves its part to the next', async () => {
  const ending = new AbortController();
  publisher.faults.push((_, response, bytes) => {
    response.writeHead(200, { etag: tag, 'content-length': bytes.length });
    response.write(bytes.subarray(0, 120_000), () => setTimeout(() => ending.abort(), 100));
  });
  await expect(load({ signal: ending.signal })).rejects.toThrow();
  expect(isWhole(await load())).toBe(true);
  expect(publisher.seen.at(-1)).toBe('/file bytes=120000-');
});

test('without a strong tag nothing is joined', async () => {
  publisher.faults.push(cut(100_000, { etag: `W/${tag}` }), cut(50_000, {}));
  expect(isWhole(await load())).toBe(true);
  expect(publisher.seen).toEqual(['/file whole', '/file whole', '/file whole']);
});

test('a file that was changed meanwhile starts anew', async () => {
  publisher.faults.push(cut(100_000, { etag: '"of another file"' }));
  expect(isWhole(await load())).toBe(true);
  expect(publisher.seen).toEqual(['/file whole', '/file bytes=100000-']);
});

test('a part of another file, another place or another length is not taken', async () => {
  for (const range of ['bytes 99999-299999/300000', 'bytes 100000-299999/300001', 'bytes 100000-200000/300000', undefined]) {
    publisher.faults.push(cut(100_000), (_, response, bytes) => {
      response.writeHead(206, range === undefined ? {} : { 'content-range': range }).end(bytes.subarray(100_000));
    });
    expect(isWhole(await load()), String(range)).toBe(true);
    expect(said.at(-1)).toMatch(/another part/);
    for (const name of parts()) fs.rmSync(path.join(dir, name));
  }
});

test('416 drops the part once and no more', async () => {
  publisher.faults.push(cut(100_000), status(416));
  expect(isWhole(await load())).toBe(true);
  for (const name of parts()) fs.rmSync(path.join(dir, name));
  publisher.faults.push(status(416), status(416), status(416));
  expect(await load()).toMatchObject({ kind: 'later' });
  expect(publisher.seen.slice(3).length).toBe(2);
});

test('gone or forbidden: not again in this run, and nothing is kept', async () => {
  for (const code of [401, 403, 404, 410, 418]) {
    publisher.faults.push(cut(1000), status(code));
    expect(await load(), String(code)).toMatchObject({ kind: 'later', why: `the server answers ${code}` });
    expect(parts()).toEqual([]);
  }
});

test('a server in trouble is asked again, as late as it wants, and left alone when that is very late', async () => {
  publisher.faults.push(status(503, { 'retry-after': '77' }), status(500), status(429));
  expect(isWhole(await load())).toBe(true);
  expect(pauses).toEqual([77_000, 15_000, 45_000]);
  for (const name of parts()) fs.rmSync(path.join(dir, name));
  publisher.faults.push(status(503, { 'retry-after': '86400' }));
  expect(await load()).toMatchObject({ kind: 'later' });
  for (let i = 0; i < 9; i += 1) publisher.faults.push(status(502));
  const asked = publisher.seen.length;
  expect(await load()).toMatchObject({ kind: 'later', why: 'the server answers 502' });
  expect(publisher.seen.length - asked).toBe(DOWNLOAD_LIMITS.pausesMs.length + 1);
});

test('more than was signed ends at once', async () => {
  publisher.publish('1.2.0', Buffer.concat([content, content]));
  expect(await load()).toMatchObject({ kind: 'later', why: expect.stringMatching(/more than the 300000 bytes/) });
  expect(parts()).toEqual([]);
});

test('a wrong hash is loaded once more from nothing, then it has failed', async () => {
  expect(await load({ sha256: 'a'.repeat(64) })).toMatchObject({ kind: 'failed' });
  expect(publisher.seen.length).toBe(2);
  expect(parts()).toEqual([]);
  // Damage on the first way only, in a part that was resumed.
  publisher.faults.push((_, response, bytes) => {
    response.writeHead(200, { etag: tag, 'content-length': bytes.length });
    response.write(Buffer.alloc(100_000), () => response.socket?.end());
  });
  expect(isWhole(await load())).toBe(true);
  expect(said.at(-1)).toMatch(/once more from the start/);
});

test('a line that hardly moves is given up, one that moves is not', async () => {
  const trickle =
    (stepMs: number) =>
    (_: http.IncomingMessage, response: http.ServerResponse, bytes: Buffer): void => {
      response.writeHead(200, { etag: tag, 'content-length': bytes.length });
      let at = 0;
      const timer = setInterval(() => {
        response.write(bytes.subarray(at, at + 30_000));
        at += 30_000;
        if (at >= bytes.length) response.end();
      }, stepMs);
      response.once('close', () => clearInterval(timer));
    };
  const limits = { minBytes: 60_000, withinMs: 400 };
  publisher.faults.push(trickle(350));
  expect(isWhole(await load({ limits }))).toBe(true);
  expect(said[0]).toMatch(/fewer than 60000 bytes/);
  for (const name of parts()) fs.rmSync(path.join(dir, name));
  said = [];
  publisher.faults.push(trickle(60));
  expect(isWhole(await load({ limits }))).toBe(true);
  expect(said).toEqual([]);
});

test('parts of other releases are swept, also of another file of the same version', async () => {
  for (const name of ['.1.1.0.aaaaaaaaaaaa.part', '.1.1.0.aaaaaaaaaaaa.part.etag', '.1.2.0.bbbbbbbbbbbb.part'])
    fs.writeFileSync(path.join(dir, name), 'old');
  expect(isWhole(await load())).toBe(true);
  expect(parts().length).toBe(1);
});

test('redirects are followed to a point, with nothing that could be taken for a credential', async () => {
  let headers: http.IncomingHttpHeaders = {};
  publisher.faults.push(status(302, { location: '/elsewhere' }), (request, response, bytes) => {
    headers = request.headers;
    response.end(bytes);
  });
  expect(isWhole(await load())).toBe(true);
  expect(headers.authorization).toBeUndefined();
  for (const name of parts()) fs.rmSync(path.join(dir, name));
  for (let i = 0; i < 40; i += 1) publisher.faults.push(status(302, { location: '/round' }));
  expect(await load()).toMatchObject({ kind: 'later', why: expect.stringMatching(/redirects/) });
});

test('a disk that fills is told, and given back what was written', async () => {
  const small = path.join(dir, 'small');
  fs.mkdirSync(small);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', small]);
  try {
    await expect(load({ dir: small })).rejects.toThrow(/ENOSPC/);
    expect(fs.readdirSync(small).filter((n) => n.endsWith('.part'))).toEqual([]);
  } finally {
    execFileSync('umount', [small]);
  }
});
