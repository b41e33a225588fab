/** Fetching from real servers on loopback. The key in tls/ belongs to nothing but these tests. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FetchOptions, fetchAnswerFile } from '#preseed/fetch.ts';

const tlsDir = path.join(import.meta.dirname, 'tls');
const cert = fs.readFileSync(path.join(tlsDir, 'loopback.pem'), 'utf8');
const key = fs.readFileSync(path.join(tlsDir, 'loopback.key'), 'utf8');
const BODY = 'role: appliance\n';
const PIN = createHash('sha256').update(BODY).digest('hex');
const limits = { tries: 2, tryTimeoutMs: 1_500, pauseMs: 10, maxRedirects: 3 };

let secure: https.Server;
let plain: http.Server;
let secureUrl = '';
let plainUrl = '';
let flaky = 0;

function answer(request: http.IncomingMessage, response: http.ServerResponse): void {
  const redirect = (to: string): void => void response.writeHead(302, { location: to }).end();
  switch (request.url) {
    case '/ok':
      response.end(BODY);
      break;
    case '/flaky':
      if (flaky++ === 0) response.writeHead(503).end();
      else response.end(BODY);
      break;
    case '/here':
      redirect('/ok');
      break;
    case '/round':
      redirect('/round');
      break;
    case '/down':
      redirect(`${plainUrl}/ok`);
      break;
    case '/file':
      redirect('file:///etc/passwd');
      break;
    case '/big':
      response.end('#'.repeat(1024 * 1024 + 1));
      break;
    case '/endless':
      response.write('# first\n');
      break;
    case '/cut':
      response.writeHead(200, { 'content-length': '100' });
      response.write('role: appl');
      setTimeout(() => response.destroy(), 20);
      break;
    default:
      response.writeHead(404).end('password: planted-in-a-page');
  }
}

const listen = (server: http.Server | https.Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

beforeAll(async () => {
  secure = https.createServer({ cert, key }, answer);
  plain = http.createServer(answer);
  secureUrl = `https://127.0.0.1:${await listen(secure)}`;
  plainUrl = `http://127.0.0.1:${await listen(plain)}`;
});

afterAll(() => {
  for (const server of [secure, plain]) {
    server.closeAllConnections();
    server.close();
  }
});

type Over = FetchOptions & { readonly sha256?: string };
const get = (url: string, { sha256, ...over }: Over = {}) => fetchAnswerFile(url, sha256 ?? null, { extraCa: cert, limits, ...over });
const whyOf = async (url: string, over: Over = {}): Promise<string> => {
  const result = await get(url, over);
  return result.ok ? 'ok' : result.why;
};

test('https with a trusted certificate', async () => {
  const result = await get(`${secureUrl}/ok`);
  expect(result.ok && new TextDecoder().decode(result.bytes)).toBe(BODY);
});
test('an untrusted certificate is refused at once', async () => {
  const log: string[] = [];
  const result = await fetchAnswerFile(`${secureUrl}/ok`, PIN, { limits, log: (text) => log.push(text) });
  expect(result).toEqual({ ok: false, why: expect.stringMatching(/certificate is not trusted/) });
  expect(log).toEqual([]);
});
test('plain http needs a pin', async () => expect(await whyOf(`${plainUrl}/ok`)).toMatch(/plain http needs/));
test('plain http with a pin', async () => expect(await whyOf(`${plainUrl}/ok`, { sha256: PIN })).toBe('ok'));
test('the pin counts for https too', async () =>
  expect(await whyOf(`${secureUrl}/ok`, { sha256: '0'.repeat(64) })).toMatch(/the pin says/));
test('a redirect inside https is followed', async () => expect(await whyOf(`${secureUrl}/here`)).toBe('ok'));
test('a redirect never leaves https, pin or not', async () => {
  expect(await whyOf(`${secureUrl}/down`)).toMatch(/from https to http/);
  expect(await whyOf(`${secureUrl}/down`, { sha256: PIN })).toMatch(/from https to http/);
});
test('a redirect to another scheme is refused', async () => expect(await whyOf(`${secureUrl}/file`)).toMatch(/another scheme/));
test('redirects that lead in a circle end after three', async () =>
  expect(await whyOf(`${secureUrl}/round`)).toMatch(/more than 3 redirects/));
test('a missing page is not tried again, and nothing of it is told', async () => {
  const log: string[] = [];
  expect(await whyOf(`${secureUrl}/none`, { log: (text) => log.push(text) })).toBe('the server answered 404');
  expect(log).toEqual([]);
});
test('a server in trouble is tried again', async () => expect(await whyOf(`${secureUrl}/flaky`)).toBe('ok'));
test('a file over the limit is refused', async () => expect(await whyOf(`${secureUrl}/big`)).toMatch(/over 1 MiB/));
test('an answer without end is given up', async () =>
  expect(await whyOf(`${secureUrl}/endless`)).toMatch(/no complete answer in time \(2 tries\)/));
test('an answer that is cut short is no answer', async () =>
  expect(await whyOf(`${plainUrl}/cut`, { sha256: PIN })).toMatch(/cut short|connection failed/));
test('where nobody listens it says so, without the secrets of the address', async () => {
  const log: string[] = [];
  expect(await whyOf('https://ops:planted@127.0.0.1:1/x?token=planted', { log: (text) => log.push(text) })).toMatch(
    /connection failed \(ECONNREFUSED\) \(2 tries\)/,
  );
  expect(log.length).toBe(2);
  expect(log.join()).not.toContain('planted');
});
