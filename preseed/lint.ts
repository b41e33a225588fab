/** Reading and judging one answer file, as one list of findings. */

import type { Mode, Role } from '#model/answers.ts';
import { hasErrors, isError, MAX_FINDINGS, type PlacedFinding } from '#model/finding.ts';
import type { Machine } from '#model/machine.ts';
import { RULES } from '#rules/catalogue.ts';
import { readRole } from '#rules/choices.ts';
import { isFullyUnattended, missingAnswers } from '#rules/completeness.ts';
import { judge } from '#rules/judge.ts';
import { type ReadFile, type ReadOptions, readAnswers } from './read.ts';

export interface LintResult {
  readonly read: ReadFile;
  /** By line and column; errors before warnings at the same place. */
  readonly findings: readonly PlacedFinding[];
  readonly isValid: boolean;
  /** null: not answered, or no role. */
  readonly role: Role | null;
  readonly isFullyUnattended: boolean;
  /** Paths that the console will ask for. */
  readonly willAsk: readonly string[];
}

function byPlace(a: PlacedFinding, b: PlacedFinding): number {
  return a.line - b.line || a.column - b.column || a.severity.localeCompare(b.severity);
}

/** The findings that are shown; a file that has more says so at its end. */
function firstOfEach(findings: readonly PlacedFinding[]): readonly PlacedFinding[] {
  if (findings.length <= MAX_FINDINGS) return findings;
  const kept = new Set([...findings.filter(isError).slice(0, MAX_FINDINGS), ...findings.filter((f) => !isError(f)).slice(0, MAX_FINDINGS)]);
  const last = findings.at(-1);
  if (kept.size === findings.length || !last) return findings;
  const { severity } = RULES['file.more'];
  const message = `the file has more to report than ${MAX_FINDINGS} errors or ${MAX_FINDINGS} warnings; the rest is left out`;
  const { file, line, column } = last;
  return [...findings.filter((f) => kept.has(f)), { severity, rule: 'file.more', path: '', message, file, line, column }];
}

/** @param machine made from the answers that were read, when only their disks are to be looked at */
export function lintRead(read: ReadFile, machine: Machine | null, mode: Mode = 'lint'): LintResult {
  const judged = read.hasContent ? judge(read.answers, machine, mode).flatMap((finding) => read.place(finding) ?? []) : [];
  const findings = firstOfEach([...read.findings, ...judged].sort(byPlace));
  const isValid = !hasErrors(findings);
  const { role } = read.answers;
  return {
    read,
    findings,
    isValid,
    role: role === undefined ? null : readRole(role.trim()).value,
    isFullyUnattended: isValid && isFullyUnattended(read.answers),
    willAsk: missingAnswers(read.answers),
  };
}

/** The same file with more to say about it. */
export function withFindings(result: LintResult, extra: readonly PlacedFinding[]): LintResult {
  if (extra.length === 0) return result;
  const findings = [...result.findings, ...extra].sort(byPlace);
  const isValid = !hasErrors(findings);
  return { ...result, findings, isValid, isFullyUnattended: isValid && result.isFullyUnattended };
}

/** Bytes in, findings out; nothing but the bytes is looked at. */
export const lintFile = (bytes: Uint8Array, options: ReadOptions, machine: Machine | null, mode?: Mode): LintResult =>
  lintRead(readAnswers(bytes, options), machine, mode);
