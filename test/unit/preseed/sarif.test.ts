/** File names in SARIF: relative to the working directory, escaped as a URI. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { lintFile } from '#preseed/lint.ts';
import { sarifReport } from '#preseed/report-ci.ts';

const uriOf = (file: string): string => {
  const result = lintFile(new TextEncoder().encode('role: nonsense\n'), { file, explicit: true }, null);
  return JSON.parse(sarifReport([{ file, result }], '0')).runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri;
};

test.each([
  ['answers.yaml', 'answers.yaml'],
  ['./sub/answers.yaml', 'sub/answers.yaml'],
  [path.resolve('sub/a b#1.yaml'), 'sub/a%20b%231.yaml'],
  ['a:b%.yaml', 'a%3Ab%25.yaml'],
  ['/elsewhere/x.yaml', 'file:///elsewhere/x.yaml'],
])('%s', (file, uri) => expect(uriOf(file)).toBe(uri));
