/** Every answer-file case of the shared list, through the same functions as the program, in every output form. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectCase, expectNoSecret, type LintCase, lintCase } from '../../support/lint-cases.ts';

const shared = process.env['SPATIUM_SHARED'] ?? path.resolve(import.meta.dirname, '../../../../shared');
const listFile = path.join(shared, 'cases/lint.json');
const cases: readonly LintCase[] = fs.existsSync(listFile) ? JSON.parse(fs.readFileSync(listFile, 'utf8')) : [];
const withFile = cases.filter((c) => (c.file !== undefined || c.file_base64 !== undefined) && !c.args?.length);

describe.runIf(cases.length > 0)('shared answer-file cases', () => {
  test('the list is there and whole', () => expect(withFile.length).toBeGreaterThan(200));

  test.each(withFile.map((c) => [c.id, c] as const))('%s', async (_id, c) => expectCase(c, await lintCase(c)));

  test.each(withFile.filter((c) => c.must_not_print?.length).map((c) => [c.id, c] as const))('%s prints no secret', async (_id, c) =>
    expectNoSecret(c, await lintCase(c)),
  );
});
