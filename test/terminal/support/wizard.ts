/** Starts the wizard in rehearsal: the executable where there is one, else a bundle of the wizard alone. */
import fs from 'node:fs';
import path from 'node:path';
import { bundleArgv, REPO } from '../../support/program.ts';
import { tempDir } from '../../support/temp.ts';
import { Pty, type PtyOptions } from './pty.ts';

export const SERVER = path.join(REPO, 'test/fixtures/wizard/server.json');

/** SPATIUM_BIN names another executable; `bundle` asks for the bundle although there is one. */
function executable(): string | null {
  const named = process.env['SPATIUM_BIN'];
  if (named === 'bundle') return null;
  const file = named ?? path.join(REPO, 'dist/spatium-install');
  return fs.existsSync(file) ? file : null;
}

export interface WizardOptions extends Partial<Omit<PtyOptions, 'argv'>> {
  readonly machine?: string;
  /** As in an answer file; written as JSON, which is YAML too. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

export function startWizard(options: WizardOptions = {}): Pty {
  const { machine = SERVER, answers, term = 'xterm', ...rest } = options;
  const file = answers === undefined ? null : path.join(tempDir(), 'spatium-preseed.yaml');
  if (file !== null) fs.writeFileSync(file, JSON.stringify(answers));
  const program = executable();
  const argv =
    program === null
      ? [...bundleArgv('dev-wizard.mjs'), machine, ...(file === null ? [] : [file])]
      : [program, '--rehearse', '--machine', machine, ...(file === null ? [] : ['--preseed', file])];
  return new Pty({ argv, term, ...rest });
}
