/**
 * The SARIF report against what the 2.1.0 standard asks of the members that are used: which must be there, of what type,
 * within what bounds, and that there are no others.
 */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { lintFile } from '#preseed/lint.ts';
import { sarifReport } from '#preseed/report-ci.ts';
import { caseBytes, type LintCase } from '../../support/lint-cases.ts';

const text = { type: 'string', minLength: 1 };
const object = (properties: Record<string, unknown>, required: readonly string[]): unknown => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const list = (items: unknown): unknown => ({ type: 'array', items });
/** Braces only doubled, or they are placeholders (3.11.5); nothing that makes a link (3.11.6). */
const message = object({ text: { type: 'string', pattern: '^(?:[^{}]|\\{\\{|\\}\\})+$', not: { pattern: '\\]\\(' } } }, ['text']);
const level = { enum: ['none', 'note', 'warning', 'error'] };
const place = { type: 'integer', minimum: 1 };
/** A URI reference (RFC 3986): a percent sign only before two hexadecimal digits, no colon in the first segment of a relative one. */
const uri = { type: 'string', pattern: "^(?:file:///|(?=[^/:]*(?:/|$)))(?:[A-Za-z0-9._~/!$&'()*+,;=@-]|%[0-9A-F]{2})+$" };
const rule = object(
  {
    id: text,
    name: { type: 'string', pattern: '^[A-Z][A-Za-z0-9]*$' },
    shortDescription: message,
    fullDescription: message,
    help: message,
    defaultConfiguration: object({ level }, []),
  },
  ['id'],
);
const location = object(
  {
    physicalLocation: object(
      {
        artifactLocation: object({ uri }, ['uri']),
        region: object({ startLine: place, startColumn: place, endLine: place, endColumn: place }, ['startLine']),
      },
      ['artifactLocation'],
    ),
    logicalLocations: list(object({ fullyQualifiedName: text }, [])),
  },
  [],
);
const result = object({ ruleId: text, ruleIndex: { type: 'integer', minimum: 0 }, level, message, locations: list(location) }, [
  'ruleId',
  'ruleIndex',
  'level',
  'message',
  'locations',
]);
const driver = object({ name: text, informationUri: { type: 'string', pattern: '^https://' }, version: text, rules: list(rule) }, ['name']);
const run = object(
  { tool: object({ driver }, ['driver']), columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] }, results: list(result) },
  ['tool'],
);
const log = object({ $schema: { type: 'string', pattern: '^https?://' }, version: { const: '2.1.0' }, runs: list(run) }, [
  'version',
  'runs',
]);

const isSarif = new Ajv({ allErrors: true }).compile(log as object);
const dir = path.resolve(import.meta.dirname, '../../golden/preseed');
const goldenFiles = fs.readdirSync(dir).filter((name) => name.endsWith('.yaml'));
const caseLists = fs.readdirSync(path.join(dir, 'lint-cases'));

interface Log {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly locations: readonly [
          {
            readonly physicalLocation: {
              readonly artifactLocation: { readonly uri: string };
              readonly region: Readonly<Record<'startLine' | 'startColumn' | 'endLine' | 'endColumn', number | undefined>>;
            };
          },
        ];
      }[];
    },
  ];
}

interface Input {
  readonly file: string;
  readonly bytes: Uint8Array;
}

const golden = (name: string): Input => ({ file: name, bytes: new Uint8Array(fs.readFileSync(path.join(dir, name))) });
const casesIn = (list: string): readonly Input[] =>
  (JSON.parse(fs.readFileSync(path.join(dir, 'lint-cases', list), 'utf8')) as readonly LintCase[]).map((c) => ({
    file: `${c.id}.yaml`,
    bytes: caseBytes(c),
  }));

function expectSound(inputs: readonly Input[]): void {
  const reports = inputs.map(({ file, bytes }) => ({ file, result: lintFile(bytes, { file, explicit: true }, null) }));
  const report: Log = JSON.parse(sarifReport(reports, '1.2.3'));
  isSarif(report);
  expect(isSarif.errors ?? []).toEqual([]);
  const [{ tool, results }] = report.runs;
  const ids = tool.driver.rules.map((spec) => spec.id);
  expect(new Set(ids).size).toBe(ids.length);
  const texts = new Map(reports.map(({ file, result: { read } }) => [file, read.source.text.split('\n')]));
  for (const { ruleId, ruleIndex, locations } of results) {
    expect(ids[ruleIndex]).toBe(ruleId);
    const { region, artifactLocation } = locations[0].physicalLocation;
    const lines = texts.get(decodeURIComponent(artifactLocation.uri)) ?? [];
    const { startLine = 0, startColumn = 1, endLine = startLine, endColumn = startColumn } = region;
    // The end column is one past the last character, in UTF-16 units, and no region leaves the file.
    expect(startLine).toBeLessThanOrEqual(Math.max(1, lines.length));
    expect(startColumn).toBeLessThanOrEqual((lines[startLine - 1]?.length ?? 0) + 1);
    expect(endLine).toBe(startLine);
    expect(endColumn).toBeGreaterThanOrEqual(startColumn);
    expect(endColumn).toBeLessThanOrEqual((lines[endLine - 1]?.length ?? 0) + 1);
  }
}

describe('the SARIF report', () => {
  it('is sound without a file', () => expectSound([]));
  it.each(goldenFiles)('is sound for %s', (name) => expectSound([golden(name)]));
  it.each(caseLists)('is sound for every case of %s', (list) => expectSound(casesIn(list)));
  it('is sound for all of them in one run', () => expectSound([...goldenFiles.map(golden), ...caseLists.flatMap(casesIn)]));

  it('doubles braces, and makes no link of what an answer holds', () => {
    const bytes = new TextEncoder().encode(
      'role: appliance\nhostname: "{0}"\nntp_servers: "[a](https://b.example)"\npairing_code: {{ code }}\n',
    );
    expectSound([{ file: 'braces.yaml', bytes }]);
    const result = lintFile(bytes, { file: 'braces.yaml', explicit: true }, null);
    expect(sarifReport([{ file: 'braces.yaml', result }], '0')).toContain('{{{{...}}}}');
  });

  const result0 = { ruleId: 'a', ruleIndex: 0, level: 'error', message: { text: 'x' }, locations: [] };
  const withUri = (at: string) => [{ physicalLocation: { artifactLocation: { uri: at } } }];
  it.each([
    ['a tool without a driver', { tool: {} }],
    ['a level that is none', { tool: { driver: { name: 'a' } }, results: [{ ...result0, level: 'fatal' }] }],
    ['a member more', { tool: { driver: { name: 'a' } }, results: [{ ...result0, more: 1 }] }],
    ['a lone brace', { tool: { driver: { name: 'a' } }, results: [{ ...result0, message: { text: 'a {0}' } }] }],
    ['a link', { tool: { driver: { name: 'a' } }, results: [{ ...result0, message: { text: '[a](b)' } }] }],
    ['a blank in a URI', { tool: { driver: { name: 'a' } }, results: [{ ...result0, locations: withUri('a b') }] }],
    ['a colon in the first segment', { tool: { driver: { name: 'a' } }, results: [{ ...result0, locations: withUri('a:b/c') }] }],
    ['a broken escape', { tool: { driver: { name: 'a' } }, results: [{ ...result0, locations: withUri('a%2') }] }],
    [
      'column 0',
      {
        tool: { driver: { name: 'a' } },
        results: [
          { ...result0, locations: [{ physicalLocation: { artifactLocation: { uri: 'a' }, region: { startLine: 1, startColumn: 0 } } }] },
        ],
      },
    ],
  ])('%s would be told', (_what, bad) => expect(isSarif({ version: '2.1.0', runs: [bad] })).toBe(false));

  it('the same with nothing wrong is taken', () =>
    expect(
      isSarif({ version: '2.1.0', runs: [{ tool: { driver: { name: 'a' } }, results: [{ ...result0, locations: withUri('a/b') }] }] }),
    ).toBe(true));
});
