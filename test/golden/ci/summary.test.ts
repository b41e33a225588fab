/** What stands at the end of a gate's log, from reports as vitest writes them. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { NODE, REPO } from '../../support/program.ts';
import { fileTree } from '../../support/temp.ts';

const summary = (reports: Readonly<Record<string, string>>, ...words: readonly string[]) =>
  spawnSync(NODE, [path.join(REPO, 'scripts/ci-summary.mjs'), fileTree(reports), ...words], { encoding: 'utf8', cwd: REPO });

const suite = (name: string, tests: readonly (readonly [string, string, string?])[], message = '') => ({
  name: path.join(REPO, name),
  status: message !== '' || tests.some(([, status]) => status === 'failed') ? 'failed' : 'passed',
  message,
  assertionResults: tests.map(([title, status, why]) => ({
    ancestorTitles: ['a group'],
    title,
    status,
    failureMessages: why === undefined ? [] : [why],
  })),
});
const report = (passed: number, failed: number, skipped: number, testResults: readonly object[]): string =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped, numTodoTests: 0, testResults });

it('names failed tests with the first line of the error, failed steps, and files that could not run; the counts come last', () => {
  const unit = report(2, 1, 1, [
    suite('test/unit/x.test.ts', [
      ['holds', 'passed'],
      ['breaks', 'failed', '\n\x1b[31mAssertionError: expected 1 to be 2\x1b[39m\n    at somewhere'],
    ]),
    suite('test/unit/y.test.ts', [], "Cannot find module '#x'\nmore"),
  ]);
  const loop = report(5, 0, 0, [suite('test/loop/z.test.ts', [['holds', 'passed']])]);
  const { status, stdout } = summary({ 'npm-test.json': unit, 'loop.json': loop, 'vm.json': '{' }, '7', 'lint: exit status 1');
  expect(status).toBe(0);
  expect(stdout.split('\n')).toEqual([
    'step lint: exit status 1',
    'test/unit/x.test.ts > a group > breaks: AssertionError: expected 1 to be 2',
    "test/unit/y.test.ts: Cannot find module '#x'",
    expect.stringMatching(/^vm: its report cannot be read: SyntaxError/),
    '14 2 1',
    '',
  ]);
});

it('is the counts alone where nothing failed', () => {
  expect(summary({ 'unit.json': report(3, 0, 0, []) }, '2').stdout).toBe('5 0 0\n');
});

/** The end of the gate itself, with its steps left out. */
it.each<[string, string, string, number]>([
  ['all is well', '{}', '\n\ntook N min\n5 passed, 0 failed\n', 0],
  ['a test failed', 'failed', '\n=== what failed\ntest/unit/x.test.ts > a group > breaks: boom\n\ntook N min\n4 passed, 1 failed\n', 1],
])('.ci/run ends with one line of counts when %s', (_, which, end, code) => {
  const text = which === '{}' ? report(3, 0, 0, []) : report(2, 1, 0, [suite('test/unit/x.test.ts', [['breaks', 'failed', 'boom']])]);
  const gate = fs.readFileSync(path.join(REPO, '.ci/run'), 'utf8').replaceAll(/^ *(run|tests) .*$/gm, ':');
  const script = gate
    .replace('STEPS_PASSED=0', 'STEPS_PASSED=2')
    .replace('REPORTS=$(mktemp -d)', `REPORTS=${fileTree({ 'unit.json': text })}`);
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, path.join(REPO, '.ci/run')], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([code, '']);
  const said = `\n${stdout.replace(/took \d+ min/, 'took N min')}`;
  expect(said.slice(-end.length)).toBe(end);
});
