/** `--fix` on every answer-file case of ours: it mends what it says, touches nothing else, brings nothing new, and has no second thought. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PlacedFinding } from '#model/finding.ts';
import { diffText, type Fixed, fixText } from '#preseed/fix.ts';
import { settle } from '#rules/settle.ts';
import { caseBytes, type LintCase } from '../../support/lint-cases.ts';

const dir = path.join(import.meta.dirname, 'lint-cases');
const cases = fs
  .readdirSync(dir)
  .flatMap((name): readonly LintCase[] => JSON.parse(fs.readFileSync(path.join(dir, name), 'utf8')))
  .filter((c) => c.file !== undefined || c.file_base64 !== undefined);

/** Rules whose spelling can be mended without a guess. */
const MENDED = new Set([
  'address.prefix',
  'boolean.quoted',
  'boolean.word',
  'hostname.upper',
  'k3s.host-bits',
  'key.unknown',
  'timezone.renamed',
  'timezone.unknown',
  'value.blanks',
  'value.odd-blank',
  'yaml.reading',
  'yaml.tab',
]);

const fix = (c: LintCase, text?: string): Fixed => {
  const file = c.filename ?? 'spatium-preseed.yaml';
  return fixText(text === undefined ? caseBytes(c) : new TextEncoder().encode(text), { file, explicit: file !== 'user-data' });
};
const idOf = (f: PlacedFinding): string => `${f.rule} ${f.path}`;
const linesOf = (fixed: Fixed): readonly [readonly string[], readonly string[]] => [
  fixed.before.read.source.text.split('\n'),
  fixed.text.split('\n'),
];

/** What two texts have in common at their start. */
function commonStart(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
const reversed = (text: string): string => [...text].reverse().join('');

interface Changed {
  readonly line: number;
  readonly old: string;
  readonly new: string;
  readonly mended: readonly PlacedFinding[];
}

function changedLines(fixed: Fixed): readonly Changed[] {
  const [before, after] = linesOf(fixed);
  const mendable = fixed.before.findings.filter((f) => MENDED.has(f.rule));
  return before.flatMap((old, i) =>
    old === after[i] ? [] : [{ line: i + 1, old, new: after[i] ?? '', mended: mendable.filter((f) => f.line === i + 1) }],
  );
}

const all = cases.map((c) => [c.id, c, fix(c)] as const);
const touched = all.filter(([, , fixed]) => fixed.changes > 0);

test('enough of them are mended', () => expect(touched.length).toBeGreaterThan(80));

describe.each(all)('%s', (_id, c, fixed) => {
  test('brings no fault, and leaves what it leaves for good', () => {
    const known = new Set(fixed.before.findings.map(idOf));
    const isRenamed = fixed.before.findings.some((f) => f.rule === 'key.unknown');
    const added = fixed.after.findings.filter((f) => f.severity === 'error' && !known.has(idOf(f)));
    expect(isRenamed ? [] : added).toEqual([]);
    expect(fix(c, fixed.text)).toMatchObject({ changes: 0, text: fixed.text });
    for (const secret of c.must_not_print ?? []) expect(diffText('x.yaml', fixed)).not.toContain(secret);
  });
});

describe.each(touched)('%s', (_id, _case, fixed) => {
  test('changes only where something was found, and that is gone', () => {
    const [before, after] = linesOf(fixed);
    expect(after.length).toBe(before.length);
    const left = new Set(fixed.after.findings.map((f) => `${idOf(f)} ${f.line}`));
    for (const { mended, old, new: now } of changedLines(fixed)) {
      expect(mended.filter((f) => !left.has(`${idOf(f)} ${f.line}`)).length).toBeGreaterThan(0);
      if (mended.some((f) => f.rule === 'key.unknown' || f.rule === 'yaml.tab')) continue;
      // Outside of the places that were pointed at, the line is the same to the character.
      expect(commonStart(old, now)).toBeGreaterThanOrEqual(Math.min(...mended.map((f) => f.column - 1)));
      const tail = old.length - Math.max(...mended.map((f) => (f.endColumn ?? 1) - 1));
      expect(commonStart(reversed(old), reversed(now))).toBeGreaterThanOrEqual(tail);
    }
  });
});

const complete = touched.filter(([, , { before }]) => before.isValid && before.isFullyUnattended);
test.each(complete)('%s: the answers are as they were', (_id, _case, { before, after }) =>
  expect(settle(after.read.answers)).toEqual(settle(before.read.answers)),
);

test.each([
  ['gw-prefix', 'gateway: 192.168.40.1'],
  ['pfx-gw6', 'gateway6: '],
  ['pfx-dns-list', 'dns: '],
  ['pfx-ntp', 'ntp_servers: 192.0.2.9'],
  ['odd-bool', 'confirm_wipe: true'],
  ['odd-host-zero-width', 'hostname: ddione'],
  ['odd-ip', 'ip: 192.168.40.10'],
  ['odd-ntp-between', "ntp_servers: 'a.example b.example'"],
  ['code-nbsp', "pairing_code: '4829 1037'"],
])('%s is valid afterwards', (id, wanted) => {
  const fixed = all.find(([name]) => name === id)?.[2];
  expect(fixed?.text).toContain(wanted);
  expect(fixed?.after.findings.filter((f) => f.severity === 'error')).toEqual([]);
});

test.each(['pfx-gw-other-length', 'odd-host-inside', 'ip-slash-mask'])('%s is no matter of spelling, and is left alone', (id) =>
  expect(all.find(([name]) => name === id)?.[2].changes).toBe(0),
);
