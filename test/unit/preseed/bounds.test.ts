/** Hostile files: bounded work, no exception, one clear finding. */
import { expect, test } from 'vitest';
import { lintFile } from '#preseed/lint.ts';
import { humanReport, jsonReport } from '#preseed/report.ts';

const SIZE = 60_000;
const lint = (text: string) => lintFile(new TextEncoder().encode(text), { file: 'x.yaml', explicit: true }, null);
const bomb = `x-0: &a0 [b]\n${Array.from({ length: 30 }, (_, i) => `x-${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]\n`).join('')}role: appliance\nntp_servers: *a30\n`;

test.each([
  ['[', 'yaml.depth'],
  ['{', 'yaml.depth'],
  ['- ', 'yaml.depth'],
  ['? ', 'yaml.depth'],
  ['&a ', 'yaml.syntax'],
  ['!a ', 'yaml.syntax'],
  ['- a\n', 'yaml.syntax'],
  ['|\n', 'yaml.syntax'],
  ['---\n', 'yaml.documents'],
  ['a: "b"\n', 'key.unknown'],
  ['\\', 'yaml.syntax'],
])('%j over and over', (piece, rule) => {
  // Processor time, not the clock: the machine may be busy.
  const before = process.cpuUsage();
  const result = lint(`role: appliance\n${piece.repeat(SIZE / piece.length)}`);
  const report = [{ file: 'x.yaml', result }];
  humanReport(report, false);
  jsonReport(report);
  const used = process.cpuUsage(before);
  expect((used.user + used.system) / 1e6).toBeLessThan(5);
  expect(result.findings.map((f) => f.rule)).toContain(rule);
});

test('an alias bomb', () => expect(lint(bomb).findings.map((f) => f.rule)).toEqual(['yaml.alias-limit']));
test('a list of sixty thousand entries', () => expect(lint(`x-list: [${'a,'.repeat(SIZE)}]\nrole: appliance\n`).isValid).toBe(true));
test('one byte over a mebibyte', () => {
  expect(lint(`role: appliance\n${'#'.repeat(1024 * 1024 - 16)}`).isValid).toBe(true);
  expect(lint(`role: appliance\n${'#'.repeat(1024 * 1024 - 15)}`).findings.map((f) => f.rule)).toEqual(['file.too-large']);
});
test('every byte value', () => {
  const result = lintFile(
    Uint8Array.from({ length: 256 }, (_, i) => i),
    { file: 'x', explicit: true },
    null,
  );
  expect(result.isValid).toBe(false);
});
