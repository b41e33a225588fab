/** Answer-file cases: what must be said of a file, and where. The form is that of the shared list (its README describes the fields). */
import { expect } from 'vitest';
import type { PlacedFinding } from '#model/finding.ts';
import { lintRead } from '#preseed/lint.ts';
import { localDisks } from '#preseed/local-disks.ts';
import { readAnswers } from '#preseed/read.ts';
import { type FileReport, humanReport, jsonReport } from '#preseed/report.ts';
import { githubReport, sarifReport } from '#preseed/report-ci.ts';

interface Wanted {
  readonly path: string;
  readonly line?: number;
  readonly line_any?: readonly number[];
  readonly col?: readonly [number, number];
  readonly any?: readonly string[];
}

export interface LintCase {
  readonly id: string;
  readonly file?: string;
  readonly file_base64?: string;
  readonly append?: { readonly text: string; readonly times: number };
  readonly filename?: string;
  readonly args?: readonly string[];
  readonly exit: number;
  readonly errors: readonly Wanted[];
  readonly warnings: readonly Wanted[];
  readonly no_other_errors?: boolean;
  readonly must_not_print?: readonly string[];
  readonly quiet?: readonly string[];
  readonly role?: string | null;
  readonly unattended?: boolean;
  readonly min_errors?: number;
  readonly output_any?: readonly string[];
}

/** The bytes of the file of a case; empty when it has none. */
export const caseBytes = (c: LintCase): Uint8Array =>
  c.file_base64 === undefined
    ? new TextEncoder().encode(`${c.file ?? ''}${c.append ? c.append.text.repeat(c.append.times) : ''}`)
    : new Uint8Array(Buffer.from(c.file_base64, 'base64'));

/** Judged as the program does it on this machine. */
export async function lintCase(c: LintCase): Promise<FileReport> {
  const file = c.filename ?? 'spatium-preseed.yaml';
  const read = readAnswers(caseBytes(c), { file, explicit: file !== 'user-data' });
  return { file, result: lintRead(read, read.hasContent ? await localDisks(read.answers) : null) };
}

const bare = (p: string): string => p.replace(/\[\d+\]/g, '').toLowerCase();
const fitsPath = (want: string, got: string): boolean => want === '' || bare(got) === bare(want) || bare(got).startsWith(`${bare(want)}.`);
const fitsLine = (want: Wanted, f: PlacedFinding): boolean =>
  want.line === undefined ? (want.line_any?.includes(f.line) ?? true) : want.line === f.line;
const fitsWords = (want: Wanted, f: PlacedFinding): boolean =>
  !want.any?.length || want.any.some((word) => `${f.message} ${f.fix ?? ''}`.toLowerCase().includes(word));
const fitsColumn = (want: Wanted, f: PlacedFinding): boolean => !want.col || (want.col[0] <= f.column && f.column <= want.col[1]);

const isMet = (want: Wanted, found: readonly PlacedFinding[]): boolean =>
  found.some((f) => fitsPath(want.path, f.path) && fitsLine(want, f) && fitsWords(want, f) && fitsColumn(want, f));

/** Verdict, errors, warnings, silence and role of a case against its report. */
export function expectCase(c: LintCase, report: FileReport): void {
  const { findings, isValid } = report.result;
  const of = (severity: string) => findings.filter((f) => f.severity === severity);
  expect(isValid).toBe(c.exit === 0);
  expect(c.errors.filter((want) => !isMet(want, of('error')))).toEqual([]);
  expect(c.warnings.filter((want) => !isMet(want, of('warning')))).toEqual([]);
  const extra = of('error').filter((f) => !c.errors.some((want) => fitsPath(want.path, f.path) && fitsLine(want, f)));
  expect(c.no_other_errors ? extra : []).toEqual([]);
  expect(findings.filter((f) => c.quiet?.some((p) => fitsPath(p, f.path)))).toEqual([]);
  expect(of('error').length).toBeGreaterThanOrEqual(c.min_errors ?? 0);
  if (c.exit === 0 && c.role !== undefined) expect(report.result.role).toBe(c.role);
  if (c.exit === 0 && c.unattended !== undefined) expect(report.result.isFullyUnattended).toBe(c.unattended);
}

/** No output form may hold a secret of the case. */
export function expectNoSecret(c: LintCase, report: FileReport): void {
  const human = humanReport([report], true);
  const outputs = [human.stdout, human.stderr, jsonReport([report]), sarifReport([report], '0'), githubReport([report])];
  for (const secret of c.must_not_print ?? []) for (const output of outputs) expect(output).not.toContain(secret);
}
