/** Wrong calls and servers nobody should believe: every one ends by itself, with one clear line and its documented code. */

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { planAction } from '#status/control-client.ts';
import { atEnd } from '../../support/at-end.ts';
import { type EndOptions, runToEnd, spatiumArgv } from '../../support/program.ts';
import { sectionsOf } from '../../support/status-fixtures.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';

const spatium = (words: readonly string[], options?: EndOptions) => runToEnd(spatiumArgv(words), options);

/** A unix socket where every client gets what `answer` does. */
async function stand(answer: (c: net.Socket) => void): Promise<string> {
  const socket = path.join(tempDir(), 's.sock');
  const clients = new Set<net.Socket>();
  const server = net.createServer((c) => {
    clients.add(c);
    c.on('error', () => undefined);
    c.on('close', () => clients.delete(c));
    answer(c);
  });
  atEnd(() => {
    for (const c of clients) c.destroy();
    server.close();
  });
  await new Promise<void>((r) => server.listen(socket, r));
  return socket;
}

const httpOk = (body: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const drip = (first: string) => (c: net.Socket) => {
  c.write(first);
  const timer = setInterval(() => c.write('a'), 200);
  c.on('close', () => clearInterval(timer));
};

describe('spatium supervise', () => {
  const places: readonly (readonly [string, string, (file: string) => void, RegExp])[] = [
    ['a file', 'x', (f) => fs.writeFileSync(f, 'precious'), /there is a file, not a socket; move it away/],
    ['a directory', 'x', (f) => fs.mkdirSync(f), /there is a directory, not a socket/],
    ['a link', 'x', (f) => fs.symlinkSync('/etc/passwd', f), /there is a link, not a socket/],
    ['a path too long', 'x'.repeat(120), () => undefined, /too long for a socket; choose one of at most \d+ bytes/],
    ['a missing directory', 'none/x', () => undefined, /none is not a directory; make it first/],
  ];
  it.each(places)('%s at the place of a socket ends it with 1, changed by nothing', async (what, name, make, why) => {
    const dir = tempDir();
    const bad = path.join(dir, name);
    make(bad);
    const before = fs.readdirSync(dir);
    for (const args of [
      ['--socket', bad],
      ['--socket', path.join(dir, 'good.sock'), '--control', bad],
    ]) {
      const r = await spatium(['supervise', ...args]);
      expect([r.code, r.err.trim().split('\n').length]).toEqual([1, 1]);
      expect(r.err).toContain(bad);
      expect(r.err).toMatch(why);
      expect(fs.readdirSync(dir)).toEqual(before);
    }
    if (what === 'a file') expect(fs.readFileSync(bad, 'utf8')).toBe('precious');
  });

  it('a socket that cannot be made ends it with 1 though it had started already', async () => {
    const r = await spatium(['supervise', '--socket', '/proc/x.sock']);
    expect([r.code, r.err.trim().split('\n').length]).toEqual([1, 1]);
    expect(r.err).toMatch(/\/proc\/x\.sock: no socket can be made there \(E[A-Z]+\)/);
  });

  it.each([
    ['the usual place', [], /\/run\/spatiumddi\S*: no .*; run as root, or give --socket PATH/],
    ['a directory of somebody else', ['--socket', '/usr/x.sock'], /\/usr\/x\.sock: .*; run as root, or give --socket PATH/],
  ] as const)('without the right to %s it says who may, or what else', async (_, args, why) => {
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const r = await spatium(['supervise', ...args], nobody);
    expect([r.code, r.err.trim().split('\n').length]).toEqual([1, 1]);
    expect(r.err).toMatch(why);
    expect(r.err).not.toContain('mkdir');
  });

  it.each([[['--bogus']], [['word']], [['--socket']], [['--socket', '']]])('%j is a wrong call: 2 and the usage', async (args) => {
    const r = await spatium(['supervise', ...args]);
    expect(r.code).toBe(2);
    expect(r.err).toMatch(/^usage: spatium supervise/m);
  });
});

describe('spatium status', () => {
  it.each([[['--bogus']], [['word']], [['--format', 'xml']], [['--socket', '']]])('%j is a wrong call: 64 and the usage', async (args) => {
    const r = await spatium(['status', ...args]);
    expect(r.code).toBe(64);
    expect(r.err).toMatch(/^usage: spatium status/m);
    expect((await spatium(['status', '--help'])).out).toContain('64 wrong');
  });

  const servers: readonly (readonly [string, (c: net.Socket) => void, RegExp])[] = [
    ['drips its body', drip('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{"a":"'), /no complete answer within 5 s/],
    ['drips its head', drip('HTTP/1.1 200 OK\r\nx: '), /no complete answer within 5 s/],
    ['says nothing', () => undefined, /no complete answer within 5 s/],
    ['never stops', (c) => c.write(httpOk('x'.repeat(6_000_000))), /larger than 4 MiB/],
    ['speaks no HTTP', (c) => c.write('\x1b[31mhello\r\n\r\n'), /does not speak HTTP/],
    ['speaks no JSON', (c) => c.write(httpOk('<html>')), /does not speak the status protocol: the answer is not a JSON object/],
    ['speaks another JSON', (c) => c.write(httpOk('[1]')), /not a JSON object/],
    ['says it is a ping', (c) => c.write(httpOk('{"t":"ping"}')), /it sends a snapshot without sections/],
  ];
  it.each(servers)('a server that %s: 4 and one line naming the socket', async (_, answer, why) => {
    const socket = await stand(answer);
    const r = await spatium(['status', '--format', 'json', '--socket', socket]);
    expect([r.code, r.out, r.err.trim().split('\n').length]).toEqual([4, '', 1]);
    expect(r.err).toContain(socket);
    expect(r.err).toMatch(why);
    expect(r.err).not.toContain('\x1b');
  });

  it('does not repeat the HEALTHY of a server whose sections say nothing', async () => {
    const sections = { ...sectionsOf(), vitals: null, disks: { ...sectionsOf().disks, age_ms: 9e12 } };
    const verdict = { level: 'HEALTHY', reasons: [], unknown_sections: [], computed_at: '2026-11-30T15:55:53Z' };
    const body = { schema: 1, server: 'x', instance: 'i', now: '2026-11-30T15:55:53Z', sections, verdict };
    const socket = await stand((c) => c.write(httpOk(JSON.stringify(body))));
    const text = await spatium(['status', '--socket', socket]);
    expect([text.code, text.out.split('\n')[0]]).toEqual([3, 'UNKNOWN']);
    expect(text.out).toMatch(/disks: readings too old to trust[\s\S]*CPU and memory: not reported/);
    expect(text.out).toMatch(/^ {2}\S+ .* \(since (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC\)$/m);
    expect(text.out).not.toMatch(/\d{4}-\d\d-\d\dT/);
    const json = await spatium(['status', '--format', 'json', '--socket', socket]);
    expect([json.code, JSON.parse(json.out).verdict.level]).toEqual([3, 'UNKNOWN']);
  });
});

describe('the control socket', () => {
  it.each<[string, (c: net.Socket) => void, string]>([
    ['drips', drip('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{'), 'no complete answer within 5 s'],
    ['speaks no HTTP', (c) => c.write('hello\r\n\r\n'), 'what answers there does not speak HTTP'],
    ['speaks no JSON', (c) => c.write(httpOk('<html>')), 'the supervisor answers 200'],
  ])('one that %s gives no plan, and a reason', async (_, answer, why) => {
    const socket = await stand(answer);
    expect(await planAction({ socket, tty: 't' }, 'power.reboot')).toEqual({ ok: false, why });
  });
});

it('a watcher without a supervisor says so once', async () => {
  const [file, ...words] = spatiumArgv(['status', '--watch', '--socket', path.join(tempDir(), 'status.sock')]);
  const watcher = spawn(file, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  atEnd(() => watcher.kill('SIGKILL'));
  let err = '';
  watcher.stderr.on('data', (text) => {
    err += text;
  });
  await waitFor(() => err !== '', 'it speaks');
  // Time for several more attempts.
  await new Promise((resolve) => setTimeout(resolve, 4000));
  expect(err).toBe('supervisor not available: no socket\n');
});
