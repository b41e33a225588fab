import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { applyKeymap } from '#installer/run/keyboard.ts';
import { fetchKeys, probeControlPlane } from '#installer/run/look-outside.ts';
import { testNetwork } from '#installer/run/test-network.ts';
import type { CheckLine } from '#installer/wizard/types.ts';
import type { Runner } from '#system/run.ts';
import { SERVER } from '../../unit/wizard/support.ts';

const servers: http.Server[] = [];
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'look-outside-'));
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(() => fs.rmSync(dir, { recursive: true, force: true }));

async function listen(server: http.Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const serve = (answer: http.RequestListener): Promise<number> => listen(http.createServer(answer));

function serveTls(name: string, days: number, answer: http.RequestListener): Promise<number> {
  const key = path.join(dir, `${name}.key`);
  const cert = path.join(dir, `${name}.pem`);
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', String(days)];
  execFileSync('openssl', [...words, '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`], { stdio: 'ignore' });
  return listen(https.createServer({ key: fs.readFileSync(key), cert: fs.readFileSync(cert) }, answer));
}

const version: http.RequestListener = (request, response) => {
  if (request.url === '/api/v1/version') response.end(JSON.stringify({ version: '2026.11.1' }));
  else response.writeHead(404).end();
};

async function probe(url: string): Promise<string[]> {
  let last: readonly CheckLine[] = [];
  await probeControlPlane(url, (lines) => {
    last = lines;
  });
  return last.map((line) => `${line.state} ${line.name}: ${line.detail}`);
}

describe('probeControlPlane', () => {
  it('names the version of a control plane', async () => {
    const port = await serve(version);
    expect(await probe(`http://127.0.0.1:${port}/`)).toEqual(['ok Name: 127.0.0.1 is 127.0.0.1', 'ok Control plane: version 2026.11.1']);
  });

  it('tells another server from a control plane', async () => {
    const port = await serve((_request, response) => response.end('<html>welcome</html>'));
    expect((await probe(`http://127.0.0.1:${port}`)).at(-1)).toBe(
      'failed Control plane: something answers (200), but it is no control plane',
    );
  });

  it('reports a self-signed certificate without refusing it', async () => {
    const fits = await serveTls('localhost', 2, version);
    expect((await probe(`https://localhost:${fits}`)).slice(1)).toEqual([
      'ok Certificate: self-signed; the node learns it when it pairs',
      'ok Control plane: version 2026.11.1',
    ]);
  });

  it('names the host that a certificate was made for', async () => {
    const port = await serveTls('cp-old.example', 2, version);
    expect((await probe(`https://localhost:${port}`))[1]).toBe('failed Certificate: made for cp-old.example, not for localhost');
  });

  it('says that nothing answers, and that a name does not exist', async () => {
    const port = await serve(version);
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    expect((await probe(`http://127.0.0.1:${port}`)).at(-1)).toMatch(/^failed Control plane: .*ECONNREFUSED/);
    expect((await probe('https://no-such-host.invalid')).at(-1)).toMatch(/^failed Name: no-such-host.invalid: /);
  });

  it('sees a clock that is far off', async () => {
    const port = await serve((request, response) => {
      response.setHeader('date', new Date(Date.now() - 3600_000).toUTCString());
      version(request, response);
    });
    expect(await probe(`http://127.0.0.1:${port}`)).toContain('failed Clock: 60 minutes apart from the control plane');
  });
});

describe('fetchKeys', () => {
  it('follows a redirect and refuses what is no page of keys', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
      else if (request.url === '/b') response.end('ssh-ed25519 AAAA\n');
      else if (request.url === '/big') response.end('x'.repeat(100_000));
      else response.writeHead(404).end();
    });
    expect(await fetchKeys(`http://127.0.0.1:${port}/a`)).toBe('ssh-ed25519 AAAA\n');
    await expect(fetchKeys(`http://127.0.0.1:${port}/none`)).rejects.toThrow('the server answered 404');
    await expect(fetchKeys(`http://127.0.0.1:${port}/big`)).rejects.toThrow('over 64 KiB');
  });
});

const ended = (code: number) => ({ kind: 'exited', code, argv: [], stdout: 'keymap', stderr: '', tail: [], durationMs: 1 }) as const;

describe('testNetwork', () => {
  it('gives each layer its line', async () => {
    const seen: string[][] = [];
    const runner: Runner = async (argv) => {
      seen.push([...argv]);
      return ended(0);
    };
    let last: readonly CheckLine[] = [];
    await testNetwork(
      { network: { mode: 'dhcp' } },
      SERVER,
      (lines) => {
        last = lines;
      },
      { runner },
    );
    expect(seen).toEqual([
      ['ping', '-c', '1', '-W', '1', '192.0.2.1'],
      ['getent', 'ahosts', 'pool.ntp.org'],
    ]);
    expect(last.map((line) => `${line.state} ${line.name}`)).toEqual(['ok Link', 'ok Address', 'ok Gateway', 'ok Names']);
    await testNetwork(
      { network: { mode: 'dhcp', interface: 'eno2' } },
      SERVER,
      (lines) => {
        last = lines;
      },
      { runner },
    );
    expect(last[0]).toEqual({ name: 'Link', state: 'failed', detail: 'no link on eno2' });
  });
});

describe('applyKeymap', () => {
  it('compiles the layout under its X name and loads it', async () => {
    const seen: string[][] = [];
    const runner: Runner = async (argv, options) => {
      seen.push([...argv, ...(options?.stdin ? [`< ${String(options.stdin)}`] : [])]);
      return ended(0);
    };
    expect(await applyKeymap('uk', runner)).toBeNull();
    expect(seen).toEqual([
      ['ckbcomp', '-model', 'pc105', 'gb'],
      ['loadkeys', '-', '< keymap'],
    ]);
  });

  it('says that a layout does not exist, and nothing where the tools are missing', async () => {
    expect(await applyKeymap('xx', async () => ended(1))).toBe('There is no keyboard layout called xx.');
    expect(
      await applyKeymap('xx', async (argv) => ({
        kind: 'not_started',
        errno: 'ENOENT',
        argv,
        stdout: '',
        stderr: '',
        tail: [],
        durationMs: 0,
      })),
    ).toBeNull();
  });
});
