/** The rules of an answer file, two or three spellings of each: what is said, where, and the verdict. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lintFile } from '#preseed/lint.ts';

interface Ruled {
  readonly file: string;
  readonly role: string | null;
  readonly fullyUnattended: boolean;
  /** `SEVERITY RULE PATH LINE:COLUMN` */
  readonly findings: readonly string[];
}

const cases: readonly Ruled[] = JSON.parse(fs.readFileSync(path.join(import.meta.dirname, 'rulings.json'), 'utf8'));

test.each(cases)('$file', ({ file, role, fullyUnattended, findings }) => {
  const result = lintFile(new TextEncoder().encode(file), { file: 'x.yaml', explicit: true }, null);
  expect({
    role: result.role,
    fullyUnattended: result.isFullyUnattended,
    findings: result.findings.map((f) => `${f.severity} ${f.rule} ${f.path} ${f.line}:${f.column}`),
  }).toEqual({ role, fullyUnattended, findings });
});
