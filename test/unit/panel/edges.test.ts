import http from 'node:http';
import type net from 'node:net';
import { describe, expect, test } from 'vitest';
import { failureOf, PanelError } from '../../../src/supervisor/panel/faults.ts';
import { sharedLookup } from '../../../src/supervisor/panel/lookup.ts';
import { httpsBehind } from '../../../src/supervisor/panel/upgrade.ts';
import { atEnd } from '../../support/at-end.ts';

const CLOCK = { nowMs: Date.parse('2026-06-01T00:00:00Z'), builtAtMs: Date.parse('2026-01-01T00:00:00Z') };
const coded = (code: string, message = 'something'): Error => Object.assign(new Error(message), { code });

describe('a fault by its name', () => {
  test.each([
    ['ECONNREFUSED', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['EAI_AGAIN', 'unreachable'],
    ['ENETUNREACH', 'unreachable'],
    ['ETIMEDOUT', 'timeout'],
    ['ECONNRESET', 'cut'],
    ['EPIPE', 'cut'],
    ['HPE_INVALID_CONSTANT', 'cut'],
    ['HPE_HEADER_OVERFLOW', 'too_large'],
    ['CERT_HAS_EXPIRED', 'tls_expired'],
    ['CERT_NOT_YET_VALID', 'tls_clock'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_issuer'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_issuer'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_issuer'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_issuer'],
    ['CERT_REVOKED', 'tls_other'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_other'],
    ['EPROTO', 'tls_other'],
  ])('%s is %s', (code, fault) => {
    expect(failureOf(coded(code), CLOCK)).toMatchObject({ fault, message: expect.stringMatching(/^[\x20-\x7e]+$/) });
  });

  test('the last of several addresses speaks; text of a certificate cannot move a cursor', () => {
    const several = new AggregateError([coded('ENETUNREACH'), coded('ECONNREFUSED')]);
    expect(failureOf(several, CLOCK)).toMatchObject({ fault: 'unreachable', message: expect.stringContaining('refuses') });
    expect(failureOf(coded('ERR_TLS_CERT_ALTNAME_INVALID', 'for \u001b[2J\nx'), CLOCK).message).toMatch(/^[\x20-\x7e]+$/);
    expect(failureOf(new PanelError('tls_pin', 'a\u0007b'), CLOCK)).toEqual({ fault: 'tls_pin', message: 'a\\x07b' });
  });

  test('an expired certificate under a clock before the build is the clock', () => {
    expect(failureOf(coded('CERT_HAS_EXPIRED'), { ...CLOCK, nowMs: 0 })).toMatchObject({ fault: 'tls_clock' });
  });
});

/** A plain server, and every byte that it received. */
async function plain(answer: http.RequestListener): Promise<{ url: string; received: () => string }> {
  let received = '';
  const server = http.createServer(answer);
  server.on('connection', (socket) => socket.on('data', (chunk) => (received += chunk.toString())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`, received: () => received };
}

describe('http:// typed for a panel', () => {
  test.each([301, 302, 307, 308])('%i to https: that origin, by one bare question', async (status) => {
    const { url, received } = await plain((_q, r) => void r.writeHead(status, { location: 'https://panel.example:8443/login?x=1' }).end());
    expect(await httpsBehind(`${url}/some/path?code=12345678`)).toBe('https://panel.example:8443');
    const [line, ...headers] = received().trim().split('\r\n');
    expect(line).toBe('GET / HTTP/1.1');
    expect(headers.map((h) => h.split(':')[0]).sort()).toEqual(['Connection', 'Host']);
  });

  test.each<[string, http.RequestListener]>([
    ['no redirect', (_q, r) => void r.end('hello')],
    ['a redirect to http', (_q, r) => void r.writeHead(302, { location: 'http://other.example/' }).end()],
    ['a redirect to nowhere', (_q, r) => void r.writeHead(302).end()],
    ['a redirect to nonsense', (_q, r) => void r.writeHead(302, { location: 'https://' }).end()],
  ])('%s: refused', async (_name, answer) => {
    const { url } = await plain(answer);
    await expect(httpsBehind(url)).rejects.toThrow(/offers no https/);
  });

  test('a switch to another protocol ends', async () => {
    const { url } = await plain((_q, r) => void r.socket?.write('HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: h3\r\n\r\n'));
    await expect(httpsBehind(url, 5000)).rejects.toThrow(/another protocol/);
  });

  test('a server that says nothing is given up', async () => {
    const { url } = await plain(() => undefined);
    await expect(httpsBehind(url, 80)).rejects.toThrow(/no reply came within/);
  });
});

describe('names of hosts', () => {
  const ask = (host: string, options: net.TcpNetConnectOpts | Record<string, unknown>) =>
    new Promise<unknown[]>((resolve) => sharedLookup(host, options as never, (...answer) => resolve(answer)));

  test('many at once get the same answer, each in the form it asked for', async () => {
    const [all, one, four] = await Promise.all([ask('localhost', { all: true }), ask('localhost', {}), ask('localhost', { family: 4 })]);
    expect(all?.[0]).toBe(null);
    expect(all?.[1]).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(one?.slice(1)).toEqual([expect.stringMatching(/^(127\.0\.0\.1|::1)$/), expect.any(Number)]);
    expect(four).toEqual([null, '127.0.0.1', 4]);
  });

  test('a name that is none', async () => {
    const [error] = await ask('no-such-host.invalid', { all: true });
    expect(error).toMatchObject({ code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) });
  });
});
