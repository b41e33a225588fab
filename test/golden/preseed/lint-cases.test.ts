/** Our own answer-file cases, a file a subject: what is said, where, in every output form; and what `--fix` makes of each. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { caseBytes, expectCase, expectNoSecret, type LintCase, lintCase } from '../../support/lint-cases.ts';

const dir = path.join(import.meta.dirname, 'lint-cases');
const cases = fs.readdirSync(dir).flatMap((name): readonly LintCase[] => JSON.parse(fs.readFileSync(path.join(dir, name), 'utf8')));
const hasFile = (c: LintCase): boolean => c.file !== undefined || c.file_base64 !== undefined;
const named = (some: readonly LintCase[]) => some.map((c) => [c.id, c] as const);
const plain = cases.filter((c) => hasFile(c) && !c.args?.length);
const launcher = path.resolve(import.meta.dirname, '../../../scripts/dev-lint.mjs');

test('ids are unique', () => expect(new Set(cases.map((c) => c.id)).size).toBe(cases.length));

test.each(named(plain))('%s', async (_id, c) => {
  const report = await lintCase(c);
  expectCase(c, report);
  expectNoSecret(c, report);
});

test.each(named(cases.filter((c) => !plain.includes(c))))('%s, as a process', (_id, c) => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'lint-case-'));
  const file = path.join(home, c.filename ?? 'spatium-preseed.yaml');
  if (hasFile(c)) fs.writeFileSync(file, caseBytes(c));
  const words = [launcher, '--check-preseed', file, ...(c.args ?? [])];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  fs.rmSync(home, { recursive: true });
  expect(status).toBe(c.exit);
  const said = `${stdout}${stderr}`.toLowerCase();
  for (const want of [...c.errors, ...c.warnings]) expect(want.any?.some((word) => said.includes(word)) ?? true).toBe(true);
  if (c.output_any) expect(c.output_any.some((word) => said.includes(word))).toBe(true);
});
