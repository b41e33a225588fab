import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lintFile } from '#preseed/lint.ts';

const repo = path.resolve(import.meta.dirname, '../../..');
const documents = [
  'README.md',
  ...fs
    .readdirSync(path.join(repo, 'docs'))
    .filter((f) => f.endsWith('.md'))
    .map((f) => `docs/${f}`),
];

const examples = documents.flatMap((document) =>
  [...fs.readFileSync(path.join(repo, document), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map((match, i) => ({
    name: `${document}, example ${i + 1}`,
    text: match[1] ?? '',
  })),
);
const whole = examples.filter(({ text }) => /^spatium[_-]preseed:/m.test(text));

describe('every answer file in the documents', () => {
  it('is found', () => {
    expect(whole.length).toBeGreaterThan(0);
  });

  it.each(whole)('$name lints clean', ({ text }) => {
    expect(lintFile(new TextEncoder().encode(text), { file: 'example.yaml', explicit: true }, null).findings).toEqual([]);
  });
});
