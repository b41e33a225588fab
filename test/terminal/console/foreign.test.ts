/** The real console at a server of another make: two paths of HTTP over a unix socket, no log, no control socket, no verdict. */
import http from 'node:http';
import path from 'node:path';
import { expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.ts';
import { ago, DATA, disk, foreignSnapshot, pod } from '../../support/foreign-status.ts';
import { tempDir } from '../../support/temp.ts';
import { openConsole } from '../support/open.ts';

const PING_MS = 4000;

/** Serves one document; the stream says it once, then that it lives. */
async function foreignServer(document: object): Promise<string> {
  const socket = path.join(tempDir(), 'status.sock');
  const timers: NodeJS.Timeout[] = [];
  const server = http.createServer((req, res) => {
    if (req.url?.startsWith('/v1/stream')) {
      res.writeHead(200, { 'content-type': 'application/x-ndjson' });
      res.write(`${JSON.stringify(document)}\n`);
      timers.push(setInterval(() => res.write('{"t":"ping","seq":1}\n'), PING_MS));
      return;
    }
    const isStatus = req.url === '/v1/status';
    res.writeHead(isStatus ? 200 : 404, { 'content-type': 'application/json' });
    res.end(isStatus ? JSON.stringify(document) : '{"error":"no such thing"}');
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  atEnd(() => {
    for (const t of timers) clearInterval(t);
    server.closeAllConnections();
    server.close();
  });
  return socket;
}

const loop = pod('web-\u6f22\u5b57-\u001b[2Je\u0301', { state: 'CrashLoopBackOff', ready: 0, restarts: 6, severity: 'critical' });
const BAD = foreignSnapshot({
  identity: { ...DATA.identity, hostname: `h${'o'.repeat(61)}t` },
  network: { ...DATA.network, web_ui_urls: [{ url: 'https://[2001:db8::10]', kind: 'vip', family: 'v6' }], vip: { v6: '2001:db8::10' } },
  disks: [disk('/', 40), disk('/var', 95)],
  power: { pending: [{ kind: 'reboot', origin: 'fleet', requested_at: ago(3), cancellable: true, id: 'p' }], reasons: [] },
  pods: { ...DATA.pods, list: [...DATA.pods.list, loop] },
});

it.each([
  ['linux', 80, 24],
  ['linux', 213, 52],
  ['vt220', 80, 30],
  ['vt220', 60, 20],
  ['xterm-256color', 300, 80],
  ['linux', 40, 10],
] as const)('%s %ix%i: the worst reason, how many more, and the keys', async (term, columns, rows) => {
  const pty = openConsole({ socket: await foreignServer(BAD), term, columns, rows });
  await pty.waitFor('CRITICAL');
  await pty.waitFor('CrashLoopBackOff');
  const grid = pty.grid();
  expect(grid).toHaveLength(rows);
  expect(grid[rows - 1]).toContain('F10 Menu');
  expect(grid.join('\n')).not.toContain('local data only');
  if (columns >= 80) for (const words of ['/var 95% full', 'reboot pending', 'https://[2001:db8::10]']) expect(pty.text()).toContain(words);
  if (term === 'vt220') expect(pty.output).not.toMatch(/[\x80-\uffff]/);
});

it('a healthy one is healthy without colours too', async () => {
  const pty = openConsole({ socket: await foreignServer(foreignSnapshot()), env: { NO_COLOR: '1' } });
  await pty.waitFor('HEALTHY');
  expect(pty.text()).toContain('Pods 11/11 ready');
});
