/** A terminal that cannot be addressed: the same facts, printed, and printed again only when they are news. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/temp.ts';
import { openConsole, openStand } from '../support/open.ts';
import type { Pty } from '../support/pty.ts';

const openPlain = (socket: string): Pty => openConsole({ socket, term: 'dumb', columns: 132, rows: 60 });

const count = (text: string, word: string): number => text.split(word).length - 1;

const isAlive = (socket: string): boolean =>
  fs.readdirSync('/proc').some((pid) => {
    try {
      return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(socket);
    } catch {
      return false;
    }
  });

describe('TERM=dumb', () => {
  it('ends when its terminal goes away', async () => {
    const socket = path.join(tempDir(), 'status.sock');
    const pty = openPlain(socket);
    await pty.waitFor('no socket');
    expect(isAlive(socket)).toBe(true);
    pty.hangUp();
    for (let i = 0; i < 50 && isAlive(socket); i += 1) await sleep(100);
    expect(isAlive(socket)).toBe(false);
  });

  it('without a supervisor: says so once, and shows what this machine tells by itself', async () => {
    const pty = openPlain(path.join(tempDir(), 'status.sock'));
    await pty.waitFor(/^host .*$/m);
    await pty.waitFor(new RegExp(`of ${os.availableParallelism()}, load `));
    await sleep(4000);
    expect(count(pty.output, 'supervisor not available (since')).toBe(1);
    expect(pty.text()).toContain('no socket');
  });

  it('with one: the level, no escape sequence, and quiet while nothing is news', async () => {
    const { socket } = await openStand();
    const pty = openPlain(socket);
    await pty.waitFor(/Z HEALTHY/);
    await sleep(2000);
    expect(pty.output).not.toContain('\x1b');
    const before = pty.bytesReceived;
    await sleep(4000);
    expect(pty.bytesReceived).toBe(before);
  });
});
