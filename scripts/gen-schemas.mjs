#!/usr/bin/env node
/** Writes schemas/*.schema.json from the shapes in the source. `--check` only compares, and exits 1 on a difference. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { planSchema } from '../installer/plan/plan-schema.ts';
import { machineSchema } from '../src/machine/capture-shape.ts';
import { statusSchema } from '../src/model/status-schema.ts';
import { answersSchema } from '../src/rules/schema.ts';
import { lbConfigSchema, panelConfigSchema } from '../src/supervisor/kinds/schema.ts';
import { releaseManifestSchema } from '../src/supervisor/update/manifest-schema.ts';

const SCHEMAS = {
  answers: answersSchema,
  machine: machineSchema,
  plan: planSchema,
  status: statusSchema,
  'panel-config': panelConfigSchema,
  'lb-config': lbConfigSchema,
  'release-manifest': releaseManifestSchema,
};

const dir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../schemas');
const check = process.argv.includes('--check');
for (const [name, schema] of Object.entries(SCHEMAS)) {
  const file = path.join(dir, `${name}.schema.json`);
  const text = `${JSON.stringify(schema(), null, 2)}\n`;
  const old = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : null;
  if (old === text) continue;
  if (check) {
    process.stderr.write(`${path.relative(process.cwd(), file)} is not what the source says; run: npm run schemas\n`);
    process.exitCode = 1;
  } else {
    fs.writeFileSync(file, text);
    process.stdout.write(`wrote ${path.relative(process.cwd(), file)}\n`);
  }
}
