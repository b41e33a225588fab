/** The linter's face: reads the words, reads the files, prints. Composition root. */
import path from 'node:path';
import type { Host, RunFace } from '#model/host.ts';
import type { Machine } from '#model/machine.ts';
import { readRole } from '#rules/choices.ts';
import { printable } from '#rules/show.ts';
import { isErrorTerminal, writeError, writeOut } from '#system/output.ts';
import { type LintArgs, parseLintArgs } from './args.ts';
import type { Fit, NamedMachine } from './fleet.ts';
import { type LintResult, lintRead } from './lint.ts';
import { localDisks } from './local-disks.ts';
import { expandNames, loadFile, replaceFile } from './ports.ts';
import { readAnswers } from './read.ts';
import { countsAsWarning, type FileReport, humanReport, jsonReport, type Printed } from './report.ts';

const OK = 0;
const INVALID = 1;
const WRONG_CALL = 2;
/** Of `--check-field`, which has codes of its own. */
const FIELD_REFUSED = 2;
const PARSER_WRONG_CALL = 3;

function usageLine(host: Host): string {
  const name = host.program.startsWith('spatium check') ? 'spatium check' : `${host.program} --check-preseed`;
  return `usage: ${name} FILE... [--strict] [--format human|json|sarif|github] [--machine CAPTURE]... [--fleet] [--fix [--dry-run]]\n`;
}

function usage(host: Host): string {
  return (
    usageLine(host) +
    '  FILE is an answer file, a directory of them, or - for standard input (given up after 60 s of silence from a pipe).\n' +
    '  CAPTURE is a recorded machine, or a directory of them; with several, or --fleet, the files are compared with each other too.\n' +
    '  exit: 0 valid, 1 invalid (with --strict also on warnings), 2 wrong call or unreadable file\n'
  );
}

function wrongCall(host: Host, why: string): number {
  writeError(`${usage(host)}${host.program}: ${printable(why)}\n`);
  return WRONG_CALL;
}

/** A user-data file counts by its wrapper only, even when it was named. */
const isNamedExplicitly = (file: string): boolean => path.basename(file) !== 'user-data';

async function lintOne(file: string, bytes: Uint8Array, machine: Machine | 'here' | null): Promise<LintResult> {
  const read = readAnswers(bytes, { file, explicit: isNamedExplicitly(file) });
  if (machine !== 'here') return lintRead(read, machine);
  return lintRead(read, read.hasContent ? await localDisks(read.answers) : null);
}

function exitCode(reports: readonly FileReport[], isStrict: boolean): number {
  const fails = ({ result }: FileReport): boolean => !result.isValid || (isStrict && result.findings.some(countsAsWarning));
  return reports.some(fails) ? INVALID : OK;
}

interface Outcome {
  readonly reports: readonly FileReport[];
  /** Only of a fleet. */
  readonly matrix: readonly Fit[] | null;
}

/** SARIF and GitHub annotations are loaded only when asked for. */
async function render({ reports, matrix }: Outcome, args: LintArgs, host: Host): Promise<Printed> {
  switch (args.format) {
    case 'human': {
      const { stdout, stderr } = humanReport(reports, isErrorTerminal() && !process.env['NO_COLOR'], args.isStrict);
      const table = matrix && matrix.length > 0 ? (await import('./fleet.ts')).matrixText(matrix) : '';
      return { stdout: stdout + table, stderr };
    }
    case 'json':
      return { stdout: jsonReport(reports, matrix ? { matrix } : {}), stderr: '' };
    case 'sarif':
      return { stdout: (await import('./report-ci.ts')).sarifReport(reports, host.version), stderr: '' };
    case 'github':
      return { stdout: (await import('./report-ci.ts')).githubReport(reports), stderr: '' };
  }
}

type Machines = { readonly ok: true; readonly machines: readonly NamedMachine[] } | { readonly ok: false; readonly why: string };

async function loadMachines(names: readonly string[]): Promise<Machines> {
  if (names.length === 0) return { ok: true, machines: [] };
  const [{ CaptureError }, { FileError, loadCapture }] = await Promise.all([
    import('#machine/capture-file.ts'),
    import('#machine/load-capture.ts'),
  ]);
  const machines: NamedMachine[] = [];
  for (const name of await expandNames(names, /\.json$/i)) {
    try {
      machines.push({ name, machine: await loadCapture(name) });
    } catch (error) {
      if (error instanceof CaptureError || error instanceof FileError) return { ok: false, why: error.message };
      throw error;
    }
  }
  return machines.length === 0 ? { ok: false, why: 'no machine capture (*.json) in the directory' } : { ok: true, machines };
}

/** A UTF-8 byte order mark, which is kept. */
const hasMark = (bytes: Uint8Array): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

const ONLY_SPELLING = '--fix changes the spelling of an answer, never the answer; what is told below is left to you';

/** Writes the mended file in place, or prints the difference; the file is linted afterwards as it then is. */
async function mend(file: string, bytes: Uint8Array, mode: 'write' | 'dry-run'): Promise<Uint8Array> {
  const { diffText, fixText } = await import('./fix.ts');
  const fixed = fixText(bytes, { file, explicit: isNamedExplicitly(file) });
  if (fixed.changes === 0) {
    // Findings that say "fix:" would otherwise look as if the option had been overlooked.
    if (fixed.after.findings.some((f) => f.fix !== undefined)) writeError(`NOT FIXED: ${printable(file)}: ${ONLY_SPELLING}\n`);
    return bytes;
  }
  if (mode === 'dry-run') {
    writeOut(diffText(printable(file), fixed));
    return bytes;
  }
  const text = new TextEncoder().encode(fixed.text);
  const written = hasMark(bytes) ? new Uint8Array([...bytes.subarray(0, 3), ...text]) : text;
  await replaceFile(file, written);
  writeOut(`FIXED: ${printable(file)}: ${fixed.changes} change${fixed.changes === 1 ? '' : 's'}\n`);
  return written;
}

async function lintAll(
  args: LintArgs,
  machine: Machine | 'here' | null,
): Promise<{ readonly reports: readonly FileReport[]; readonly isAnyUnreadable: boolean }> {
  const reports: FileReport[] = [];
  let isAnyUnreadable = false;
  for (const file of await expandNames(args.files)) {
    const loaded = await loadFile(file);
    if (loaded.ok) {
      const bytes = args.fix === 'no' ? loaded.bytes : await mend(file, loaded.bytes, args.fix);
      reports.push({ file, result: await lintOne(file, bytes, machine) });
    } else {
      isAnyUnreadable = true;
      writeError(`ERROR: ${printable(file)}: ${loaded.why}\n`);
    }
  }
  return { reports, isAnyUnreadable };
}

async function check(argv: readonly string[], host: Host): Promise<number> {
  const parsed = parseLintArgs(argv);
  if (!parsed.ok) return wrongCall(host, parsed.why);
  const { args } = parsed;
  const loaded = await loadMachines(args.machines);
  if (!loaded.ok) {
    writeError(`ERROR: --machine: ${printable(loaded.why)}\n`);
    return WRONG_CALL;
  }
  const { machines } = loaded;
  // Against several machines a file is first judged by itself, then on each of them.
  const isFleet = args.isFleet || machines.length > 1;
  const { reports, isAnyUnreadable } = await lintAll(args, isFleet ? null : (machines[0]?.machine ?? 'here'));
  const outcome: Outcome = isFleet ? (await import('./fleet.ts')).judgeFleet(reports, machines) : { reports, matrix: null };
  if (reports.length === 0 && !isAnyUnreadable) return wrongCall(host, 'there is no answer file (*.yaml, *.yml) in the directory');
  const { stdout, stderr } = await render(outcome, args, host);
  writeOut(stdout);
  writeError(stderr);
  if (reports.length === 0) writeError(usageLine(host));
  return isAnyUnreadable ? WRONG_CALL : exitCode(outcome.reports, args.isStrict);
}

async function field(words: readonly string[]): Promise<number> {
  const { checkField, readsStandardInput } = await import('./check-field.ts');
  const stdin = readsStandardInput(words) ? await loadFile('-') : null;
  if (stdin && !stdin.ok) {
    // Nothing read is nothing allowed.
    writeError(`standard input: ${stdin.why}\n`);
    return FIELD_REFUSED;
  }
  const { code, text } = checkField(words, stdin ? new TextDecoder().decode(stdin.bytes) : '');
  (code === 3 ? writeError : writeOut)(text);
  return code;
}

const EXPLAIN_USAGE = 'usage: spatium explain KEY|RULE\n';

async function explainWord(words: readonly string[], host: Host): Promise<number> {
  const { explain } = await import('./explain.ts');
  const [word, ...more] = words;
  if (words.includes('--help') || words.includes('-h')) {
    writeOut(EXPLAIN_USAGE);
    return OK;
  }
  if (word === undefined || more.length > 0) {
    writeError(EXPLAIN_USAGE);
    return WRONG_CALL;
  }
  const found = explain(word);
  if ('text' in found) {
    writeOut(found.text);
    return OK;
  }
  writeError(
    `${host.program}: no key and no rule of that name${found.meant === null ? '' : `; did you mean ${found.meant}?`}\n${EXPLAIN_USAGE}`,
  );
  return WRONG_CALL;
}

async function starter(words: readonly string[]): Promise<number> {
  const starterUsage = 'usage: spatium preseed init [control-plane|appliance] > FILE\n';
  if (words.includes('--help') || words.includes('-h')) {
    writeOut(starterUsage);
    return OK;
  }
  const [verb, roleWord = 'control-plane', ...more] = words;
  const role = readRole(roleWord).value;
  if (verb !== 'init' || role === null || more.length > 0) {
    writeError(starterUsage);
    return WRONG_CALL;
  }
  writeOut((await import('./init.ts')).starterFile(role));
  return OK;
}

/** `spatium-preseed-parse` without `--check-field`: there is no file of shell variables any more for it to write. */
function parserHelp(words: readonly string[]): number {
  const text =
    'usage: spatium-preseed-parse --check-field KIND VALUE|- [CONTEXT...]\n' +
    '  Answer files are no longer turned into shell variables: spatium-install reads them itself.\n' +
    '  To judge a whole file: spatium-install --check-preseed FILE\n';
  if (words.includes('--help') || words.includes('-h')) {
    writeOut(text);
    return OK;
  }
  writeError(text);
  return PARSER_WRONG_CALL;
}

export const run: RunFace = async (argv, host) => {
  const at = argv.indexOf('--check-field');
  if (at >= 0) return field(argv.slice(at + 1));
  if (argv[0] === 'preseed-parse') return parserHelp(argv.slice(1));
  if (argv[0] === 'explain') return explainWord(argv.slice(1), host);
  if (argv[0] === 'preseed') return starter(argv.slice(1));
  if (argv.includes('--help') || argv.includes('-h')) {
    writeOut(usage(host));
    return OK;
  }
  return check(argv, host);
};
