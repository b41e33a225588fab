import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { faultIn, LB_CONFIG } from '#supervisor/kinds/lb/config.ts';
import { lbKind } from '#supervisor/kinds/lb/index.ts';
import { renderLb } from '#supervisor/kinds/lb/render.ts';
import { markIn, openFrontends } from '#supervisor/kinds/lb/stats.ts';
import { parseShow } from '#supervisor/kinds/service.ts';

const repo = path.resolve(import.meta.dirname, '../../..');
const web = { name: 'web', port: 80, default_backend: 'app' };
const app = { name: 'app', servers: [{ name: 's1', address: '10.0.0.1', port: 8080 }] };
const base = { listeners: [web], backends: [app] };

const prepare = (config: unknown) => lbKind().prepare(config);
const text = (config: unknown): string => {
  const read = LB_CONFIG.read(config, '');
  if (!read.ok) throw new Error(`${read.path}: ${read.wanted}`);
  return renderLb(read.value, 'abcd1234')[0]?.text ?? '';
};

const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

/** A value, and what is said about it; null: it is taken. */
const CASES: readonly (readonly [string, unknown, string | null])[] = [
  ['nothing at all', {}, null],
  ['the usual', base, null],
  ['no object', [], 'config: wanted an object'],
  ['a key of a newer panel', { ...base, waf: {} }, 'waf: wanted a key that this agent knows'],
  ['an unknown key below', { backends: [{ ...app, weight: 1 }] }, 'backends[0].weight: wanted a key'],
  ['null', { ...base, timeouts: null }, 'timeouts: wanted an object'],
  ['port 0', { listeners: [{ ...web, port: 0 }] }, 'listeners[0].port: wanted a whole number from 1 to 65535'],
  ['a port as text', { listeners: [{ ...web, port: '80' }] }, 'listeners[0].port'],
  ['a name that is a directive', { listeners: [{ ...web, name: 'x\n bind *:1' }] }, 'listeners[0].name'],
  ['a name with a trailing line end', { listeners: [{ ...web, name: 'x\n' }] }, 'listeners[0].name'],
  ['a path with a blank', { listeners: [{ ...web, routes: [{ path_prefix: '/a b', backend: 'app' }] }] }, 'routes[0].path_prefix'],
  ['a path with a line end', { listeners: [{ ...web, routes: [{ path_prefix: '/a\n', backend: 'app' }] }] }, 'routes[0].path_prefix'],
  [
    'an address that is none',
    { backends: [{ ...app, servers: [{ name: 's', address: '1.2.3', port: 1 }] }] },
    'servers[0].address: wanted an IPv4',
  ],
  ['a certificate without an end', { certificates: [{ name: 'c', pem: '-----BEGIN CERTIFICATE-----' }] }, 'certificates[0].pem'],
  ['a certificate with a control character', { certificates: [{ name: 'c', pem: `${PEM}\u0001` }] }, 'certificates[0].pem'],
  ['a certificate that is none', { certificates: [{ name: 'c', pem: 'x' }] }, 'certificates[0].pem'],
];

describe('what a panel may ask of a load balancer', () => {
  it.each(CASES)('%s', (_name, config, words) => {
    const prepared = prepare(config);
    if (words === null) expect(prepared.ok).toBe(true);
    else expect(!prepared.ok && prepared.message).toContain(words);
  });

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['no such backend', { listeners: [{ ...web, default_backend: 'none' }] }, 'there is no backend none'],
    ['two of a name', { backends: [app, { ...app, name: 'APP' }] }, 'backends: APP is there twice'],
    ['two on one port', { listeners: [web, { ...web, name: 'b' }] }, '* port 80 is there twice'],
    ['modes that do not fit', { listeners: [{ ...web, mode: 'tcp' }] }, 'backend app has mode http'],
    ['nowhere to go', { listeners: [{ name: 'w', port: 1 }] }, 'no default_backend and no route'],
    ['a certificate that is not there', { listeners: [{ ...web, tls: { certificates: ['c'] } }] }, 'there is no certificate c'],
    ['a redirect that never ends', { listeners: [{ ...web, redirect_to_https: true, tls: { certificates: ['c'] } }] }, 'would never end'],
    ['a route that tests nothing', { listeners: [{ ...web, routes: [{ backend: 'app' }] }] }, 'neither hosts nor path_prefix'],
  ])('%s', (_name, change, words) => {
    const read = LB_CONFIG.read({ ...base, ...change }, '');
    expect(read.ok && faultIn(read.value)).toContain(words);
  });

  it('judges a certificate of 64 KiB that is made to be slow at once', () => {
    const slow = `${'-----BEGIN x-----END '.repeat(3100)}\u0001`;
    // Processor time, not the clock: the machine may be busy.
    const before = process.cpuUsage();
    expect(prepare({ certificates: [{ name: 'c', pem: slow }] }).ok).toBe(false);
    const { user } = process.cpuUsage(before);
    expect(user / 1000).toBeLessThan(1000);
  });

  it('says the same as its published schema', () => {
    const schema = JSON.parse(fs.readFileSync(path.join(repo, 'schemas/lb-config.schema.json'), 'utf8'));
    const validate = new Ajv2020({ strict: false }).compile(schema);
    // An address that only looks like one is the one thing that the pattern does not see.
    for (const [name, config, words] of CASES) {
      if (name === 'an address that is none') continue;
      expect(validate(config), name).toBe(words === null);
    }
  });
});

describe('the file for HAProxy', () => {
  it('is the one of the image when nothing is configured', () => {
    const shipped = path.join(repo, 'mkosi/mkosi.extra/usr/lib/spatiumddi/empty/lb/haproxy.cfg');
    expect(text({}).replace('description abcd1234', 'description empty')).toBe(fs.readFileSync(shipped, 'utf8'));
  });

  it('is the same for the same configuration, and holds what was asked', () => {
    const config = {
      listeners: [
        { ...web, routes: [{ hosts: ['a.example', '*.b.example'], path_prefix: '/api', backend: 'app' }] },
        { name: 'db', port: 5432, mode: 'tcp', address: '2001:db8::1', default_backend: 'pg', accept_proxy: true },
      ],
      backends: [
        { ...app, sticky_cookie: 'SRV', check: { type: 'http', path: '/health', host: 'a.example', expect_status: 204 } },
        {
          name: 'pg',
          mode: 'tcp',
          balance: 'leastconn',
          check: {},
          servers: [{ name: 'p', address: '2001:db8::2', port: 5432, is_backup: true }],
        },
      ],
    };
    expect(text(config)).toBe(text(config));
    for (const line of [
      'bind [::]:80 v4v6',
      'acl host_0 req.hdr(host),field(1,:) -m str -i a.example',
      'acl host_0 req.hdr(host),field(1,:) -m end -i .b.example',
      'use_backend b_app if host_0 path_0',
      'bind [2001:db8::1]:5432 accept-proxy',
      'http-check send meth GET uri /health ver HTTP/1.1 hdr Host a.example',
      'http-check expect status 204',
      'server s1 10.0.0.1:8080 weight 100 maxconn 5000 check inter 2000ms rise 2 fall 3 cookie s1',
      'server p [2001:db8::2]:5432 weight 100 maxconn 5000 check inter 2000ms rise 2 fall 3 backup',
      'description abcd1234',
    ]) {
      expect(text(config)).toContain(`    ${line}\n`);
    }
  });

  it('keeps certificates in files of their own, for root only', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const prepared = prepare({ ...base, listeners: [{ ...web, tls: { certificates: ['c'] } }], certificates: [{ name: 'c', pem }] });
    const files = prepared.ok ? prepared.prepared.files('m') : [];
    expect(files.map((f) => [f.name, f.mode])).toEqual([
      ['haproxy.cfg', 0o600],
      ['lists/web.txt', 0o600],
      ['certs/c.pem', 0o600],
    ]);
    expect(files[1]?.text).toBe('certs/c.pem\n');
    expect(files[0]?.text).toContain('bind [::]:80 v4v6 ssl crt-list lists/web.txt ssl-min-ver TLSv1.2 alpn h2,http/1.1');
    expect(files[0]?.text).not.toContain('AAAA');
  });
});

describe('what HAProxy and systemd say', () => {
  it('finds generation and open frontends', () => {
    expect(markIn('Name: HAProxy\nVersion: 3.0\ndescription: abcd1234\n')).toBe('abcd1234');
    expect(markIn('Name: HAProxy\n')).toBeNull();
    const row = (name: string, kind: string, status: string): string => [name, kind, ...Array(15).fill('0'), status, ''].join(',');
    expect(openFrontends([row('l_a', 'FRONTEND', 'OPEN'), row('l_b', 'FRONTEND', 'STOP'), row('b_c', 'BACKEND', 'UP')].join('\n'))).toEqual(
      ['l_a'],
    );
  });

  it.each([
    ['ActiveState=active\nMainPID=12\nNRestarts=3\n', { isActive: true, mainPid: 12, restarts: 3 }],
    ['ActiveState=reloading\nMainPID=12\nNRestarts=0\n', { isActive: true, mainPid: 12, restarts: 0 }],
    ['ActiveState=failed\nMainPID=0\nNRestarts=5\n', { isActive: false, mainPid: null, restarts: 5 }],
    ['', { isActive: false, mainPid: null, restarts: null }],
  ])('%j', (shown, state) => expect(parseShow(shown)).toEqual(state));
});
