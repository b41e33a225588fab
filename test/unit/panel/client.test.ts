import { writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/model/secret.ts';
import { presentedLeaf } from '../../../src/supervisor/panel/trust.ts';
import { atEnd } from '../../support/at-end.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';
import { BUILT_AT_MS, clientOf, enrolled, getConfig, testPanel } from './support.ts';

async function ready() {
  const dir = tempDir();
  const panel = await testPanel({ dir });
  writeFileSync(path.join(dir, 'config', 'lb.json'), '{"frontends": []}');
  const client = clientOf(panel);
  await enrolled(panel, client);
  return { dir, panel, client };
}

describe('the wire', () => {
  test('a configuration, unchanged, edited; a report', async () => {
    const { dir, panel, client } = await ready();
    const first = await client.ask(getConfig());
    expect(first).toMatchObject({ kind: 'reply', status: 200 });
    if (first.kind !== 'reply') return;
    expect(JSON.parse(first.body)).toMatchObject({ schema: 1, kind: 'lb', version: 1, config: { frontends: [] } });
    const tag = first.headers['etag'] ?? '';
    expect(await client.ask(getConfig({ 'if-none-match': tag }))).toMatchObject({ status: 304, body: '' });
    expect(await client.ask(getConfig({ 'if-none-match': `W/${tag}` }))).toMatchObject({ status: 304 });
    writeFileSync(path.join(dir, 'config', 'lb.json'), '{"frontends": [1]}');
    const second = await client.ask(getConfig({ 'if-none-match': tag }));
    expect(second.kind === 'reply' && JSON.parse(second.body).version).toBe(2);
    const report = { seq: 1, boot_id: 'b', agent_version: '1', state: 'applied', applied_version: 2, warnings: [] };
    const sent = await client.ask({ method: 'POST', path: '/v1/lb/status', bearer: getConfig().bearer, body: report });
    expect(sent).toMatchObject({ kind: 'reply', status: 204 });
    expect(panel.requests().at(-1)).toBe('POST /v1/lb/status 204');
  });
});

describe('replies that go wrong', () => {
  test.each([
    [
      '503 with Retry-After',
      { do: 'status', status: 503, retry_after: '7' },
      { kind: 'reply', status: 503, headers: { 'retry-after': '7' } },
    ],
    ['a captive portal', { do: 'portal' }, { kind: 'reply', status: 200, headers: { 'content-type': 'text/html' } }],
    ['a redirect', { do: 'redirect' }, { kind: 'reply', status: 302 }],
    ['half a body', { do: 'cut' }, { kind: 'failed', fault: 'cut' }],
    ['no reply, closed', { do: 'reset' }, { kind: 'failed', fault: 'cut' }],
    ['no HTTP', { do: 'not_http' }, { kind: 'failed', fault: 'cut' }],
    ['another protocol', { do: 'upgrade' }, { kind: 'failed', fault: 'cut', message: expect.stringContaining('another protocol') }],
    ['1 MiB and one byte', { do: 'too_large' }, { kind: 'failed', fault: 'too_large' }],
    ['a weak tag', { do: 'weak_etag' }, { kind: 'reply', status: 200, headers: { etag: expect.stringMatching(/^W\/"/) } }],
  ])('%s', async (_name, fault, reply) => {
    const { panel, client } = await ready();
    await panel.faults({ config: fault });
    expect(await client.ask(getConfig())).toMatchObject(reply);
  });

  test('silence and slow bytes end by time', async () => {
    const { panel } = await ready();
    await panel.faults({ config: { do: 'hang' } });
    const silence = await clientOf(panel, { limits: { headersMs: 80 } }).ask(getConfig());
    expect(silence).toMatchObject({ fault: 'timeout', message: 'no reply came within 0.08 s' });
    await panel.faults({ config: { do: 'slow', ms: 50 } });
    const drops = await clientOf(panel, { limits: { wholeMs: 900 } }).ask(getConfig());
    expect(drops).toMatchObject({ fault: 'timeout', message: 'the reply was not whole within 0.9 s' });
  });

  test('nobody listens; the name does not exist; a port that never speaks TLS; plain HTTP', async () => {
    const { panel } = await ready();
    const to = (url: string, connectMs = 5000) => clientOf(panel, { panel: url, limits: { connectMs } });
    const silent = net.createServer().listen(0, '127.0.0.1');
    const plain = http.createServer((_q, r) => r.end('x')).listen(0, '127.0.0.1');
    atEnd(() => [silent.close(), plain.close()]);
    await new Promise((resolve) => plain.once('listening', resolve));
    const portOf = (server: net.Server) => (server.address() as net.AddressInfo).port;
    const free = portOf(plain);
    expect(await to(`https://127.0.0.1:${portOf(silent)}`, 150).ask(getConfig())).toMatchObject({ fault: 'timeout' });
    expect(await to(`https://127.0.0.1:${free}`).ask(getConfig())).toMatchObject({ fault: 'tls_other' });
    plain.close();
    plain.closeAllConnections();
    expect(await to(`https://127.0.0.1:${free}`).ask(getConfig())).toMatchObject({ fault: 'unreachable' });
    expect(await to('https://no-such-host.invalid').ask(getConfig())).toMatchObject({ fault: 'unreachable' });
  });

  test('a request is given up on demand', async () => {
    const { panel, client } = await ready();
    await panel.faults({ config: { do: 'hang' } });
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    expect(await client.ask(getConfig(), stop.signal)).toMatchObject({ kind: 'failed', fault: 'unreachable' });
  });
});

describe('kept connections', () => {
  test('one that answered is kept for the next question', async () => {
    const { client } = await ready();
    await client.ask(getConfig());
    await waitFor(() => client.idleConnections() > 0, 'one to use again');
    expect(client.idleConnections()).toBe(1);
  });

  test('one that the panel has closed is no failure of a GET', async () => {
    const { panel, client } = await ready();
    await client.ask(getConfig());
    await panel.faults({ config: { do: 'reset', times: 1 } });
    expect(await client.ask(getConfig())).toMatchObject({ kind: 'reply', status: 200 });
  });

  test('a POST is not repeated', async () => {
    const { panel, client } = await ready();
    await client.ask(getConfig());
    await panel.faults({ status: { do: 'reset', times: 1 } });
    const reply = await client.ask({ method: 'POST', path: '/v1/lb/status', bearer: getConfig().bearer, body: {} });
    expect(reply).toMatchObject({ fault: 'cut' });
  });
});

describe('trust', () => {
  const wrongPin = 'A'.repeat(43);

  test('looking at the certificate sends no byte', async () => {
    const panel = await testPanel();
    const leaf = await presentedLeaf(new URL(panel.url), 2000);
    expect(leaf.pin).toBe(panel.pin);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(panel.receivedBytes()).toBe(0);
    expect(panel.requests()).toEqual([]);
  });

  test('a wrong pin: named, and nothing is sent', async () => {
    const panel = await testPanel();
    const client = clientOf(panel, { trust: { kind: 'pins', pins: [wrongPin] } });
    expect(await client.ask(getConfig())).toMatchObject({ kind: 'failed', fault: 'tls_pin' });
    expect(panel.receivedBytes()).toBe(0);
  });

  test('a wrong pin fails also while another client holds warm connections', async () => {
    const { panel, client } = await ready();
    expect(await client.ask(getConfig())).toMatchObject({ status: 200 });
    const wrong = clientOf(panel, { trust: { kind: 'pins', pins: [wrongPin] } });
    expect(await wrong.ask(getConfig())).toMatchObject({ fault: 'tls_pin' });
    expect(await client.ask(getConfig())).toMatchObject({ status: 200 });
  });

  test('the panel shows another key: the warm client fails as well, and comes back with the panel', async () => {
    const { panel, client } = await ready();
    await client.ask(getConfig());
    const before = panel.requests().length;
    await panel.faults({ tls: 'wrong_key' });
    expect(await client.ask(getConfig())).toMatchObject({ fault: 'tls_pin' });
    expect(panel.requests().length).toBe(before);
    await panel.faults({ tls: 'ok' });
    expect(await client.ask(getConfig())).toMatchObject({ status: 200 });
  });

  test.each([
    ['renewed', { kind: 'reply', status: 200 }],
    // The key is what is pinned; a panel is often reached by its address.
    ['wrong_name', { kind: 'reply', status: 200 }],
    // An authority that this machine does not know is no hindrance.
    ['signed', { kind: 'reply', status: 200 }],
    ['expired', { kind: 'failed', fault: 'tls_expired' }],
    ['not_yet', { kind: 'failed', fault: 'tls_clock' }],
  ])('the same key in a certificate that is %s', async (tls, reply) => {
    const { panel, client } = await ready();
    await client.ask(getConfig());
    await panel.faults({ tls });
    expect(await client.ask(getConfig())).toMatchObject(reply);
  });

  test('a clock before the build is named', async () => {
    const { panel } = await ready();
    await panel.faults({ tls: 'not_yet' });
    const reply = await clientOf(panel, { nowMs: () => BUILT_AT_MS - 1 }).ask(getConfig());
    expect(reply).toMatchObject({ fault: 'tls_clock', message: expect.stringContaining('before this program was built') });
  });

  test('without pins: issuer and name count', async () => {
    const { panel } = await ready();
    const ca = [panel.keys.certificate('ok').certPem, panel.keys.certificate('wrong_name').certPem];
    expect(await clientOf(panel, { trust: { kind: 'system' } }).ask(getConfig())).toMatchObject({ fault: 'tls_issuer' });
    const known = clientOf(panel, { trust: { kind: 'system', ca } });
    expect(await known.ask(getConfig())).toMatchObject({ status: 200 });
    await panel.faults({ tls: 'wrong_name' });
    expect(await known.ask(getConfig())).toMatchObject({ fault: 'tls_name' });
  });

  test('a variable of Node that turns checks off does nothing here', async () => {
    const { panel } = await ready();
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await clientOf(panel, { trust: { kind: 'system' } }).ask(getConfig())).toMatchObject({ fault: 'tls_issuer' });
      await panel.faults({ tls: 'expired' });
      expect(await clientOf(panel).ask(getConfig())).toMatchObject({ fault: 'tls_expired' });
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  test('a message holds no secret and no control characters', async () => {
    const { panel } = await ready();
    const reply = await clientOf(panel, { trust: { kind: 'pins', pins: ['\u001b[2J'] } }).ask({
      ...getConfig(),
      bearer: new Secret('hidden'),
    });
    expect(JSON.stringify(reply)).not.toMatch(/hidden|\\u001b/);
  });
});
