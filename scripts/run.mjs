#!/usr/bin/env node
/**
 * run.mjs start [ARG...]: the wizard rehearsing on a recorded machine. run.mjs console [ARG...]: a supervisor of this machine, and
 * the console on it. run.mjs test [ARG...]: unit, golden and terminal tests.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const [what, ...args] = process.argv.slice(2);
const COMMANDS = {
  start: [path.join(repo, 'dist/spatium-install'), ['--rehearse', ...args]],
  test: [
    path.join(repo, 'node_modules/.bin/vitest'),
    ['run', '--project', 'unit', '--project', 'golden', '--project', 'terminal', ...args],
  ],
};

/** Both end together. The supervisor takes no actions there: without --control it has no control socket. */
function consoleHere() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'spatium-'));
  const socket = path.join(dir, 'status.sock');
  const supervisor = spawn(path.join(repo, 'dist/spatium'), ['supervise', '--socket', socket], { stdio: 'ignore' });
  const result = spawnSync(path.join(repo, 'dist/spatium-console'), ['--socket', socket, ...args], { stdio: 'inherit' });
  supervisor.kill('SIGTERM');
  fs.rmSync(dir, { recursive: true, force: true });
  return result.status ?? 1;
}

if (what === 'console') process.exit(consoleHere());
const command = COMMANDS[what];
if (!command) {
  process.stderr.write('usage: run.mjs start|console|test [ARG...]\n');
  process.exit(2);
}
const result = spawnSync(command[0], command[1], { cwd: repo, stdio: 'inherit' });
process.exit(result.status ?? 1);
