/** What a YAML 1.1 reader makes of a scalar: ours against PyYAML's, recorded, and live where PyYAML is installed. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { read11 } from '#preseed/yaml11.ts';

type Row = readonly [text: string, type: string, value: string];

const dir = import.meta.dirname;
const recorded: readonly Row[] = JSON.parse(fs.readFileSync(path.join(dir, 'pyyaml-scalars.json'), 'utf8'));

function difference([text, type, value]: Row): string | null {
  const ours = read11(text);
  const got = ours === null ? 'str' : ours.kind === 'error' ? 'error' : ours.text;
  const wanted = type === 'str' || type === 'error' ? type : value;
  return got === wanted ? null : `${JSON.stringify(text)}: PyYAML ${wanted}, ours ${got}`;
}

const differences = (rows: readonly Row[]): readonly string[] => rows.flatMap((row) => difference(row) ?? []);

test('recorded readings of PyYAML', () => {
  expect(recorded.length).toBeGreaterThan(2000);
  expect(differences(recorded)).toEqual([]);
});

const hasPyYaml = spawnSync('python3', ['-c', 'import yaml']).status === 0;
describe.runIf(hasPyYaml)('PyYAML itself', () => {
  test('ten thousand scalars', () => {
    const seed = process.env['SPATIUM_SEED'] ?? '20261';
    const { stdout } = spawnSync('python3', [path.join(dir, 'pyyaml.py'), seed, '10000'], {
      encoding: 'utf8',
      maxBuffer: 16 * 1024 * 1024,
    });
    const rows: readonly Row[] = JSON.parse(stdout);
    expect(rows.length).toBe(10_000);
    expect(differences(rows)).toEqual([]);
  });
});
