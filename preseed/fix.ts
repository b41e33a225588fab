/** `--fix`: edits that change the spelling of an answer, never the answer, and leave every other byte alone. */
import type { PlacedFinding } from '#model/finding.ts';
import { formatCidr } from '#rules/addresses.ts';
import { type RangeName, readRange } from '#rules/k3s.ts';
import { keyAt } from '#rules/keys.ts';
import { readOwnIpv4, readOwnIpv6 } from '#rules/network-readers.ts';
import { hasOddBlank, withoutOddBlanks } from '#rules/odd-blanks.ts';
import { readBoolean } from '#rules/read-scalars.ts';
import { readTimezone } from '#rules/timezone.ts';
import { shownLine } from './excerpt.ts';
import { type LintResult, lintFile } from './lint.ts';
import type { ReadOptions, Source } from './read.ts';
import { yamlText } from './write-yaml.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface Fixed {
  readonly text: string;
  /** Edits made; 0: nothing could be done safely. */
  readonly changes: number;
  readonly before: LintResult;
  readonly after: LintResult;
}

/** Each round mends what the round before has uncovered; a value has at most a few faults on top of each other. */
const MAX_ROUNDS = 8;

/** The text of a scalar on one line; null for one whose spelling is not plain to see. */
function scalarText(source: string): string | null {
  if (/^'([^']|'')*'$/.test(source)) return source.slice(1, -1).replaceAll("''", "'");
  if (/^"[^"\\]*"$/.test(source)) return source.slice(1, -1);
  return /^[^ \t\n"'&*!|>{}[\],#%@`]/.test(source) && !/[\n]|\s#|:\s/.test(source) ? source : null;
}

/** A prefix length says nothing that is lost with it where the file gives the same one, or where it never has a meaning. */
function isSpare(finding: PlacedFinding, text: string, result: LintResult): boolean {
  if (!/^network\.gateway6?$/.test(finding.path)) return true;
  const { network = {} } = result.read.answers;
  const own = finding.path.endsWith('6') ? readOwnIpv6(network) : readOwnIpv4(network);
  return own !== null && own.prefix === Number(text.split('/')[1]);
}

/** Between visible characters a special blank stands for a space, in a value whose parts blanks separate. */
function plainBlanks(path: string, text: string): string | null {
  const isParted = path === 'pairing_code' || keyAt(path)?.type === 'list';
  const plain = withoutOddBlanks(text, isParted ? ' ' : null);
  return plain === '' || hasOddBlank(plain) ? null : plain;
}

/** New text of a value, by the rule that found it; null: no safe way. */
function mended(finding: PlacedFinding, text: string, result: LintResult): string | null {
  switch (finding.rule) {
    case 'boolean.word':
    case 'boolean.quoted': {
      const { value } = readBoolean(text);
      return value === null ? null : String(value);
    }
    case 'value.odd-blank': {
      const plain = plainBlanks(finding.path, text);
      return plain === null ? null : yamlText(plain);
    }
    case 'address.prefix':
      return isSpare(finding, text, result) ? yamlText(text.replace(/\s*\/\s*[0-9]{1,3}(?=$|[\s,])/g, '')) : null;
    case 'yaml.reading':
      return yamlText(text);
    case 'hostname.upper':
      return yamlText(text.toLowerCase());
    case 'value.blanks':
      return yamlText(text.trim());
    case 'timezone.renamed': {
      const { value } = readTimezone(text, (shown) => shown);
      return value === null ? null : yamlText(value);
    }
    case 'timezone.unknown': {
      // Only a matter of letter case: anything else would be a guess.
      const meant = /^did you mean (\S+)\?$/.exec(finding.fix ?? '')?.[1];
      return meant?.toLowerCase() === text.toLowerCase() ? yamlText(meant) : null;
    }
    case 'k3s.host-bits': {
      const { value } = readRange(text, finding.path.split('.')[1] as RangeName);
      return value ? yamlText(formatCidr(value)) : null;
    }
    default:
      return null;
  }
}

/** A misspelled key, where one key is meant that the file does not have. */
function renamedKey(finding: PlacedFinding, result: LintResult): string | null {
  const meant = /^did you mean (\S+)\?$/.exec(finding.fix ?? '')?.[1];
  if (meant === undefined || keyAt(meant) === undefined) return null;
  const blockOf = (path: string): string => path.split('.').slice(0, -1).join('.');
  const isSameLevel = blockOf(meant) === blockOf(finding.path);
  const isTaken = result.read.has(meant) || result.findings.some((f) => f !== finding && f.rule === 'key.unknown' && f.fix === finding.fix);
  return isSameLevel && !isTaken ? (meant.split('.').at(-1) ?? null) : null;
}

function editFor(finding: PlacedFinding, result: LintResult): Edit | null {
  const { text, lines } = result.read.source;
  if (finding.endColumn === undefined) return null;
  const start = lines.startOf(finding.line) + finding.column - 1;
  const end = lines.startOf(finding.line) + finding.endColumn - 1;
  const source = text.slice(start, end);
  if (finding.rule === 'key.unknown') {
    const key = renamedKey(finding, result);
    return key === null ? null : { start, end, text: key };
  }
  if (finding.rule === 'yaml.tab') {
    const gap = /^\s*:[ \t]*\t[ \t]*(?=\S)/.exec(text.slice(end));
    return gap ? { start: end, end: end + gap[0].length, text: ': ' } : null;
  }
  const value = scalarText(source);
  const next = value === null ? null : mended(finding, value, result);
  return next === null || next === source ? null : { start, end, text: next };
}

/** One edit a place: what overlaps waits for the next round. */
function editsOf(result: LintResult): readonly Edit[] {
  const edits = result.findings.flatMap((finding) => editFor(finding, result) ?? []).sort((a, b) => a.start - b.start);
  return edits.filter((edit, i) => i === 0 || edit.start >= (edits[i - 1]?.end ?? 0));
}

function apply(text: string, edits: readonly Edit[]): string {
  return edits.reduceRight((whole, edit) => whole.slice(0, edit.start) + edit.text + whole.slice(edit.end), text);
}

const errorsOf = (result: LintResult): number => result.findings.filter((finding) => finding.severity === 'error').length;

/** Works on the text alone. An edit that would bring a new error is not made. */
export function fixText(bytes: Uint8Array, options: ReadOptions): Fixed {
  const lint = (text: string): LintResult => lintFile(new TextEncoder().encode(text), options, null);
  const before = lintFile(bytes, options, null);
  let current = before;
  let changes = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const edits = editsOf(current).filter((edit) => errorsOf(lint(apply(current.read.source.text, [edit]))) <= errorsOf(current));
    if (edits.length === 0) break;
    current = lint(apply(current.read.source.text, edits));
    changes += edits.length;
  }
  return { text: current.read.source.text, changes, before, after: current };
}

/** A mended line; its value is blanked out where it only respells a secret of the file. */
function mendedLine(source: Source, line: number): string {
  const shown = shownLine(source, line);
  return source.secrets.isIn(shown) ? shown.replace(/:.*$/, ': ***') : shown;
}

/** Changed lines, old and new; secrets are masked. Edits never add or take a line. */
export function diffText(file: string, fixed: Fixed): string {
  const before = fixed.before.read.source;
  const after = fixed.after.read.source;
  const oldLines = before.text.split('\n');
  const newLines = after.text.split('\n');
  const hunks = oldLines.flatMap((line, i) =>
    line === newLines[i] ? [] : [`@@ -${i + 1} +${i + 1} @@\n-${shownLine(before, i + 1)}\n+${mendedLine(after, i + 1)}\n`],
  );
  return hunks.length === 0 ? '' : `--- ${file}\n+++ ${file}\n${hunks.join('')}`;
}
