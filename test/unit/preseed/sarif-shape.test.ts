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

const text = { type: 'string', minLength: 1 };
const object = (properties: Record<string, unknown>, required: readonly string[]): unknown => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const list = (items: unknown): unknown => ({ type: 'array', items });
const message = object({ text }, ['text']);
const level = { enum: ['none', 'note', 'warning', 'error'] };
const place = { type: 'integer', minimum: 1 };
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
        artifactLocation: object({ uri: { type: 'string', pattern: "^[A-Za-z0-9._~:/%!$&'()*+,;=@-]+$" } }, ['uri']),
        region: object({ startLine: place, startColumn: place, endLine: place, endColumn: place }, ['startLine']),
      },
      ['artifactLocation'],
    ),
    logicalLocations: list(object({ fullyQualifiedName: text }, [])),
  },
  [],
);
const result = object({ ruleId: text, ruleIndex: { type: 'integer', minimum: 0 }, level, message, locations: list(location) }, ['message']);
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
const files = fs.readdirSync(dir).filter((name) => name.endsWith('.yaml'));

interface Log {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly results: readonly {
        readonly ruleId: string;
        readonly ruleIndex: number;
        readonly locations: readonly [{ readonly physicalLocation: { readonly region: Readonly<Record<string, number>> } }];
      }[];
    },
  ];
}

const reportOf = (names: readonly string[]): Log =>
  JSON.parse(
    sarifReport(
      names.map((name) => {
        const bytes = new Uint8Array(fs.readFileSync(path.join(dir, name)));
        return { file: name, result: lintFile(bytes, { file: name, explicit: true }, null) };
      }),
      '1.2.3',
    ),
  );

describe('the SARIF report', () => {
  it.each([['no file at all', []], ...files.map((name): [string, string[]] => [name, [name]]), ['all of them', files]])(
    '%s',
    (_name, names) => {
      const report = reportOf(names);
      isSarif(report);
      expect(isSarif.errors ?? []).toEqual([]);
      const [{ tool, results }] = report.runs;
      const ids = tool.driver.rules.map((spec) => spec.id);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { ruleId, ruleIndex, locations } of results) {
        expect(ids[ruleIndex]).toBe(ruleId);
        const { startLine = 0, startColumn = 0, endLine = startLine, endColumn = startColumn } = locations[0].physicalLocation.region;
        expect(endLine > startLine || (endLine === startLine && endColumn >= startColumn)).toBe(true);
      }
    },
  );

  it('fails the test when a member is wrong', () => {
    expect(isSarif({ version: '2.1.0', runs: [{ tool: {} }] })).toBe(false);
    expect(isSarif({ version: '2.1.0', runs: [], extra: 1 })).toBe(false);
  });
});
