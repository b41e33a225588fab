#!/usr/bin/env node
/** Writes src/machine/demo-machine.gen.ts, the machine that a rehearsal runs on, from its capture in test/fixtures. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const repo = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const capture = JSON.parse(fs.readFileSync(path.join(repo, 'test/fixtures/machines/two-disks-uefi.json'), 'utf8'));
const text = `/** Made by scripts/gen-demo-machine.mjs from test/fixtures/machines/two-disks-uefi.json. */
import type { Machine } from '#model/machine.ts';

/** A believable server to rehearse on: a used SATA disk, a blank NVMe disk, a SAN disk over two paths, and two refusals. */
export const demoMachine: Machine = ${JSON.stringify(capture)};
`;
fs.writeFileSync(path.join(repo, 'src/machine/demo-machine.gen.ts'), text);
