/** Our supervisor keeps its own protocol, told by the program that tells it of any other; and that program notices what is wrong. */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fault } from '../../conformance/check.ts';
import { REFUSAL_CHECKS } from '../../conformance/refusals.ts';
import { SNAPSHOT_CHECKS } from '../../conformance/snapshot.ts';
import { STREAM_CHECKS } from '../../conformance/stream.ts';
import { atEnd } from '../../support/at-end.ts';
import { NODE, REPO, runToEnd } from '../../support/program.ts';
import { startSupervisor, type TestSupervisor } from '../../support/supervisor-process.ts';
import { tempDir } from '../../support/temp.ts';

const CHECKS = [...SNAPSHOT_CHECKS, ...STREAM_CHECKS, ...REFUSAL_CHECKS];

let supervisor: TestSupervisor;
beforeAll(async () => {
  supervisor = await startSupervisor();
});
afterAll(() => supervisor?.stop());

const conformance = (args: readonly string[]) =>
  runToEnd([NODE, path.join(REPO, 'test/conformance/main.ts'), ...args], { limitMs: 110_000 });

describe('npm run conformance', () => {
  it('our supervisor keeps every rule', async () => {
    const r = await conformance([supervisor.socket]);
    expect(r.out.split('\n').filter((l) => l.startsWith('BROKEN') || l.startsWith('  '))).toEqual([]);
    expect([r.code, r.out.trim().split('\n').at(-1)]).toEqual([0, `${CHECKS.length} of ${CHECKS.length} kept`]);
  }, 120_000);

  it.each([[[]], [['--help']], [['/x', 'nosuch']]])('%j is a wrong call: 2 and the usage', async (args) => {
    const r = await conformance(args);
    expect(r.code).toBe(2);
    expect(r.err).toMatch(/^usage: npm run conformance/m);
  });

  it('nobody there is 1, and says so', async () => {
    const r = await conformance([path.join(tempDir(), 'none.sock'), 'schema']);
    expect([r.code, r.out]).toEqual([1, expect.stringContaining('no answer: connect ENOENT')]);
  });
});

type Doc = Record<string, unknown>;

/** How a wrong supervisor differs from ours. */
interface Mutant {
  readonly path?: (path: string) => string;
  readonly status?: (path: string, method: string) => number | undefined;
  /** Answered with 200 in place of ours. */
  readonly body?: (path: string) => string | undefined;
  readonly etag?: string;
  readonly snapshot?: (doc: Doc) => void;
  /** What becomes of the n-th line of a stream; null: nothing. */
  readonly line?: (line: string, n: number) => string | null;
  readonly maxConnections?: number;
  readonly mode?: number;
}

/** Ours behind a proxy that spoils one thing. */
async function mutant(m: Mutant): Promise<string> {
  const socket = path.join(tempDir(), 's.sock');
  const server = http.createServer((req, res) => {
    const url = m.path?.(req.url ?? '/') ?? req.url ?? '/';
    const forced = m.status?.(req.url ?? '/', req.method ?? 'GET');
    if (forced !== undefined) {
      res.writeHead(forced, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const headers = m.etag === undefined ? req.headers : {};
    const given = m.body?.(req.url ?? '/');
    if (given !== undefined) {
      res.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(given);
      return;
    }
    const upstream = http.request({ socketPath: supervisor.socket, path: url, method: req.method, headers, agent: false }, (from) => {
      const out = { ...from.headers, ...(m.etag === undefined ? {} : { etag: m.etag }) };
      delete out['content-length'];
      res.writeHead(from.statusCode ?? 500, out);
      let [rest, n] = ['', 0];
      from.setEncoding('utf8');
      from.on('data', (part: string) => {
        const lines = (rest + part).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          let text: string | null = line;
          if (url === '/v1/status' && m.snapshot) {
            const doc = JSON.parse(line);
            m.snapshot(doc);
            text = JSON.stringify(doc);
          } else if (m.line && url !== '/v1/status') text = m.line(line, n);
          n += 1;
          if (text !== null) res.write(`${text}\n`);
        }
      });
      from.on('end', () => res.end());
      from.on('error', () => res.destroy());
    });
    upstream.on('error', () => res.destroy());
    res.on('close', () => upstream.destroy());
    upstream.end();
  });
  if (m.maxConnections !== undefined) server.maxConnections = m.maxConnections;
  await new Promise<void>((r) => server.listen(socket, () => r()));
  fs.chmodSync(socket, m.mode ?? 0o660);
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return socket;
}

const sectionOf = (doc: Doc, name: string): Doc => (doc['sections'] as Record<string, Doc>)[name] as Doc;
const without = (line: string, what: RegExp): string | null => (what.test(line) ? null : line);

const LOG_LINE = '{"t":"log","id":7,"at":"2026-11-30T10:00:00Z","src":"app","unit":null,"sev":"info","text":"x"}\n';

const MUTANTS: readonly (readonly [what: string, check: string, m: Mutant, why: RegExp])[] = [
  ['sends no instance', 'schema', { snapshot: (d) => delete d['instance'] }, /must have required property 'instance'/],
  [
    'sends a share as text',
    'schema',
    { snapshot: (d) => Object.assign(sectionOf(d, 'vitals')['data'] as Doc, { load1: 'low' }) },
    /vitals/,
  ],
  [
    'calls a section unknown that has data',
    'states',
    { snapshot: (d) => Object.assign(sectionOf(d, 'vitals'), { state: 'unknown' }) },
    /vitals is unknown and has data/,
  ],
  [
    'fails without a reason',
    'states',
    { snapshot: (d) => Object.assign(sectionOf(d, 'disks'), { state: 'unavailable' }) },
    /disks is unavailable/,
  ],
  [
    'is healthy whatever it knows',
    'verdict',
    { snapshot: (d) => Object.assign(d['verdict'] as Doc, { level: 'HEALTHY' }) },
    /the level is HEALTHY/,
  ],
  ['never changes its ETag', 'etag', { etag: '"1"' }, /the same ETag was answered with 200/],
  ['loses a frame', 'stream', { line: (l, n) => (n === 3 ? null : l) }, /has seq \d+, not \d+/],
  ['sends a frame that is none', 'stream', { line: (l, n) => (n === 2 ? l.replace('"now"', '"when"') : l) }, /does not fit the schema/],
  ['streams other data than it serves', 'agrees', { line: (l) => l.replaceAll('"hostname":"', '"hostname":"x') }, /identity/],
  ['is silent while nothing changes', 'ping', { line: (l) => without(l, /"t":"ping"/) }, /nothing for 6 s/],
  ['does not care for the interval', 'interval', { path: (p) => p.replace(/\?min.*/, '') }, /two patches \d+ ms apart/],
  ['numbers log lines alike', 'log', { body: (p) => (p.startsWith('/v1/log') ? LOG_LINE.repeat(2) : undefined) }, /do not rise/],
  [
    'does not end a log that nobody follows',
    'log',
    { path: (p) => (p.startsWith('/v1/log') ? '/v1/log?follow=1' : p) },
    /no complete answer/,
  ],
  ['answers every path', 'unknown-path', { status: (p) => (p.startsWith('/v1/st') ? undefined : 200) }, /answers 200, not 404/],
  ['refuses without a word', 'unknown-path', { status: () => 404 }, /no \{"error"/],
  ['takes a POST', 'method', { status: (_, verb) => (verb === 'GET' ? undefined : 200) }, /answers 200, not 405/],
  ['drops whom it cannot serve', 'too-many', { maxConnections: 100 }, /got no answer at all|no snapshot/],
  ['lets everybody in', 'mode', { mode: 0o666 }, /its mode is 666/],
];

describe('a supervisor that', () => {
  it.each(MUTANTS)('%s is told by %s', async (_what, id, m, why) => {
    const check = CHECKS.find((c) => c.id === id);
    const result = check?.run(await mutant(m));
    await expect(result).rejects.toThrow(why);
    // No answer at all is an error of the request; everything else is told in words of the check.
    if (!why.test('no complete answer')) await expect(result).rejects.toBeInstanceOf(Fault);
  });
});
