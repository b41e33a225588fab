#!/usr/bin/env node
/** npm run lint: formatter and linter, import directions, exports without a user. All always run, so that one fault does not hide another. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const CHECKS = [
  [path.join(repo, 'node_modules/.bin/biome'), ['check', '--error-on-warnings', '.']],
  [process.execPath, [path.join(repo, 'scripts/lint-imports.mjs')]],
  [process.execPath, [path.join(repo, 'scripts/lint-exports.mjs')]],
];
const failed = CHECKS.filter(([file, args]) => spawnSync(file, args, { cwd: repo, stdio: 'inherit' }).status !== 0);
process.exitCode = failed.length > 0 ? 1 : 0;
