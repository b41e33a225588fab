#!/usr/bin/env node
/** Bundles the console alone, for terminal tests and for looking at it without a build of the executable: dev-console.mjs OUT.mjs */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { inkPlugins, segmenterPrelude } from './build/ink-plugins.mjs';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const outfile = process.argv[2];

if (!outfile) {
  process.stderr.write('usage: dev-console.mjs OUT.mjs\n');
  process.exitCode = 2;
} else {
  await build({
    stdin: {
      contents: `import { run } from './console/main.tsx';
process.exitCode = await run(process.argv.slice(2), { program: 'spatium-console', version: '0.0.0-dev', load: () => Promise.reject(new Error('one face only')) });`,
      resolveDir: repo,
      loader: 'ts',
    },
    outfile: path.resolve(outfile),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'esnext',
    jsx: 'automatic',
    logLevel: 'warning',
    absWorkingDir: repo,
    plugins: inkPlugins,
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);${segmenterPrelude}` },
    define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  });
}
