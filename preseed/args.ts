/** The words behind `--check-preseed` (and `spatium check`). */

export type Format = 'human' | 'json' | 'sarif' | 'github';
const FORMATS: readonly Format[] = ['human', 'json', 'sarif', 'github'];

export interface LintArgs {
  readonly files: readonly string[];
  readonly isStrict: boolean;
  /** Compare the files with each other too. */
  readonly isFleet: boolean;
  readonly format: Format;
  readonly machines: readonly string[];
  readonly fix: 'no' | 'write' | 'dry-run';
}

export type ParsedArgs = { readonly ok: true; readonly args: LintArgs } | { readonly ok: false; readonly why: string };

const WITH_VALUE = new Set(['--format', '--machine']);

/** `--name=value` becomes two words. */
function split(argv: readonly string[]): readonly string[] {
  return argv.flatMap((word) => {
    const found = /^(--[a-z-]+)=(.*)$/s.exec(word);
    return found?.[1] && WITH_VALUE.has(found[1]) ? [found[1], found[2] ?? ''] : [word];
  });
}

/** The words of a call, or what is wrong with them in one sentence. */
export function parseLintArgs(argv: readonly string[]): ParsedArgs {
  const words = split(argv);
  const files: string[] = [];
  const machines: string[] = [];
  const flags = new Set<string>();
  let format: Format = 'human';
  let onlyFiles = false;
  const fail = (why: string): ParsedArgs => ({ ok: false, why });
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (onlyFiles || word === '-' || !word.startsWith('-')) files.push(word);
    else if (word === '--') onlyFiles = true;
    else if (WITH_VALUE.has(word)) {
      const value = words[++i];
      if (value === undefined) return fail(`${word} needs a value`);
      if (word === '--machine') machines.push(value);
      else {
        const known = FORMATS.find((name) => name === value);
        if (known === undefined) return fail(`unknown format; there are ${FORMATS.join(', ')}`);
        format = known;
      }
    } else if (['--check-preseed', '--strict', '--fleet', '--fix', '--dry-run'].includes(word)) flags.add(word);
    else return fail('unknown option');
  }
  if (files.length === 0) return fail('name at least one answer file');
  if (flags.has('--fix') && files.includes('-')) return fail('--fix edits files in place; standard input is none');
  if (flags.has('--fix') && format !== 'human') return fail('--fix goes with --format human only');
  if (flags.has('--dry-run') && !flags.has('--fix')) return fail('--dry-run goes with --fix');
  const fix = !flags.has('--fix') ? 'no' : flags.has('--dry-run') ? 'dry-run' : 'write';
  return { ok: true, args: { files, isStrict: flags.has('--strict'), isFleet: flags.has('--fleet'), format, machines, fix } };
}
