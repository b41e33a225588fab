#!/usr/bin/env node
/** Writes docs/answer-file.md from the registry of keys. `--check` only compares, and exits 1 on a difference. */
import fs from 'node:fs';
import path from 'node:path';
import { referencePage } from '../preseed/explain.ts';

const file = path.resolve(import.meta.dirname, '../docs/answer-file.md');
const page = referencePage();
if (!process.argv.includes('--check')) fs.writeFileSync(file, page);
else if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== page) {
  process.stderr.write('docs/answer-file.md is not what the source says; run: npm run docs\n');
  process.exitCode = 1;
}
