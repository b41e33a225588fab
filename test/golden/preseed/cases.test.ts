/** Every answer-file case of the shared list, through the same functions as the program, in every output form. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
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

interface LintCase {
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
}

const shared = process.env['SPATIUM_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared');
const listFile = path.join(shared, 'cases/lint.json');
const cases: readonly LintCase[] = fs.existsSync(listFile) ? JSON.parse(fs.readFileSync(listFile, 'utf8')) : [];
const withFile = cases.filter((c) => (c.file !== undefined || c.file_base64 !== undefined) && !c.args?.length);

const bytesOf = (c: LintCase): Uint8Array =>
  c.file_base64 === undefined
    ? new TextEncoder().encode(`${c.file}${c.append ? c.append.text.repeat(c.append.times) : ''}`)
    : new Uint8Array(Buffer.from(c.file_base64, 'base64'));

async function lint(c: LintCase): Promise<FileReport> {
  const file = c.filename ?? 'spatium-preseed.yaml';
  const read = readAnswers(bytesOf(c), { file, explicit: file !== 'user-data' });
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

describe.runIf(cases.length > 0)('shared answer-file cases', () => {
  test('the list is there and whole', () => expect(withFile.length).toBeGreaterThan(200));

  test.each(withFile.map((c) => [c.id, c] as const))('%s', async (_id, c) => {
    const report = await lint(c);
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
  });

  test.each(withFile.filter((c) => c.must_not_print?.length).map((c) => [c.id, c] as const))('%s prints no secret', async (_id, c) => {
    const report = await lint(c);
    const human = humanReport([report], true);
    const outputs = [human.stdout, human.stderr, jsonReport([report]), sarifReport([report], '0'), githubReport([report])];
    for (const secret of c.must_not_print ?? []) for (const output of outputs) expect(output).not.toContain(secret);
  });
});
