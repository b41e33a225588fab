/**
 * What every supervisor must do, over its socket alone. Ours by default; another one with
 * SPATIUM_STATUS_SOCKET=/path/to/status.sock npx vitest run --project terminal test/terminal/status
 */
import fs from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusSchema } from '#model/status-schema.ts';
import { openStream, request, startSupervisor, type TestSupervisor, waitFor } from '../../support/supervisor-process.ts';

const ajv = new Ajv2020({ allErrors: true, strict: false });
ajv.addSchema(statusSchema(), 'status');
const errorsOf = (name: string, value: unknown): string[] => {
  const validate = ajv.getSchema(name === '' ? 'status' : `status#/$defs/${name}`);
  if (!validate) throw new Error(`no schema ${name}`);
  return validate(value) ? [] : (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message}`);
};

const given = process.env['SPATIUM_STATUS_SOCKET'];
let supervisor: Pick<TestSupervisor, 'socket' | 'control' | 'stop'>;
beforeAll(async () => {
  supervisor = given ? { socket: given, control: '', stop: async () => undefined } : await startSupervisor();
});
afterAll(() => supervisor?.stop());

describe('GET /v1/status', () => {
  it('is one snapshot that fits the published schema', async () => {
    const r = await request(supervisor.socket, '/v1/status');
    expect(r.status).toBe(200);
    expect(r.headers['content-type']).toContain('application/json');
    expect(errorsOf('', JSON.parse(r.body))).toEqual([]);
  });

  it('has sections that are consistent with their state', async () => {
    const { sections } = JSON.parse((await request(supervisor.socket, '/v1/status')).body);
    for (const [name, s] of Object.entries<Record<string, unknown>>(sections)) {
      if (s['state'] === 'ok') expect([name, s['data'] !== null, s['observed_at'] !== null, s['error']]).toEqual([name, true, true, null]);
      if (s['state'] === 'unavailable') expect([name, s['error'] !== null]).toEqual([name, true]);
      if (s['state'] === 'unknown') expect([name, s['data']]).toEqual([name, null]);
    }
  });

  it('answers 304 to its own ETag, and a new body once something was observed', async () => {
    const first = await request(supervisor.socket, '/v1/status');
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^(W\/)?".+"$/);
    const same = await request(supervisor.socket, '/v1/status', { headers: { 'if-none-match': etag } });
    if (same.status === 304) expect(same.body).toBe('');
    else expect(same.headers.etag).not.toBe(etag);
    await waitFor(
      async () => (await request(supervisor.socket, '/v1/status', { headers: { 'if-none-match': etag } })).status === 200,
      'a new ETag',
    );
  });
});

describe('GET /v1/stream', () => {
  it('starts with a snapshot, goes on without gaps, and every frame fits the schema', async () => {
    const s = openStream(supervisor.socket, '/v1/stream');
    await waitFor(() => s.frames.length >= 4, 'four frames', 20_000);
    s.close();
    expect(s.frames[0]?.['t']).toBe('snapshot');
    let seq = Number(s.frames[0]?.['seq']);
    for (const f of s.frames.slice(1)) {
      if (f['t'] === 'patch') seq += 1;
      expect(f['seq']).toBe(seq);
    }
    expect(s.frames.flatMap((f) => errorsOf('frame', f))).toEqual([]);
  });

  it('is never silent for long', async () => {
    const s = openStream(supervisor.socket, '/v1/stream?min_interval_ms=60000');
    await waitFor(() => s.frames.some((f) => f['t'] === 'ping'), 'a ping', 7_000);
    s.close();
  });
});

describe('GET /v1/log', () => {
  it('gives lines that fit the schema, and ends without follow', async () => {
    const r = await request(supervisor.socket, '/v1/log');
    expect(r.status).toBe(200);
    const lines = r.body.split('\n').filter((l) => l !== '');
    expect(lines.flatMap((l) => errorsOf('log_line', JSON.parse(l)))).toEqual([]);
    const ids = lines.map((l) => JSON.parse(l).id);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
  });
});

describe('refusals', () => {
  it.each([
    ['GET', '/nothing', 404],
    ['POST', '/v1/status', 405],
    ['DELETE', '/v1/stream', 405],
  ])('%s %s is %i with a reason in JSON', async (method, url, status) => {
    const r = await request(supervisor.socket, url, { method });
    expect(r.status).toBe(status);
    expect(JSON.parse(r.body).error.msg).toBeTruthy();
  });

  it('survives clients that speak nonsense', async () => {
    const net = await import('node:net');
    await new Promise<void>((resolve) => {
      const c = net.connect(supervisor.socket, () => c.write(`\x00\xff${'x'.repeat(100_000)}\r\n\r\n`));
      c.on('close', () => resolve());
      c.on('error', () => undefined);
      c.resume();
    });
    expect((await request(supervisor.socket, '/v1/status')).status).toBe(200);
  });

  it('is not open to everybody', () => {
    expect(fs.statSync(supervisor.socket).mode & 0o007).toBe(0);
  });
});
