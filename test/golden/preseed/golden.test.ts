/** NAME.yaml against NAME.expected.json: every finding with its place, and the human form. UPDATE_GOLDEN=1 writes them anew. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { lintFile } from '#preseed/lint.ts';
import { humanReport, jsonReport } from '#preseed/report.ts';

const dir = import.meta.dirname;
const names = fs
  .readdirSync(dir)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -5));

test('there are golden files', () => expect(names.length).toBeGreaterThan(8));

test.each(names)('%s', (name) => {
  const bytes = new Uint8Array(fs.readFileSync(path.join(dir, `${name}.yaml`)));
  const report = { file: `${name}.yaml`, result: lintFile(bytes, { file: `${name}.yaml`, explicit: true }, null) };
  const { stdout, stderr } = humanReport([report], false);
  const got = { ...JSON.parse(jsonReport([report])).files[0], human: `${stdout}${stderr}`.split('\n') };
  const expectedFile = path.join(dir, `${name}.expected.json`);
  if (process.env['UPDATE_GOLDEN'] === '1') fs.writeFileSync(expectedFile, `${JSON.stringify(got, null, 2)}\n`);
  expect(got).toEqual(JSON.parse(fs.readFileSync(expectedFile, 'utf8')));
});
