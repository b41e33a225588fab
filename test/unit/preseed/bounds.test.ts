/** Hostile files: bounded work, no exception, one clear finding. */
import { expect, test } from 'vitest';
import { lintFile } from '#preseed/lint.ts';
import { humanReport, jsonReport } from '#preseed/report.ts';
import { githubReport, sarifReport } from '#preseed/report-ci.ts';

const SIZE = 60_000;
const lint = (text: string) => lintFile(new TextEncoder().encode(text), { file: 'x.yaml', explicit: true }, null);
const bomb = `x-0: &a0 [b]\n${Array.from({ length: 30 }, (_, i) => `x-${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]\n`).join('')}role: appliance\nntp_servers: *a30\n`;

/** Below this the processor time of a small file is mostly noise. */
const FLOOR_MS = 100;

const BUSY_MACHINE_MS = 120_000;

/** Processor time, not the clock: the machine may be busy. */
function timed<T>(work: () => T): { readonly value: T; readonly spentMs: number } {
  const before = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(before);
  return { value, spentMs: (user + system) / 1000 };
}

/**
 * What `work` makes of the text. Four times the text costs about four times as much; the least of three tries, as some
 * meet the compiler or the collector.
 */
function bounded<T>(text: string, work: (text: string) => T): T {
  const ratios: number[] = [];
  for (;;) {
    const small = timed(() => work(text.slice(0, text.length / 4)));
    const whole = timed(() => work(text));
    ratios.push(whole.spentMs / Math.max(small.spentMs, FLOOR_MS));
    if (ratios.length < 3 && Math.min(...ratios) >= 10) continue;
    expect(Math.min(...ratios)).toBeLessThan(10);
    return whole.value;
  }
}

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
  ['a: "b"\n', 'key.duplicate'],
  ['\\', 'yaml.syntax'],
])(
  '%j over and over',
  (piece, rule) => {
    const result = bounded(`role: appliance\n${piece.repeat(SIZE / piece.length)}`, (text) => {
      const linted = lint(text);
      const report = [{ file: 'x.yaml', result: linted }];
      humanReport(report, false);
      jsonReport(report);
      return linted;
    });
    expect(result.findings.map((f) => f.rule)).toContain(rule);
  },
  BUSY_MACHINE_MS,
);

test.each(['role: "x\n', 'role: [x\nhostname: a\n', 'role: x\t\n'])('an alias bomb before %j', (tail) => {
  const found = bounded(`${bomb}${tail}`, (text) => lint(text).findings);
  expect(found.map((f) => f.rule)).toContain('yaml.alias-limit');
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

const repeated = (count: number, line: (i: number) => string): string => Array.from({ length: count }, (_, i) => line(i)).join('');

test.each([
  ['sixty thousand unknown keys', `spatium_preseed:\n${repeated(60_000, (i) => `  k${i}: ${i}\n`)}`, 'file.crowded'],
  ['thirty thousand unknown keys', `spatium_preseed:\n${repeated(30_000, (i) => `  k${i}: ${i}\n`)}`, 'file.more'],
  ['open quotes', `spatium_preseed:\n${'  hostname: "a\n'.repeat(60_000)}`, 'file.crowded'],
  ['anchors', `spatium_preseed:\n${repeated(50_000, (i) => `  h${i}: &a${i} x\n`)}`, 'file.crowded'],
  [
    'keys that hold the password',
    `spatium_preseed:\n  admin_password: a1b2c3d4\n${repeated(20_000, (i) => `  a1b2c3d4${i}: a1b2c3d4\n`)}`,
    'file.more',
  ],
  ['a million quotes', '"'.repeat(1_000_000), 'file.crowded'],
  ['a million line ends', '\n'.repeat(1_000_000), 'block.missing'],
  ['open templates', `spatium_preseed:\n  hostname: "${'${'.repeat(400_000)}"\n`, 'hostname.characters'],
  ['name servers', `spatium_preseed:\n  network: {mode: static, dns: [${repeated(70_000, (i) => `x${i}, `)}]}\n`, 'file.more'],
])(
  '%s: bounded work and a bounded report',
  (_name, text, rule) => {
    const { result, sizes } = bounded(text, (some) => {
      const linted = lint(some);
      const report = [{ file: 'x.yaml', result: linted }];
      const { stdout, stderr } = humanReport(report, false);
      const texts = [stdout + stderr, jsonReport(report), sarifReport(report, '0'), githubReport(report)];
      return { result: linted, sizes: texts.map((t) => t.length) };
    });
    expect(result.isValid).toBe(false);
    expect(result.findings.map((f) => f.rule)).toContain(rule);
    expect(Math.max(...sizes)).toBeLessThan(1.2e6);
  },
  BUSY_MACHINE_MS,
);
