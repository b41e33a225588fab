#!/usr/bin/env node
/**
 * ci-summary.mjs REPORTS PASSED_STEPS [FAILED_STEP...]: adds up the steps of a gate and the vitest reports (*.json) in a folder.
 * Prints a line for each failed step, each report that cannot be read, and each failed test ("file > name: first line of its
 * error"); last, in a line of its own, what passed, failed and was skipped: "12 0 1".
 * Runs on any Node from 18.
 */
import fs from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const [reports = '.', passedSteps = '0', ...failedSteps] = process.argv.slice(2);

/** The first line that says something. The text comes from programs under test, so nothing in it may move a cursor. */
function firstLine(text) {
  const line =
    stripVTControlCharacters(text ?? '')
      .split(/[\r\n]+/)
      .find((l) => l.trim() !== '') ?? 'no reason given';
  return line.replace(/[\0-\x1f\x7f-\x9f]/g, '?').slice(0, 300);
}

const counts = { passed: Number(passedSteps), failed: failedSteps.length, skipped: 0 };
const lines = failedSteps.map((step) => `step ${firstLine(step)}`);

function addReport(file) {
  const report = JSON.parse(fs.readFileSync(file, 'utf8'));
  counts.passed += report.numPassedTests;
  counts.failed += report.numFailedTests;
  counts.skipped += report.numPendingTests + (report.numTodoTests ?? 0);
  for (const suite of report.testResults) {
    const name = path.relative(process.cwd(), suite.name);
    const failed = suite.assertionResults.filter((t) => t.status === 'failed');
    for (const t of failed)
      lines.push(`${name} > ${firstLine([...t.ancestorTitles, t.title].join(' > '))}: ${firstLine(t.failureMessages[0])}`);
    // A file that cannot be loaded, or whose set-up failed, has no failed test.
    if (suite.status === 'failed' && failed.length === 0) lines.push(`${name}: ${firstLine(suite.message)}`);
  }
}

for (const file of fs
  .readdirSync(reports)
  .filter((f) => f.endsWith('.json'))
  .sort()) {
  try {
    addReport(path.join(reports, file));
  } catch (error) {
    // Its step has failed too: it is counted there.
    lines.push(`${path.basename(file, '.json')}: its report cannot be read: ${firstLine(String(error))}`);
  }
}

process.stdout.write([...lines, `${counts.passed} ${counts.failed} ${counts.skipped}`, ''].join('\n'));
