/** The console as an operator meets it: keys in, a screen out. */
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { atEnd } from '../../support/at-end.ts';
import { disk, section, sectionsOf } from '../../support/status-fixtures.ts';
import { tempDir } from '../../support/temp.ts';
import { waitFor } from '../../support/wait-for.ts';
import { statusStand } from '../support/console.ts';
import { openConsole, openStand } from '../support/open.ts';
import { KEYS } from '../support/pty.ts';

/** Time of 11 500 bytes on a 115200 baud line. */
const FIRST_PAINT_BYTES = 11_500;
const STEADY_BYTES_PER_S = 200;
/**
 * A console that waited for its socket would answer a key after 15 s. How fast it answers on a quiet machine is measured by
 * `npm run bench -- console`.
 */
const KEY_MS = 5000;

describe('first look', () => {
  it('shows host, verdict, address, slot and keys within the byte budget', async () => {
    const { socket } = await openStand();
    const pty = openConsole({ socket });
    await pty.waitFor('HEALTHY');
    const text = pty.text();
    for (const word of ['ddi-prod-01', '192.168.10.21/24', 'Slot A (kept)', 'F10 Menu', 'Pods 11/11 ready']) expect(text).toContain(word);
    expect(pty.bytesReceived).toBeLessThan(FIRST_PAINT_BYTES);
    expect(pty.grid()[23]).toContain('F10 Menu');
  });

  it('costs less than 200 bytes a second when nothing happens', async () => {
    const { socket } = await openStand();
    const pty = openConsole({ socket });
    await pty.waitFor('HEALTHY');
    await sleep(1500);
    const before = pty.bytesReceived;
    await sleep(5000);
    expect((pty.bytesReceived - before) / 5).toBeLessThan(STEADY_BYTES_PER_S);
    expect(pty.bytesReceived).toBeGreaterThan(before);
  });

  it('a new alarm is seen by itself, with its reason', async () => {
    const { socket, set } = await openStand();
    const pty = openConsole({ socket });
    await pty.waitFor('HEALTHY');
    set('disks', { mounts: [disk('/', 40), disk('/var', 96)] });
    await pty.waitFor(/CRITICAL[\s\S]*disk \/var 96% full/);
  });
});

describe('wrong calls', () => {
  it.each([['--bogus'], ['word'], ['--tty=a b']])('%s ends it with 2 and the usage', async (word) => {
    const pty = openConsole({ socket: path.join(tempDir(), 'none.sock'), args: [word] });
    expect(await pty.exit).toBe(2);
    expect(pty.output).toMatch(/^usage: spatium-console/m);
  });
});

describe('terminals', () => {
  it('vt220 gets ASCII and no colours', async () => {
    const { socket } = await openStand();
    const pty = openConsole({ socket, term: 'vt220' });
    await pty.waitFor('HEALTHY');
    expect(pty.output).not.toMatch(/[\x80-\xff]/);
    expect(pty.output).not.toMatch(/\x1b\[[0-9;]*\b(3[0-7]|9[0-7])\b[0-9;]*m/);
    expect(pty.text()).toContain('- * HEALTHY -');
  });
  it('--mono and NO_COLOR drop colours, and the level is still a word and a sign', async () => {
    const { socket } = await openStand();
    const pty = openConsole({ socket, args: ['--mono'] });
    await pty.waitFor('HEALTHY');
    expect(pty.output).not.toMatch(/\x1b\[[0-9;]*\b(3[0-7]|9[0-7])\b[0-9;]*m/);
  });
  it('a line that reports no size is asked for it', async () => {
    const { socket } = await openStand();
    const pty = openConsole({ socket, columns: 0, rows: 0, emulated: { columns: 100, rows: 30 } });
    await pty.waitFor('HEALTHY');
    expect(pty.grid()[29]).toContain('F10');
    expect(pty.grid()[0]?.trimEnd().length).toBeGreaterThan(90);
  });
  it('follows a new size', async () => {
    const { socket } = await openStand();
    const pty = openConsole({ socket, columns: 120, rows: 40 });
    await pty.waitFor('HEALTHY');
    pty.resize(80, 24);
    await pty.waitFor(/^.*SpatiumDDI(?:.*\n){23}.*F10/);
    expect(pty.text().match(/SpatiumDDI/g)?.length).toBe(1);
  });
  it('Ctrl-L draws over what others wrote', async () => {
    const { socket } = await openStand();
    const pty = openConsole({ socket });
    await pty.waitFor('HEALTHY');
    const before = pty.bytesReceived;
    pty.send(KEYS.ctrlL);
    await waitFor(() => pty.bytesReceived > before + 800, 'a whole screen');
  });
});

describe('a supervisor that is gone, hung or wrong', () => {
  it('says not available, since when and why, shows local facts, and comes back', async () => {
    const { socket, close } = await openStand();
    const pty = openConsole({ socket });
    await pty.waitFor('HEALTHY');
    await close();
    await pty.waitFor(/supervisor not available \(since \d\d:\d\d:\d\d\) - local data only/);
    // The machine under test may have troubles of its own; healthy it cannot be.
    await pty.waitFor(/(UNKNOWN|DEGRADED|CRITICAL) ─/);
    await pty.waitFor(/CPU +\d+%/);
    const again = await statusStand(socket);
    atEnd(() => again.close());
    await pty.waitFor('HEALTHY');
    expect(pty.text()).not.toContain('not available');
  });
  it('starts without one, and answers a key', async () => {
    const pty = openConsole({ socket: path.join(tempDir(), 'none.sock') });
    await pty.waitFor('supervisor not available');
    expect((await pty.press('\x1b[21~', KEY_MS)).firstByteMs).toBeLessThan(KEY_MS);
    await pty.waitFor(/Health: every reason[\s\S]*needs the supervisor/);
  });
  it('marks what has gone stale, and is no longer healthy', async () => {
    const { socket, pause } = await openStand();
    const pty = openConsole({ socket });
    await pty.waitFor('HEALTHY');
    pause();
    await pty.waitFor(/UNKNOWN[\s\S]*not known: [\s\S]*identity/);
    await pty.waitFor(/\d+s old\)/);
    await pty.waitFor('?  last reading');
    expect((await pty.press('\x1b[21~', KEY_MS)).firstByteMs).toBeLessThan(KEY_MS);
  });
  it('lives with garbage on the socket', async () => {
    const socket = path.join(tempDir(), 'status.sock');
    const server = net.createServer((c) => {
      c.on('error', () => undefined);
      c.once('data', () =>
        c.end(`HTTP/1.1 200 OK\r\n\r\n{"t":"snapshot","seq":1,"schema":1,"sections":{"vitals":7},"now":"\x1b[2J"}\n{{{{\n`),
      );
    });
    await new Promise<void>((r) => server.listen(socket, () => r()));
    atEnd(() => server.close());
    const pty = openConsole({ socket });
    await pty.waitFor('supervisor not available');
    expect((await pty.press('\x1b[21~', KEY_MS)).firstByteMs).toBeLessThan(KEY_MS);
  });
  it('does not repeat the HEALTHY of a server whose sections say nothing', async () => {
    const socket = path.join(tempDir(), 'status.sock');
    const verdict = { level: 'HEALTHY', reasons: [], unknown_sections: [], computed_at: new Date().toISOString() };
    const disks = { ...section({ mounts: [disk('/', 40)] }), age_ms: 9e12 };
    const sections = { ...sectionsOf({ supervisor: { loop_last_at: verdict.computed_at } }, { vitals: { data: null } }), disks };
    const frame = { t: 'snapshot', seq: 1, schema: 1, server: 'x', instance: 'i', now: verdict.computed_at, sections, verdict };
    const server = http.createServer((req, res) => {
      res.writeHead(200).flushHeaders();
      if (req.url?.startsWith('/v1/stream')) res.write(`${JSON.stringify(frame)}\n`);
    });
    await new Promise<void>((r) => server.listen(socket, () => r()));
    atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    const pty = openConsole({ socket });
    await pty.waitFor('ddi-prod-01');
    await pty.waitFor(/UNKNOWN[\s\S]*disks: readings too old to trust[\s\S]*CPU and memory: not known yet/);
    expect(pty.history()).not.toMatch(/HEALTHY|not available/);
  });
  it('stays quick under a flood of log lines', async () => {
    const { socket, log } = await openStand();
    const pty = openConsole({ socket });
    await pty.waitFor('HEALTHY');
    let n = 0;
    const flood = setInterval(() => {
      for (let i = 0; i < 2000; i += 1)
        log.add({ at: new Date().toISOString(), src: 'journal', unit: 'noise', sev: 'info', text: `line ${n + i} \x1b[2J` });
      n += 2000;
    }, 10);
    atEnd(() => clearInterval(flood));
    await sleep(3000);
    const before = pty.bytesReceived;
    await sleep(2000);
    const perSecond = (pty.bytesReceived - before) / 2;
    clearInterval(flood);
    expect(n).toBeGreaterThan(50_000);
    expect(perSecond).toBeLessThan(4000);
    expect((await pty.press('\x1b[21~', KEY_MS)).firstByteMs).toBeLessThan(KEY_MS);
  });
});

describe('a box without k3s', () => {
  it('is healthy and says that k3s is not installed', async () => {
    const { socket } = await openStand(['k3s', 'pods', 'nodes', 'etcd']);
    const pty = openConsole({ socket });
    await pty.waitFor('HEALTHY');
    expect(pty.text()).toContain('k3s not installed');
    expect(pty.text()).not.toContain('Pods');
  });
});
