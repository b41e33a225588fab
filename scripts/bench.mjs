#!/usr/bin/env node
/**
 * npm run bench [-- lint|start|wizard|console|install|soak]: ratios, measured interleaved in one run on this machine. Never a timed test:
 * milliseconds differ from machine to machine, ratios to a bare `node -e 0` hardly do.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => path.join(repo, 'dist', name);
const node = path.join(repo, 'node_modules/.bin/node');
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15);
// With it set, Node reads certificates at start; that would be measured instead.
const env = { ...process.env };
delete env.NODE_EXTRA_CA_CERTS;

function once([file, ...args]) {
  const began = process.hrtime.bigint();
  const result = spawnSync(file, args, { env, stdio: ['ignore', 'ignore', 'ignore'] });
  if (result.error) throw result.error;
  return Number(process.hrtime.bigint() - began) / 1e6;
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Runs each command ROUNDS times in turn; gives the medians in ms. */
function interleaved(commands) {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) for (const [name, argv] of Object.entries(commands)) times[name].push(once(argv));
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
}

function report(title, medians, base) {
  process.stdout.write(`\n${title} (medians of ${ROUNDS}, interleaved; ratio to "${base}")\n`);
  for (const [name, ms] of Object.entries(medians)) {
    process.stdout.write(`  ${name.padEnd(34)} ${ms.toFixed(0).padStart(6)} ms  ${(ms / medians[base]).toFixed(2).padStart(6)}\n`);
  }
}

function memoryOf(argv) {
  const result = spawnSync('/usr/bin/time', ['-f', '%M', ...argv], { env, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  const kib = Number(result.stderr?.trim().split('\n').pop());
  return result.error || !Number.isFinite(kib) ? null : kib / 1024;
}

const ONE_FILE = `spatium_preseed:
  role: control-plane
  target_disk: /dev/disk/by-id/wwn-0x5000c500a1b2c3d4
  confirm_wipe: true
  hostname: bench-01
  admin_user: operator
  admin_password_hash: "$6$saltsalt$${'a'.repeat(86)}"
  timezone: Europe/Berlin
  network:
    mode: static
    interface: enp1s0
    ip: 192.0.2.10
    prefix: 24
    gateway: 192.0.2.1
    dns: [192.0.2.53]
`;

function lint() {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'bench-lint-'));
  const file = (name, text) => {
    fs.writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };
  const one = file('one.yaml', ONE_FILE);
  const long = file(
    'long.yaml',
    `${ONE_FILE}${Array.from({ length: 10_000 }, (_, i) => `  x-note-${i}: "a note of the operator"`).join('\n')}\n`,
  );
  const many = Array.from({ length: 1000 }, (_, i) => file(`many-${i}.yaml`, ONE_FILE.replace('bench-01', `bench-${i}`)));
  const commands = {
    'node -e 0': [node, '-e', '0'],
    'lint one file': [bin('spatium-install'), '--check-preseed', one],
    'lint 10 000 lines': [bin('spatium-install'), '--check-preseed', long],
    'spatium --version': [bin('spatium'), '--version'],
  };
  if (spawnSync('python3', ['-c', 'import yaml']).status === 0) {
    commands['python3, yaml.safe_load one file'] = ['python3', '-c', `import yaml; yaml.safe_load(open(${JSON.stringify(one)}))`];
  }
  report('lint', interleaved(commands), 'node -e 0');
  const thousand = once([bin('spatium-install'), '--check-preseed', ...many]);
  process.stdout.write(`  1000 files in one call: ${thousand.toFixed(0)} ms\n`);
  for (const [what, argv] of [
    ['one file', [one]],
    ['10 000 lines', [long]],
  ]) {
    const mib = memoryOf([bin('spatium-install'), '--check-preseed', ...argv]);
    if (mib !== null) process.stdout.write(`  peak memory, ${what}: ${mib.toFixed(0)} MiB\n`);
  }
  fs.rmSync(dir, { recursive: true });
}

function start() {
  const commands = {
    'node -e 0': [node, '-e', '0'],
    'spatium --version': [bin('spatium'), '--version'],
    'spatium machine disks': [bin('spatium'), 'machine', 'disks'],
  };
  report('start', interleaved(commands), 'node -e 0');
}

function inFile(name, ...flags) {
  const result = spawnSync(node, [...flags, path.join(repo, 'test/bench', name)], { stdio: 'inherit' });
  if (result.status !== 0) process.exitCode = 1;
}

/** Key latency and idle traffic through a pseudo terminal; takes a minute, so it runs only when asked for by name. */
const consoleKeys = () => inFile('console.ts');
const wizardKeys = () => inFile('wizard.ts');

/** Needs root and writes gigabytes, so it runs only when asked for by name. */
const install = () => inFile('install.ts');

/** A day of a box in seconds, through store, socket and client: frames, lines, and the heap at every eighth. */
function soak() {
  const result = spawnSync(node, ['--expose-gc', path.join(repo, 'test/bench/soak.ts')], { stdio: 'inherit' });
  if (result.status !== 0) process.exitCode = 1;
}

/** What polling costs: one appliance, a thousand, a day. Takes a minute and a half. */
const poll = () => inFile('poll.ts', '--expose-gc');

const BENCHES = { lint, start, wizard: wizardKeys, console: consoleKeys, install, soak, poll };
const asked = process.argv.slice(2);
for (const name of asked.length ? asked : ['lint', 'start']) {
  const bench = BENCHES[name];
  if (!bench) {
    process.stderr.write(`usage: npm run bench [-- ${Object.keys(BENCHES).join('|')}]\n`);
    process.exit(2);
  }
  bench();
}
