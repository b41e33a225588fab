/** Our supervisor's own promises: replacement, slow readers, many readers, actions, and the client that follows it. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { followStatus, type Link } from '#status/client.ts';
import type { ClientModel } from '#status/client-model.ts';
import { LogRing } from '#status/log-ring.ts';
import { parsePolicy } from '#status/policy.ts';
import { serveStatus } from '#status/server.ts';
import { type Clock, StatusStore } from '#status/store.ts';
import { serveControl } from '#supervisor/control.ts';
import { run } from '#system/run.ts';
import { atEnd } from '../../support/at-end.ts';
import { HEALTHY_DATA } from '../../support/status-fixtures.ts';
import { openStream, request, startSupervisor } from '../../support/supervisor-process.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';

const clock: Clock = { now: () => new Date().toISOString(), monoMs: () => performance.now() };

async function ownServer(socket = path.join(tempDir(), 'status.sock')) {
  const store = new StatusStore(clock, { vitals: { ttlMs: 1000, source: 't' }, identity: { ttlMs: 1000, source: 't' } });
  const log = new LogRing();
  const server = await serveStatus({ socket, store, log, clock, server: 'test', instance: Math.random().toString(36), pingMs: 200 });
  atEnd(() => server.close());
  return { socket, store, log, server };
}

function follow(socket: string, silenceMs = 1000) {
  const seen = { models: [] as ClientModel[], links: [] as Link[] };
  const client = followStatus({
    socket,
    monoMs: clock.monoMs,
    now: clock.now,
    onModel: (m) => seen.models.push(m),
    onLink: (l) => seen.links.push(l),
    silenceMs,
    backoffMinMs: 20,
    minIntervalMs: 10,
  });
  atEnd(() => client.stop());
  return { ...seen, state: () => seen.links.at(-1)?.state, why: () => seen.links.at(-1) as Link & { why?: string } };
}

describe('the supervisor as a process', () => {
  it('is replaced without a gap, and a replaced one does not take the socket of its successor away', async () => {
    const dir = tempDir();
    const a = await startSupervisor(dir);
    const b = await startSupervisor(dir);
    atEnd(() => b.stop());
    await a.exited;
    expect([a.process.exitCode, a.said()]).toEqual([0, expect.stringMatching(/: replaced by another supervisor\n$/)]);
    expect(b.process.exitCode).toBe(null);
    expect(JSON.parse((await request(b.socket, '/v1/status')).body).schema).toBe(1);
    expect(fs.statSync(b.control).mode & 0o777).toBe(0o600);
  });
  it('whose socket is removed ends with 1, so that a service manager starts it again', async () => {
    const a = await startSupervisor();
    fs.rmSync(a.control);
    await a.exited;
    expect([a.process.exitCode, a.said()]).toEqual([1, expect.stringContaining('its socket was removed')]);
    expect(fs.existsSync(a.socket)).toBe(false);
  });
});

describe('the control socket', () => {
  it('tells what an action would do, does it once with its token, and writes down who asked', async () => {
    const socket = path.join(tempDir(), 'control.sock');
    const audited: string[] = [];
    const removed: string[] = [];
    const server = await serveControl({
      socket,
      policy: async () => parsePolicy('{"actions":["power.cancel","power.poweroff"]}'),
      // A real process, but one that only says what would have been run.
      ports: { run: (argv, options) => run(['echo', ...argv], options), remove: async (file) => void removed.push(file) },
      monoMs: clock.monoMs,
      audit: (text) => audited.push(text),
    });
    atEnd(() => server.close());
    const post = (name: string, body: object = {}) =>
      request(socket, `/v1/actions/${name}`, { method: 'POST', body: JSON.stringify(body), headers: { 'x-spatium-tty': 'ttyS0' } });
    const plan = JSON.parse((await post('power.cancel')).body);
    expect(plan).toMatchObject({ name: 'power.cancel', expires_s: 30, typed_confirm: null });
    expect(removed).toEqual([]);
    expect((await post('power.cancel', { confirm_token: 'guess' })).status).toBe(409);
    expect((await post('power.poweroff', { confirm_token: plan.confirm_token })).status).toBe(409);
    expect((await post('power.reboot')).status).toBe(403);
    expect((await post('no.such')).status).toBe(404);
    const ran = await post('power.cancel', { confirm_token: plan.confirm_token });
    const events = ran.body
      .trim()
      .split('\n')
      .map((l) => JSON.parse(l));
    expect(events.map((e) => e.line ?? e.msg)).toEqual([
      'systemctl stop spatiumddi-reboot.service spatiumddi-reboot-agent.service',
      'shutdown -c',
      'done',
    ]);
    expect(removed).toHaveLength(2);
    expect(audited).toEqual(['power.cancel confirmed on ttyS0']);
    expect((await post('power.cancel', { confirm_token: plan.confirm_token })).status).toBe(409);
    expect(JSON.parse((await request(socket, '/v1/actions')).body).actions.map((x: { name: string }) => x.name)).toEqual([
      'power.poweroff',
      'power.cancel',
    ]);
  });
});

describe('readers of one server', () => {
  it('a reader that stops reading is conflated and holds nobody up', async () => {
    const { socket, store } = await ownServer();
    const slow = openStream(socket, '/v1/stream?min_interval_ms=0');
    const quick = openStream(socket, '/v1/stream?min_interval_ms=0');
    atEnd(
      () => slow.close(),
      () => quick.close(),
    );
    await waitFor(() => slow.frames.length > 0 && quick.frames.length > 0, 'snapshots');
    slow.pause();
    const filler = 'x'.repeat(20_000);
    for (let i = 1; i <= 300; i += 1) {
      store.observe('identity', { state: 'ok', data: { ...HEALTHY_DATA.identity, hostname: `h${i}`, os_release: filler } });
      await new Promise((r) => setTimeout(r, 2));
    }
    const hostOf = (f: Record<string, unknown> | undefined) =>
      (f?.['sections'] as { identity?: { data: { hostname: string } | null } })?.identity?.data?.hostname;
    const lastHost = (s: typeof slow) =>
      s.frames
        .map(hostOf)
        .filter((h) => h !== undefined)
        .at(-1);
    await waitFor(() => lastHost(quick) === 'h300', 'the quick reader has the newest state');
    slow.resume();
    await waitFor(() => lastHost(slow) === 'h300', 'the slow reader catches up');
    expect(slow.frames.length).toBeLessThan(quick.frames.length);
    const seqs = slow.frames.filter((f) => f['t'] === 'patch').map((f) => f['seq']);
    expect(seqs).toEqual(seqs.map((_, i) => i + 2));
  });

  it('sixty readers are served, and ages stay small while content does not change', async () => {
    const { socket, store } = await ownServer();
    const streams = Array.from({ length: 60 }, () => openStream(socket, '/v1/stream?min_interval_ms=0'));
    for (const s of streams) atEnd(() => s.close());
    await waitFor(() => streams.every((s) => s.frames.length > 0), 'snapshots');
    store.observe('vitals', { state: 'ok', data: HEALTHY_DATA.vitals });
    await waitFor(() => streams.every((s) => s.frames.some((f) => f['t'] === 'patch')), 'patches');
    store.observe('vitals', { state: 'ok', data: HEALTHY_DATA.vitals });
    await waitFor(() => streams.every((s) => s.frames.some((f) => (f['observed'] as { vitals?: object })?.vitals)), 'ages');
  });

  it('log lines reach a follower, filtered, and the ring does not grow', async () => {
    const { socket, log } = await ownServer();
    const say = (text: string, sev: 'err' | 'info') => log.add({ at: clock.now(), src: 'journal', unit: 'u', sev, text });
    for (let i = 0; i < 5000; i += 1) say(`old ${i}`, 'info');
    const s = openStream(socket, '/v1/log?follow=1&sev=err');
    atEnd(() => s.close());
    await waitFor(() => s.frames.length > 0, 'a ping');
    say('quiet', 'info');
    say('loud', 'err');
    await waitFor(() => s.frames.some((f) => f['text'] === 'loud'), 'the error line');
    expect(s.frames.filter((f) => f['t'] === 'log').length).toBe(1);
    expect(log.after(0, 1e9).length).toBe(2000);
  });
});

describe('a query that cannot be meant', () => {
  it.each(['/v1/log?sev=error', '/v1/log?limit=-1', '/v1/stream?min_interval_ms=abc', '/v1/log?follow=yes'])(
    '%s gets 400 and what is wanted',
    async (address) => {
      const { socket } = await ownServer();
      const r = await request(socket, address);
      expect([r.status, JSON.parse(r.body)]).toMatchObject([
        400,
        { error: { code: 'bad_query', msg: expect.stringContaining(' is wanted') } },
      ]);
    },
  );
});

describe('the client', () => {
  it('says lost with a reason, keeps trying, and lives again with the new server', async () => {
    const socket = path.join(tempDir(), 'status.sock');
    const c = follow(socket);
    await waitFor(() => c.state() === 'lost', 'lost');
    expect(c.why()).toMatchObject({ why: 'no socket' });
    const first = await ownServer(socket);
    await waitFor(() => c.state() === 'live', 'live');
    await first.server.close();
    await waitFor(() => c.state() === 'lost', 'lost again');
    await ownServer(socket);
    await waitFor(() => c.state() === 'live', 'live again');
    const instances = new Set(c.models.map((m) => m.instance));
    expect(instances.size).toBe(2);
  });

  it.each([
    ['garbage', '\x00\xff not http at all\r\n\r\n'],
    ['a frame without end', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1_100_000)}`],
    ['JSON that is no frame', 'HTTP/1.1 200 OK\r\n\r\n[1,2,3]\n'],
    ['an error page', 'HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n'],
    ['silence', ''],
  ])('survives %s on the socket', async (_what, reply) => {
    const socket = path.join(tempDir(), 'status.sock');
    const server = net.createServer((c) => {
      c.on('error', () => undefined);
      c.once('data', () => reply !== '' && c.write(reply, 'latin1'));
    });
    await new Promise<void>((r) => server.listen(socket, () => r()));
    atEnd(() => server.close());
    const c = follow(socket, 300);
    await waitFor(() => c.state() === 'lost', 'lost');
    expect(c.models).toEqual([]);
  });
});
