/** One face as one module for Node, without a build of the executable. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { inkPlugins, segmenterPrelude } from './ink-plugins.mjs';

export const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** @param {string} contents a module's text, its imports relative to the repository; @param {string} outfile where the bundle goes */
export async function devBundle(contents, outfile) {
  await build({
    stdin: { contents, resolveDir: repo, loader: 'ts' },
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
