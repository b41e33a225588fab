#!/usr/bin/env node
/** Writes docs/answer-file.md from the registry of keys. */
import fs from 'node:fs';
import path from 'node:path';
import { referencePage } from '../preseed/explain.ts';

const file = path.resolve(import.meta.dirname, '../docs/answer-file.md');
fs.writeFileSync(file, referencePage());
process.stdout.write(`wrote ${path.relative(process.cwd(), file)}\n`);
