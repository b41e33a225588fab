#!/usr/bin/env node
/** run.mjs start [ARG...]: the wizard rehearsing on a recorded machine. run.mjs test [ARG...]: unit, golden and terminal tests. */
import { spawnSync } from 'node:child_process';
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
const command = COMMANDS[what];
if (!command) {
  process.stderr.write('usage: run.mjs start|test [ARG...]\n');
  process.exit(2);
}
const result = spawnSync(command[0], command[1], { cwd: repo, stdio: 'inherit' });
process.exit(result.status ?? 1);
