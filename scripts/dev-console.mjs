#!/usr/bin/env node
/** Bundles the console alone, for terminal tests and for looking at it without a build of the executable: dev-console.mjs OUT.mjs */
import { devBundle } from './build/dev-bundle.mjs';

const ENTRY = `import { run } from './console/main.tsx';
process.exitCode = await run(process.argv.slice(2), { program: 'spatium-console', version: '0.0.0-dev', load: () => Promise.reject(new Error('one face only')) });`;
const outfile = process.argv[2];

if (outfile) await devBundle(ENTRY, outfile);
else {
  process.stderr.write('usage: dev-console.mjs OUT.mjs\n');
  process.exitCode = 2;
}
