/** The tour of the README with the built program: a panel, an appliance in a folder, a change that is applied and one that is refused. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, getOnce, upstream } from '../../support/haproxy.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';

const bin = path.resolve(import.meta.dirname, '../../../dist/spatium');
const dir = tempDir();
const lab = path.join(dir, 'panel/lab');
const socket = path.join(lab, 'status.sock');
const children: ChildProcess[] = [];
let server: Awaited<ReturnType<typeof upstream>>;
let said = '';

const start = (...args: string[]): void => {
  const child = spawn(bin, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text));
  children.push(child);
};
const status = (): string => spawnSync(bin, ['status', '--socket', socket], { encoding: 'utf8' }).stdout;
const assign = (port: number, to: number): void =>
  fs.writeFileSync(
    path.join(dir, 'panel/config/lb.json'),
    JSON.stringify({
      listeners: [{ name: 'web', address: '127.0.0.1', port, default_backend: 'app' }],
      backends: [{ name: 'app', servers: [{ name: 'one', address: '127.0.0.1', port: to }] }],
    }),
  );

beforeAll(async () => {
  execFileSync('haproxy', ['-v']);
  server = await upstream('hello');
  start('panel', '--dir', path.join(dir, 'panel'), '--port', '0');
  await waitFor(() => fs.existsSync(path.join(lab, 'sys/class/dmi/id/product_serial')), 'the lab');
});
afterAll(async () => {
  for (const child of children) child.kill('SIGTERM');
  await Promise.all(children.map((child) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))));
  server.close();
  fs.rmSync(dir, { recursive: true });
});

it('says where a lab comes from when none comes', () => {
  const none = path.join(dir, 'none');
  const { status: code, stderr } = spawnSync(bin, ['supervise', '--lab', none], { encoding: 'utf8' });
  expect(code).toBe(1);
  expect(stderr).toContain(`${none}: there is no such folder; "spatium panel --dir DIR" makes`);
}, 30_000);

it('enrols, applies a change while it serves, and says what it refuses', async () => {
  const port = await freePort();
  assign(port, server.port);
  start('supervise', '--lab', lab);
  await waitFor(() => /panel .* runs configuration \d+$/m.test(status()), 'applied', 60_000);
  expect((await getOnce(port)).body).toBe('hello');
  assign(port, 99_999);
  await waitFor(() => status().includes('failed in schema'), 'refused', 30_000);
  expect(status()).toContain('wanted a whole number from 1 to 65535');
  expect((await getOnce(port)).body).toBe('hello');
  const token = fs.readFileSync(path.join(lab, 'sys/class/dmi/id/product_serial'), 'utf8').trim();
  expect(token).toMatch(/^z9:/);
  expect(said).toContain('refused');
  expect(said).not.toContain(token);
}, 120_000);

it('takes its HAProxy along when it ends, and serves again from the disk without a panel', async () => {
  const pids = (): string[] =>
    spawnSync('pgrep', ['-f', `${lab}.*haproxy.cfg`], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter(Boolean);
  expect(pids().length).toBeGreaterThan(0);
  for (const child of children.splice(0).reverse()) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }
  await waitFor(() => pids().length === 0, 'its end');
  start('supervise', '--lab', lab);
  const port = Number(
    /bind 127\.0\.0\.1:(\d+)/.exec(fs.readFileSync(path.join(lab, 'var/lib/spatiumddi/config/current/haproxy.cfg'), 'utf8'))?.[1],
  );
  await waitFor(async () => (await getOnce(port).catch(() => null))?.body === 'hello', 'served again', 20_000);
}, 60_000);

it('has one HAProxy, not two, after it was killed', async () => {
  const masters = (): string[] =>
    spawnSync('pgrep', ['-f', `^haproxy -W -f ${lab}`], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter(Boolean);
  const [supervisor] = children.splice(0);
  const before = fs.readFileSync(path.join(lab, 'haproxy.pid'), 'utf8');
  const gone = new Promise((resolve) => supervisor?.once('exit', resolve));
  supervisor?.kill('SIGKILL');
  await gone;
  const port = Number(
    /bind 127\.0\.0\.1:(\d+)/.exec(fs.readFileSync(path.join(lab, 'var/lib/spatiumddi/config/current/haproxy.cfg'), 'utf8'))?.[1],
  );
  expect((await getOnce(port)).body).toBe('hello');
  start('supervise', '--lab', lab);
  await waitFor(() => fs.readFileSync(path.join(lab, 'haproxy.pid'), 'utf8') !== before, 'another one', 20_000);
  await waitFor(async () => (await getOnce(port).catch(() => null))?.body === 'hello', 'served again', 20_000);
  expect(masters().filter((pid) => pid === before.split(' ')[0])).toEqual([]);
}, 60_000);
