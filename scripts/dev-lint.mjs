#!/usr/bin/env node
/** Runs the linter from source, without a build: node scripts/dev-lint.mjs --check-preseed FILE... */
import { run } from '../preseed/main.ts';

const host = { program: 'spatium-install', version: '0.0.0-dev', load: () => Promise.reject(new Error('no other face here')) };
process.exitCode = await run(process.argv.slice(2), host);
