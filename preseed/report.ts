/** What the linter prints: words for people and scripts, or JSON. */
import { isError, type PlacedFinding } from '#model/finding.ts';
import { printable } from '#rules/show.ts';
import { excerptOf } from './excerpt.ts';
import type { LintResult } from './lint.ts';

export interface FileReport {
  readonly file: string;
  readonly result: LintResult;
}

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/** Warnings that `--strict` counts: not those that only say what this machine could not check. */
export const countsAsWarning = (finding: PlacedFinding): boolean => finding.severity === 'warning' && finding.unchecked !== true;

const PAINT = { error: '\u001b[31m', warning: '\u001b[33m', off: '\u001b[0m' } as const;

function humanFinding(finding: PlacedFinding, result: LintResult, isColour: boolean): string {
  const word = isError(finding) ? 'ERROR' : 'WARN';
  const head = `${word}: ${printable(finding.file)}:${finding.line}:${finding.column}: ${printable(finding.message)} [${finding.rule}]`;
  const paint = isColour ? [PAINT[finding.severity], PAINT.off] : ['', ''];
  const excerpt = excerptOf(result.read.source, finding).map((line) => `  ${line}\n`);
  const fix = finding.fix === undefined ? '' : `  = fix: ${printable(finding.fix)}\n`;
  return `${paint[0]}${head}${paint[1]}\n${excerpt.join('')}${fix}`;
}

function okLine({ file, result }: FileReport): string {
  const role = result.role ?? '<interactive>';
  const asks =
    result.isFullyUnattended || result.willAsk.length === 0 ? '' : `    will be asked on the console: ${result.willAsk.join(', ')}\n`;
  return `OK: ${printable(file)} is a valid spatium preseed (role=${role}, fully-unattended=${result.isFullyUnattended ? 'yes' : 'no'}).\n${asks}`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function verdictLine(report: FileReport, isStrict: boolean): Printed {
  const { findings, isValid } = report.result;
  const file = printable(report.file);
  if (!isValid)
    return { stdout: '', stderr: `${file}: ${counted(findings.filter(isError).length, 'error')}; not a valid spatium preseed.\n` };
  const warnings = isStrict ? findings.filter(countsAsWarning).length : 0;
  if (warnings > 0) return { stdout: '', stderr: `${file}: ${counted(warnings, 'warning')}; refused, since --strict takes none.\n` };
  return { stdout: okLine(report), stderr: '' };
}

/** Warnings and the verdict on a good file on standard output, errors and the verdict on a refused one on standard error. */
export function humanReport(reports: readonly FileReport[], isColour: boolean, isStrict = false): Printed {
  let stdout = '';
  let stderr = '';
  for (const report of reports) {
    for (const finding of report.result.findings) {
      const text = humanFinding(finding, report.result, isColour);
      if (isError(finding)) stderr += text;
      else stdout += text;
    }
    const verdict = verdictLine(report, isStrict);
    stdout += verdict.stdout;
    stderr += verdict.stderr;
  }
  return { stdout, stderr };
}

const jsonFinding = (finding: PlacedFinding) => ({
  severity: finding.severity,
  rule: finding.rule,
  path: finding.path,
  file: finding.file,
  line: finding.line,
  column: finding.column,
  ...(finding.endColumn === undefined ? {} : { endColumn: finding.endColumn }),
  message: finding.message,
  ...(finding.fix === undefined ? {} : { fix: finding.fix }),
  ...(finding.unchecked ? { unchecked: true } : {}),
});

/** @param more further top-level members, such as the matrix of a fleet */
export function jsonReport(reports: readonly FileReport[], more: Readonly<Record<string, unknown>> = {}): string {
  const files = reports.map(({ file, result }) => ({
    file,
    valid: result.isValid,
    role: result.role,
    fullyUnattended: result.isFullyUnattended,
    willAsk: result.willAsk,
    findings: result.findings.map(jsonFinding),
  }));
  return `${JSON.stringify({ schema: 1, files, ...more }, null, 2)}\n`;
}
