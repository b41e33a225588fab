/** More clients, more lines and stranger answers than anybody means to have. */
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LogLine } from '#model/status.ts';
import { MAX_STREAMS } from '#status/admission.ts';
import { followStatus, type Link } from '#status/client.ts';
import type { ClientModel } from '#status/client-model.ts';
import { LogRing } from '#status/log-ring.ts';
import { MAX_FRAME_BYTES } from '#status/pull.ts';
import { serveStatus } from '#status/server.ts';
import { type Clock, StatusStore } from '#status/store.ts';
import { atEnd } from '../../support/at-end.ts';
import { type EndOptions, runToEnd, spatiumArgv } from '../../support/program.ts';
import { HEALTHY_DATA } from '../../support/status-fixtures.ts';
import { openStream, request, type Stream } from '../../support/supervisor-process.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';

const clock: Clock = { now: () => new Date().toISOString(), monoMs: () => performance.now() };

async function serve(limits?: { streams: number; connections: number }) {
  const socket = path.join(tempDir(), 'status.sock');
  const store = new StatusStore(clock, { vitals: { ttlMs: 60_000, source: 't' }, identity: { ttlMs: 60_000, source: 't' } });
  const log = new LogRing();
  const server = await serveStatus({
    socket,
    store,
    log,
    clock,
    server: 'test',
    instance: 'i',
    pingMs: 200,
    ...(limits ? { limits } : {}),
  });
  atEnd(() => server.close());
  return { socket, store, log };
}

const spatiumStatus = (socket: string, as?: EndOptions) => runToEnd(spatiumArgv(['status', '--socket', socket]), as);

/** Opens a stream and tells the status that it got. */
function tryStream(socket: string): Promise<number> {
  return new Promise((resolve) => {
    const req = http.get({ socketPath: socket, path: '/v1/stream', agent: false }, (res) => {
      res.on('error', () => undefined);
      res.resume();
      resolve(res.statusCode ?? 0);
    });
    req.on('error', () => resolve(-1));
    atEnd(() => req.destroy());
  });
}

describe('many clients', () => {
  it('513 streams: those beyond the limit hear "busy", and a snapshot is still to be had', async () => {
    const { socket } = await serve();
    const statuses: number[] = [];
    for (let i = 0; i < 27; i += 1) statuses.push(...(await Promise.all(Array.from({ length: 19 }, () => tryStream(socket)))));
    expect(statuses.length).toBe(513);
    expect(statuses.filter((s) => s === 200).length).toBe(MAX_STREAMS);
    expect(statuses.filter((s) => s === 503).length).toBe(513 - MAX_STREAMS);
    const r = await spatiumStatus(socket);
    expect([r.code, r.out.split('\n')[0], r.err]).toEqual([3, 'UNKNOWN', '']);
  });

  it('connections that only wait give way to one that asks', async () => {
    const { socket } = await serve();
    const idle = Array.from({ length: 300 }, () => net.connect(socket));
    for (const c of idle) {
      c.on('error', () => undefined);
      atEnd(() => c.destroy());
    }
    await Promise.all(idle.map((c) => new Promise((resolve) => c.once('connect', resolve))));
    // At first they may be about to ask; then they merely wait.
    await new Promise((resolve) => setTimeout(resolve, 700));
    for (let i = 0; i < 20; i += 1) expect((await request(socket, '/v1/status')).status).toBe(200);
  });

  it('with every place taken, spatium status says busy and not that there is no supervisor', async () => {
    const { socket } = await serve({ streams: 3, connections: 3 });
    const streams = Array.from({ length: 3 }, () => openStream(socket, '/v1/stream'));
    for (const s of streams) atEnd(() => s.close());
    await waitFor(() => streams.every((s) => s.frames.length > 0), 'snapshots');
    const refused = await request(socket, '/v1/status');
    expect([refused.status, refused.headers['retry-after'], JSON.parse(refused.body).error.code]).toEqual([503, '1', 'busy']);
    const r = await spatiumStatus(socket);
    expect([r.code, r.out]).toEqual([4, '']);
    expect(r.err).toBe(`spatium status: ${socket}: the supervisor is busy, too many clients\n`);
    streams[0]?.close();
    await waitFor(async () => (await request(socket, '/v1/status')).status === 200, 'a place again');
    expect(streams[1]?.frames.length).toBeGreaterThan(0);
  });

  it('half a request holds no place', async () => {
    const { socket } = await serve({ streams: 2, connections: 2 });
    const halves = Array.from({ length: 2 }, () => net.connect(socket));
    for (const c of halves) {
      c.on('error', () => undefined);
      c.write('GET /v1/status HTTP/1.1\r\nx: ');
      atEnd(() => c.destroy());
    }
    await waitFor(async () => (await request(socket, '/v1/status').catch(() => null))?.status === 200, 'a place');
  });
});

describe('the log under a flood', () => {
  const say = (log: LogRing, text: string): void => log.add({ at: clock.now(), src: 'journal', unit: 'u', sev: 'info', text });
  const textsOf = (s: Stream): string[] => s.frames.filter((f) => f['t'] === 'log').map((f) => String(f['text']));
  const leftOutIn = (texts: readonly string[]): number =>
    texts.reduce((n, t) => n + Number(/^(\d+) lines? left out$/.exec(t)?.[1] ?? 0), 0);

  it('a million lines: a follower gets the newest at its pace, and a count of the rest; the status goes on', async () => {
    const { socket, store, log } = await serve();
    const follower = openStream(socket, '/v1/log?follow=1&max_lines_per_s=20');
    const status = openStream(socket, '/v1/stream?min_interval_ms=0');
    atEnd(
      () => follower.close(),
      () => status.close(),
    );
    await waitFor(() => follower.frames.length > 0 && status.frames.length > 0, 'both');
    const total = 1_000_000;
    const startedMs = performance.now();
    for (let i = 1; i <= total; i += 1) {
      say(log, `line ${i} ${'x'.repeat(80)}`);
      if (i % 20_000 === 0) await new Promise((r) => setImmediate(r));
    }
    store.observe('vitals', { state: 'ok', data: HEALTHY_DATA.vitals });
    await waitFor(() => status.frames.some((f) => f['t'] === 'patch'), 'the status');
    await waitFor(() => textsOf(follower).some((t) => t.startsWith(`line ${total} `)), 'the last line');
    const tookS = (performance.now() - startedMs) / 1000;
    const texts = textsOf(follower);
    expect(texts.filter((t) => t.startsWith('line ')).length + leftOutIn(texts)).toBe(total);
    // One second's burst, what waits, and the pace.
    expect(texts.length).toBeLessThan(20 + 100 + 20 * tookS + 10);
  });
});

/** A server that answers every request with what `answer` writes. */
async function stand(answer: (url: string, c: net.Socket) => void): Promise<string> {
  const socket = path.join(tempDir(), 's.sock');
  const server = net.createServer((c) => {
    c.on('error', () => undefined);
    c.once('data', (d) => answer(String(d).split(' ')[1] ?? '', c));
    atEnd(() => c.destroy());
  });
  atEnd(() => server.close());
  await new Promise<void>((r) => server.listen(socket, () => r()));
  return socket;
}
const HEAD = 'HTTP/1.1 200 OK\r\n\r\n';

describe('a server that nobody should believe', () => {
  function follow(socket: string) {
    const seen = { models: [] as ClientModel[], links: [] as Link[], lines: [] as LogLine[] };
    const client = followStatus({
      socket,
      monoMs: clock.monoMs,
      now: clock.now,
      onModel: (m) => seen.models.push(m),
      onLink: (l) => seen.links.push(l),
      onLog: (l) => seen.lines.push(l),
      silenceMs: 2000,
      backoffMinMs: 5000,
    });
    atEnd(() => client.stop());
    return seen;
  }

  it('half a million brackets end the connection, not the program', async () => {
    const deep = '['.repeat(500_000) + ']'.repeat(500_000);
    const seen = follow(
      await stand((_, c) => c.write(`${HEAD}{"t":"snapshot","sections":${deep.slice(0, 400_000)}${deep.slice(-400_000)}}\n`)),
    );
    await waitFor(() => seen.links.at(-1)?.state === 'lost', 'lost');
    expect(seen.models).toEqual([]);
  });

  it('a hundred thousand log lines at once are shown at a pace, the newest and a count', async () => {
    const total = 100_000;
    const line = (i: number): string =>
      `{"t":"log","id":${i},"at":"2026-11-30T10:00:00Z","src":"app","unit":null,"sev":"info","text":"n ${i}"}\n`;
    const all = Array.from({ length: total }, (_, i) => line(i + 1)).join('');
    const startedMs = performance.now();
    const seen = follow(await stand((url, c) => c.write(url.startsWith('/v1/log') ? HEAD + all : HEAD)));
    await waitFor(() => seen.lines.some((l) => l.text === `n ${total}`), 'the last line');
    expect(seen.lines.length).toBeLessThan(200 + 100 + 40 * Math.max(10, (performance.now() - startedMs) / 1000));
    expect(seen.lines.some((l) => /^\d+ lines left out$/.test(l.text))).toBe(true);
  });
});

describe('what is too large', () => {
  it('a section that does not fit into a frame is left out with a reason, and the others are sent', async () => {
    const { socket, store } = await serve();
    const stream = openStream(socket, '/v1/stream?min_interval_ms=0');
    atEnd(() => stream.close());
    await waitFor(() => stream.frames.length > 0, 'a snapshot');
    store.observe('vitals', { state: 'ok', data: HEALTHY_DATA.vitals });
    store.observe('identity', { state: 'ok', data: { ...HEALTHY_DATA.identity, os_release: 'x'.repeat(MAX_FRAME_BYTES) } });
    const body = (await request(socket, '/v1/status')).body;
    expect(body.length).toBeLessThan(MAX_FRAME_BYTES);
    expect(JSON.parse(body).sections).toMatchObject({
      vitals: { state: 'ok' },
      identity: { state: 'unavailable', data: null, error: { code: 'too_large', msg: '1025 KiB are more than fits into a frame' } },
    });
    await waitFor(() => stream.frames.some((f) => JSON.stringify(f).includes('too_large')), 'the patch');
  });
});

describe('who may ask', () => {
  it('the socket is for its owner and its group: Node cannot ask who is at the other end, so the mode is the whole check', async () => {
    const { socket } = await serve();
    expect(fs.statSync(socket).mode & 0o777).toBe(0o660);
    // Only root can become somebody else; for others the mode above has to do.
    if (process.getuid?.() !== 0) return;
    fs.chmodSync(path.dirname(socket), 0o755);
    const nobody = await spatiumStatus(socket, { uid: 65_534, gid: 65_534 });
    expect([nobody.code, nobody.err]).toEqual([4, `spatium status: no supervisor on ${socket}: no permission for the socket\n`]);
    fs.chownSync(socket, 0, 65_534);
    expect((await spatiumStatus(socket, { uid: 65_534, gid: 65_534 })).code).toBe(3);
  });
});
