import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../src/model/secret.ts';
import { makeCertificate } from '../../panel/certificate.ts';
import { integer, node, oid, time } from '../../panel/der.ts';
import { mintToken, sha256 } from '../../panel/records.ts';
import { type Panel, startPanel } from '../../panel/server.ts';
import { atEnd } from '../../support/at-end.ts';
import { tempDir } from '../../support/temp.ts';
import { clientOf, enrolled, getConfig, SECRET, testPanel } from './support.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('DER', () => {
  test.each([
    ['a short length', node(0x04, new Uint8Array(3)), '0403000000'],
    ['zero', integer(Uint8Array.of(0)), '020100'],
    ['a high bit', integer(Uint8Array.of(0x80)), '02020080'],
    ['leading zeros', integer(Uint8Array.of(0, 0, 1)), '020101'],
    ['an object identifier', oid('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
    ['a time before 2050', time(new Date('2049-12-31T23:59:59Z')), `170d${Buffer.from('491231235959Z').toString('hex')}`],
    ['a time from 2050', time(new Date('2050-01-01T00:00:00Z')), `180f${Buffer.from('20500101000000Z').toString('hex')}`],
  ])('%s', (_name, bytes, text) => {
    expect(hex(bytes)).toBe(text);
  });

  test('lengths of one, two and three bytes', () => {
    expect(hex(node(4, new Uint8Array(127))).slice(0, 4)).toBe('047f');
    expect(hex(node(4, new Uint8Array(128))).slice(0, 6)).toBe('048180');
    expect(hex(node(4, new Uint8Array(256))).slice(0, 8)).toBe('04820100');
  });

  test('a certificate as Node reads it', () => {
    const span = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2060-01-01T00:00:00Z') };
    const issuer = makeCertificate({ commonName: 'an authority', hosts: [], isAuthority: true, ...span });
    const made = makeCertificate({ commonName: 'a panel', hosts: ['panel.example', '10.0.2.2', 'fd00::1:2'], issuer, ...span });
    const x = new X509Certificate(made.certPem);
    expect(x.subjectAltName).toBe('DNS:panel.example, IP Address:10.0.2.2, IP Address:FD00:0:0:0:0:0:1:2');
    expect([x.subject, x.issuer, x.ca]).toEqual(['CN=a panel', 'CN=an authority', false]);
    expect([x.validFromDate, x.validToDate]).toEqual([span.notBefore, span.notAfter]);
    const authority = new X509Certificate(issuer.certPem);
    expect([x.checkIssued(authority), x.verify(authority.publicKey), authority.ca]).toEqual([true, true, true]);
    expect(x.checkHost('panel.example')).toBe('panel.example');
  });
});

const post = async (panel: Panel, route: string, bearer: string, body: unknown) => {
  const reply = await clientOf(panel).ask({ method: 'POST', path: route, bearer: new Secret(bearer), body });
  return reply.kind === 'reply' ? reply.status : reply.fault;
};

describe('enrolment at the panel', () => {
  const claim = (n: number) => ({
    enrollment_id: `enrolment-${n}`,
    secret_sha256: sha256(`secret ${n}`),
    kind: 'lb',
    product_uuid: `uuid-${n}`,
  });

  test('two machines at once with one token: one gets it, and the same answer again', async () => {
    const panel = await testPanel();
    const token = await mintToken(panel.records, 'lb', null);
    const both = await Promise.all([1, 2].map((n) => post(panel, '/v1/enroll', token, claim(n))));
    expect(both.sort()).toEqual([200, 409]);
    const again = await Promise.all([1, 2].map((n) => post(panel, '/v1/enroll', token, claim(n))));
    expect(again.sort()).toEqual([200, 409]);
    expect((await panel.records.read()).devices).toHaveLength(1);
  });

  test('the same secret from another machine is a copy, and refused', async () => {
    const panel = await testPanel();
    const token = await mintToken(panel.records, 'lb', null);
    expect(await post(panel, '/v1/enroll', token, claim(1))).toBe(200);
    expect(await post(panel, '/v1/enroll', token, { ...claim(1), product_uuid: 'uuid-2' })).toBe(409);
  });

  test('the first poll spends the token; expiry, strange kinds and broken bodies are told apart', async () => {
    const panel = await testPanel();
    const client = clientOf(panel);
    await enrolled(panel, client);
    await client.ask(getConfig());
    const { tokens } = await panel.records.read();
    expect(tokens.map((t) => t.state)).toEqual(['spent']);
    const old = await mintToken(panel.records, 'lb', null, '2020-01-01T00:00:00Z');
    expect(await post(panel, '/v1/enroll', old, claim(1))).toBe(410);
    const fresh = await mintToken(panel.records, 'gw', null);
    expect(await post(panel, '/v1/enroll', fresh, claim(1))).toBe(422);
    expect(await post(panel, '/v1/enroll', fresh, {})).toBe(422);
    expect(await post(panel, '/v1/enroll', 'z9:nothing', claim(1))).toBe(401);
  });
});

describe('what the folder says', () => {
  test('secrets are closed to others, and no token is in it', async () => {
    const dir = tempDir();
    const panel = await testPanel({ dir });
    const token = await mintToken(panel.records, 'lb', null);
    for (const file of ['devices.json', 'tls/key.pem', 'tls/ca-key.pem']) expect(statSync(path.join(dir, file)).mode & 0o077).toBe(0);
    expect(readFileSync(path.join(dir, 'devices.json'), 'utf8')).not.toContain(token.slice(3));
  });

  test('an edit that is no JSON leaves the last good configuration in service, and is told once', async () => {
    const dir = tempDir();
    const lines: string[] = [];
    const panel = await testPanel({ dir, log: (line) => lines.push(line) });
    const client = clientOf(panel);
    await enrolled(panel, client);
    writeFileSync(path.join(dir, 'config/lb.json'), '{"a": 1}');
    await client.ask(getConfig());
    writeFileSync(path.join(dir, 'config/lb.json'), '{"a": ');
    for (let i = 0; i < 3; i++) {
      const reply = await client.ask(getConfig());
      expect(reply.kind === 'reply' && JSON.parse(reply.body)).toMatchObject({ version: 1, config: { a: 1 } });
    }
    expect(lines.filter((line) => line.includes('not JSON'))).toHaveLength(1);
    expect(lines.join('\n')).not.toContain(SECRET);
  });

  test('a restart keeps key, version and devices', async () => {
    const dir = tempDir();
    const first = await startPanel({ dir });
    await enrolled(first, clientOf(first));
    writeFileSync(path.join(dir, 'config/lb.json'), '{}');
    await clientOf(first).ask(getConfig());
    await first.close();
    const second = await startPanel({ dir });
    atEnd(() => second.close());
    expect(second.pin).toBe(first.pin);
    const reply = await clientOf(second).ask(getConfig());
    expect(reply.kind === 'reply' && JSON.parse(reply.body)).toMatchObject({ version: 1 });
  });

  test('the newest report is kept; a late one of the same boot is not', async () => {
    const dir = tempDir();
    const panel = await testPanel({ dir });
    await enrolled(panel, clientOf(panel));
    const report = (seq: number, boot_id: string) =>
      post(panel, '/v1/lb/status', SECRET, { seq, boot_id, state: 'idle', applied_version: seq });
    for (const [seq, boot] of [
      [5, 'a'],
      [4, 'a'],
      [1, 'b'],
    ] as const)
      expect(await report(seq, boot)).toBe(204);
    const id = (await panel.records.read()).devices[0]?.device_id ?? '';
    expect(JSON.parse(readFileSync(path.join(dir, `status/${id}.json`), 'utf8'))).toMatchObject({ seq: 1, boot_id: 'b' });
    expect(await report(0, 'b')).toBe(204);
    expect(JSON.parse(readFileSync(path.join(dir, `status/${id}.json`), 'utf8'))).toMatchObject({ seq: 1 });
    expect(await post(panel, '/v1/lb/status', SECRET, [])).toBe(422);
  });
});

describe('releases', () => {
  async function withFile() {
    const dir = tempDir();
    const panel = await testPanel({ dir });
    mkdirSync(path.join(dir, 'releases/files'), { recursive: true });
    writeFileSync(path.join(dir, 'releases/files/agent'), '0123456789');
    writeFileSync(path.join(dir, 'releases/stable.json'), '{"version": "2"}');
    const get = async (file: string, headers: Record<string, string> = {}) => {
      const reply = await clientOf(panel).ask({ method: 'GET', path: file, bearer: null, headers });
      if (reply.kind !== 'reply') throw new Error(reply.message);
      return { status: reply.status, body: reply.body, range: reply.headers['content-range'], etag: reply.headers['etag'] ?? '' };
    };
    return { panel, get };
  }

  test('a manifest, and a file in parts', async () => {
    const { get } = await withFile();
    expect(await get('/v1/releases/stable')).toMatchObject({ status: 200, body: '{"version": "2"}' });
    const whole = await get('/v1/releases/files/agent');
    expect(whole).toMatchObject({ status: 200, body: '0123456789' });
    expect(await get('/v1/releases/files/agent', { range: 'bytes=4-' })).toMatchObject({
      status: 206,
      body: '456789',
      range: 'bytes 4-9/10',
    });
    expect(await get('/v1/releases/files/agent', { range: 'bytes=4-', 'if-range': whole.etag })).toMatchObject({ status: 206 });
    expect(await get('/v1/releases/files/agent', { range: 'bytes=4-', 'if-range': '"other"' })).toMatchObject({ status: 200 });
    expect(await get('/v1/releases/files/agent', { range: 'bytes=10-' })).toMatchObject({ status: 416, range: 'bytes */10' });
  });

  test.each(['/v1/releases/none', '/v1/releases/files/none', '/v1/releases/files/..%2f..%2fdevices.json', '/v1/releases/files/'])(
    '%s is not there',
    async (file) => {
      const { get } = await withFile();
      expect(await get(file)).toMatchObject({ status: 404 });
    },
  );
});

describe('faults on order', () => {
  test('after, times, the star, and by request', async () => {
    const panel = await testPanel();
    const client = clientOf(panel);
    await enrolled(panel, client);
    const ask = async () => {
      const reply = await client.ask(getConfig());
      return reply.kind === 'reply' ? reply.status : reply.fault;
    };
    await panel.faults({ config: { do: 'status', status: 503, after: 1, times: 2 } });
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([204, 503, 503, 204]);
    const ordered = await client.ask({ method: 'POST', path: '/_faults', bearer: null, body: { '*': { do: 'status', status: 418 } } });
    expect(ordered).toMatchObject({ status: 204 });
    expect(await ask()).toBe(418);
    expect(await client.ask({ method: 'POST', path: '/_faults', bearer: null, body: [] })).toMatchObject({ status: 400 });
    expect(await ask()).toBe(418);
    await client.ask({ method: 'POST', path: '/_faults', bearer: null, body: {} });
    expect(await ask()).toBe(204);
  });
});
