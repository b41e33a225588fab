#!/usr/bin/env node
/**
 * Sets up everything a clone needs: packages by the lock file, then dist/spatium when a source is newer than it.
 * Runs on any Node from 18 (npm calls it before `npm start` and `npm test`); the project's own Node comes with the packages.
 * `--no-build` leaves the executable out.
 */
import { spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const stamp = path.join(repo, 'node_modules/.spatium-lock');
const buildStamp = path.join(repo, 'dist/.sources');
const SOURCES = [
  'src',
  'preseed',
  'installer',
  'console',
  'schemas',
  'test/panel',
  'scripts/build',
  'scripts/build.mjs',
  'package-lock.json',
];

function fail(message) {
  process.stderr.write(`setup: ${message}\n`);
  process.exit(1);
}

function call(command, args, what) {
  const result = spawnSync(command, args, { cwd: repo, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.error) fail(`could not start ${command} (${result.error.message}); is it installed?`);
  if (result.status !== 0) fail(`${what} failed (${command} ended with ${result.status ?? result.signal})`);
}

function files(entry) {
  const full = path.join(repo, entry);
  if (!fs.existsSync(full)) return [];
  if (fs.statSync(full).isFile()) return [full];
  return fs
    .readdirSync(full)
    .sort()
    .flatMap((name) => files(path.join(entry, name)));
}

function hashOf(list) {
  const hash = crypto.createHash('sha256');
  for (const file of list) hash.update(path.relative(repo, file)).update('\0').update(fs.readFileSync(file)).update('\0');
  return hash.digest('hex');
}

const stored = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '');

if (Number(process.versions.node.split('.')[0]) < 18) fail(`Node ${process.versions.node} is too old to set up; 18 or newer is needed`);
if (process.platform !== 'linux' || process.arch !== 'x64')
  fail(`the executable is built on Linux x86-64; this is ${process.platform} ${process.arch}`);

const lock = hashOf([path.join(repo, 'package-lock.json')]);
if (stored(stamp) !== lock) {
  process.stdout.write('setup: installing packages (once)\n');
  call('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], 'installing packages');
  fs.writeFileSync(stamp, lock);
}

if (!process.argv.includes('--no-build')) {
  const sources = hashOf(SOURCES.flatMap(files));
  if (stored(buildStamp) !== sources || !fs.existsSync(path.join(repo, 'dist/spatium'))) {
    process.stdout.write('setup: building dist/spatium\n');
    call(path.join(repo, 'node_modules/.bin/node'), [path.join(repo, 'scripts/build.mjs')], 'the build');
    fs.writeFileSync(buildStamp, sources);
  }
}
