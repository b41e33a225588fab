/** A command that a killed engine left in its chroot is ended before the next run starts; others are let be. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { endLeftovers } from '#installer/engine/leftovers.ts';

it('ends what runs below the target and nothing else', async () => {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'left-'));
  const beside = `${root}-beside`;
  fs.mkdirSync(beside);
  // perl enters the directory as its root and stays there, as a tool in the target does.
  const inside = (dir: string) =>
    spawn('perl', ['-e', 'chroot($ARGV[0]) or die; $| = 1; print "in"; sleep 600', dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [mine, other] = [inside(root), inside(beside)];
  try {
    await Promise.all([mine, other].map((child) => new Promise((resolve) => child.stdout.once('data', resolve))));
    const ended = new Promise<string | null>((resolve) => mine.once('exit', (_, signal) => resolve(signal)));
    await endLeftovers(root);
    expect(await ended).toBe('SIGKILL');
    expect(other.exitCode ?? other.signalCode).toBeNull();
  } finally {
    mine.kill('SIGKILL');
    other.kill('SIGKILL');
    fs.rmSync(root, { recursive: true });
    fs.rmSync(beside, { recursive: true });
  }
});
