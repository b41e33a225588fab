import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { lintFile } from '#preseed/lint.ts';
import { humanReport } from '#preseed/report.ts';

const repo = path.resolve(import.meta.dirname, '../../..');
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  ...fs
    .readdirSync(path.join(repo, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((f) => f.endsWith('.md'))
    .map((f) => `docs/${f}`),
];

const examples = documents.flatMap((document) =>
  [...fs.readFileSync(path.join(repo, document), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].map((match, i) => ({
    name: `${document}, example ${i + 1}`,
    text: match[1] ?? '',
  })),
);
/** An answer file is one by its block, or by a key that every example has. */
const whole = examples.filter(({ text }) => /^(spatium[_-]preseed|role):/m.test(text));

describe('every answer file in the documents', () => {
  it('there are some to judge', () => {
    expect(whole.length).toBeGreaterThan(2);
  });

  it.each(whole)('$name lints clean', ({ text }) => {
    expect(lintFile(new TextEncoder().encode(text), { file: 'example.yaml', explicit: true }, null).findings).toEqual([]);
  });
});

/** The file of the mistakes that the README shows; the excerpts there hold its third and fourth line. */
const NODE_7 = `spatium_preseed:
  role: control-plane
  hostname: Node-7.example.org
  network: { mode: static, interface: eno1, ip: 192.0.2.10, prefix: 024, gateway: 192.0.3.1 }
`;

it('the linter says of a file with two mistakes what the README shows', () => {
  const result = lintFile(new TextEncoder().encode(NODE_7), { file: 'node-7.yaml', explicit: true }, null);
  const { stderr } = humanReport([{ file: 'node-7.yaml', result }], false);
  expect(fs.readFileSync(path.join(repo, 'README.md'), 'utf8')).toContain(`--check-preseed node-7.yaml\n${stderr}\`\`\``);
});
