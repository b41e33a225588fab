#!/usr/bin/env node
/**
 * npm run fuzz [-- COUNT [SEED]]: mutated answer files through the linter, every output form included.
 * Fails on a crash, on more than a second for one file, and on a planted secret in any output.
 */
import fs from 'node:fs';
import path from 'node:path';
import { lintFile } from '../preseed/lint.ts';
import { humanReport, jsonReport } from '../preseed/report.ts';
import { githubReport, sarifReport } from '../preseed/report-ci.ts';

const count = Number(process.argv[2] ?? 100_000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const MAX_MS = 1000;
/** Stands as password, hash and code in every file; letters that no message holds. */
const SECRET = 'Qzx7Wvk9Jq';
const dir = path.resolve(import.meta.dirname, '../test/golden/preseed');

/** Mulberry32: small, and the same everywhere. */
function random(state) {
  let a = state >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const rand = random(seed);
const pick = (list) => list[Math.floor(rand() * list.length)];
const below = (n) => Math.floor(rand() * n);

const seeds = fs
  .readdirSync(dir)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => fs.readFileSync(path.join(dir, name), 'utf8'));
const SECRET_LINES = ['admin_password', 'admin_password_hash', 'pairing_code', 'admin_pasword', 'wifi_password'].flatMap((key) => [
  `${key}: ${SECRET}`,
  `${key}: "${SECRET}"`,
  `${key}: '${SECRET}`,
  `${key}: [${SECRET}]`,
  `${key}: |\n  ${SECRET}\n`,
  `${key}: &${SECRET}`,
  `${key}: *${SECRET}`,
  `${key}: !${SECRET} x`,
  `${key}: "${SECRET}\\q"`,
  `${key}: @${SECRET}`,
  `${key}: {${SECRET}: x}`,
]);
const PIECES = [
  '\t',
  '  ',
  '\n',
  '\r',
  '\u0000',
  '\u00a0',
  ':',
  ': ',
  '- ',
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '#',
  ' #',
  '&a ',
  '*a',
  '<<: *a',
  '!!str ',
  '|',
  '>',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '\ufeff',
  '? ',
  '$' + '{X}',
  '{{ x }}',
  '0x1F',
  '012',
  'yes',
  '~',
  '\u2028',
  '\u202e',
  'x-',
  '@',
  '`',
  '\\',
  '\ud800',
];

function mutate(text) {
  const at = below(text.length + 1);
  switch (below(8)) {
    case 0:
      return text.slice(0, at) + pick(PIECES) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + below(12));
    case 2: {
      const lines = text.split('\n');
      lines.splice(below(lines.length), 0, pick(lines));
      return lines.join('\n');
    }
    case 3: {
      const lines = text.split('\n');
      lines.splice(below(lines.length), 1);
      return lines.join('\n');
    }
    case 4:
      return text.slice(0, at) + pick(PIECES).repeat(1 + below(60)) + text.slice(at);
    case 5:
      return text.slice(0, at) + pick(seeds).slice(below(100)) + text.slice(at);
    case 6:
      return text.slice(0, at) + String.fromCharCode(below(0x3000)) + text.slice(at + 1);
    default:
      return `${text.slice(0, at)}\n${' '.repeat(below(6))}${pick(SECRET_LINES)}\n${text.slice(at)}`;
  }
}

/** The secret stands where mutations keep it a secret: the first line that holds it still starts with its key. */
function makeFile() {
  let text = pick(seeds);
  const changes = 1 + below(6);
  for (let i = 0; i < changes; i++) text = mutate(text);
  return text;
}

function outputsOf(result) {
  const report = { file: 'f.yaml', result };
  const human = humanReport([report], false);
  return [human.stdout, human.stderr, jsonReport([report]), sarifReport([report], '0'), githubReport([report])];
}

/** A file in which the secret has become the name of a key, or part of another value, says it openly; that is no leak. */
function isStillSecret(text) {
  return text
    .split('\n')
    .every((line) => !line.includes(SECRET) || SECRET_LINES.some((known) => known.split('\n').some((part) => line.trim() === part.trim())));
}

let slowest = 0;
let valid = 0;
const began = Date.now();
for (let n = 0; n < count; n++) {
  const text = makeFile();
  const bytes =
    rand() < 0.1 ? new TextEncoder().encode(text).map((byte) => (rand() < 0.002 ? below(256) : byte)) : new TextEncoder().encode(text);
  // Processor time: a busy machine is no fault of the linter.
  const before = process.cpuUsage();
  const fail = (why) => {
    const file = path.join('/tmp', `spatium-fuzz-${seed}-${n}.yaml`);
    fs.writeFileSync(file, bytes, { mode: 0o600 });
    process.stderr.write(`seed ${seed}, file ${n}: ${why}; kept as ${file}\n`);
    process.exit(1);
  };
  try {
    const result = lintFile(bytes, { file: 'f.yaml', explicit: rand() < 0.9 }, null);
    if (result.isValid) valid++;
    const outputs = outputsOf(result);
    if (isStillSecret(text) && outputs.some((output) => output.includes(SECRET))) fail('a planted secret is in the output');
  } catch (error) {
    fail(error instanceof Error ? error.stack : String(error));
  }
  const used = process.cpuUsage(before);
  const ms = (used.user + used.system) / 1000;
  slowest = Math.max(slowest, ms);
  if (ms > MAX_MS) fail(`took ${ms.toFixed(0)} ms`);
}
process.stdout.write(
  `fuzz: ${count} files, seed ${seed}, ${valid} valid, slowest ${slowest.toFixed(0)} ms, ${((Date.now() - began) / 1000).toFixed(0)} s\n`,
);
