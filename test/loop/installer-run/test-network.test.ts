/** The network test with a real cable: a pair of virtual ports, the other end in a namespace with a gateway, a DNS server and a control plane. */
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testNetwork } from '#installer/run/test-network.ts';
import type { CheckLine } from '#installer/wizard/types.ts';
import type { Answers } from '#model/answers.ts';
import type { Machine } from '#model/machine.ts';
import { NODE, REPO } from '../../support/program.ts';
import { SERVER } from '../../unit/wizard/support.ts';

const PEER = 'spatium-peer';
const ip = (...args: string[]): string => execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
const quietly = (...args: string[]): void => {
  try {
    ip(...args);
  } catch {
    // There was none.
  }
};

/** Answers each DNS question with one address, and each HTTP request as a control plane does. */
const HOST = `
const dgram = require('node:dgram').createSocket('udp4');
dgram.on('message', (question, from) => {
  const end = question.indexOf(0, 12) + 5;
  const isA = question.readUInt16BE(end - 4) === 1;
  const head = Buffer.from(question.subarray(0, end));
  head.writeUInt16BE(0x8180, 2); head.writeUInt16BE(isA ? 1 : 0, 6); head.writeUInt16BE(0, 8); head.writeUInt16BE(0, 10);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
  dgram.send(isA ? Buffer.concat([head, record]) : head, from.port, from.address);
});
dgram.bind(53, '192.0.2.1', () =>
  require('node:http').createServer((_q, r) => r.end('{"version":"2026.11.1"}')).listen(8080, '192.0.2.1', () => console.log('ready')));
`;

let host: ReturnType<typeof spawn>;
beforeAll(async () => {
  quietly('netns', 'del', PEER);
  quietly('link', 'del', 'spt0');
  ip('netns', 'add', PEER);
  ip('link', 'add', 'spt0', 'type', 'veth', 'peer', 'name', 'spt1');
  ip('link', 'set', 'spt1', 'netns', PEER);
  ip('link', 'set', 'spt0', 'up');
  ip('-n', PEER, 'address', 'add', '192.0.2.1/24', 'dev', 'spt1');
  ip('-n', PEER, 'link', 'set', 'spt1', 'up');
  host = spawn('ip', ['netns', 'exec', PEER, NODE, '-e', HOST], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => host.stdout?.once('data', resolve));
});
afterAll(() => {
  host.kill();
  quietly('link', 'del', 'spt0');
  quietly('netns', 'del', PEER);
});

const [first] = SERVER.interfaces ?? [];
const MACHINE: Machine = { ...SERVER, interfaces: [{ ...first!, name: 'spt0', linkUp: true, addresses: [], gateway4: null }] };
const network = { mode: 'static', interface: 'spt0', ip: '192.0.2.9', prefix: '24', gateway: '192.0.2.1', dns: ['192.0.2.1'] };

async function test(answers: Answers): Promise<string[]> {
  let last: readonly CheckLine[] = [];
  const before = ip('-4', 'address');
  await testNetwork(
    answers,
    MACHINE,
    (lines) => {
      last = lines;
    },
    { self: [NODE, path.join(REPO, 'src/main.ts')] },
  );
  expect(ip('-4', 'address')).toBe(before);
  expect(ip('netns', 'list')).not.toContain('spatium-try');
  return last.map((line) => `${line.state} ${line.name}: ${line.detail}`);
}

it('tries a fixed address as far as the control plane, and leaves nothing behind', async () => {
  expect(await test({ network, control_plane_url: 'http://cp.example.net:8080' })).toEqual([
    'ok Link: spt0 up',
    'ok Address: 192.0.2.9/24 set beside spt0, for this test only',
    'ok Gateway: 192.0.2.1 answers',
    'ok Name: cp.example.net is 192.0.2.1',
    'ok Control plane: version 2026.11.1',
  ]);
});

it('asks the DNS servers about a time server when there is no control plane to ask for', async () => {
  expect((await test({ network })).at(-1)).toBe('ok Names: pool.ntp.org is 192.0.2.1 (from 192.0.2.1)');
});

it('names what does not work', async () => {
  const wrong = { ...network, gateway: '192.0.2.77', dns: ['192.0.2.78'] };
  expect((await test({ network: wrong })).slice(2)).toEqual([
    'failed Gateway: nobody on this cable has 192.0.2.77',
    'failed Names: 192.0.2.78: no answer about pool.ntp.org',
  ]);
});
