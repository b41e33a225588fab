import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const repo = path.resolve(import.meta.dirname, '../../..');
const check = (script: string, root: string) =>
  spawnSync(process.execPath, [path.join(repo, 'scripts', script), root], { encoding: 'utf8' });
const lint = (root: string) => check('lint-imports.mjs', root);

/** A tree with the given files; whoever asks for it removes it. */
function tree(files: Record<string, string>): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'imports-'));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    fs.writeFileSync(path.join(root, name), text);
  }
  return root;
}

/** File, source, and the words with which the violation must be named. */
const BROKEN: readonly [string, string, RegExp][] = [
  ['src/model/a.ts', "import { judge } from '#rules/judge.ts';", /src\/model\/a\.ts:1 .*not src\/rules/],
  ['src/rules/b.ts', "// why\nimport fs from 'node:fs';", /src\/rules\/b\.ts:2 .*no node: module/],
  ['installer/wizard/c.tsx', "import type { x } from '../engine/run-plan.ts';", /installer\/wizard\/c\.tsx:1 .*not installer\/engine/],
  ['console/panels/d.tsx', "export { y } from '#supervisor/y.ts';", /console\/panels\/d\.tsx:1 .*not src\/supervisor/],
  ['preseed/e.ts', "const m = await import('execa');", /preseed\/e\.ts:1 .*may use yaml/],
  ['src/ui/f.ts', "import { spawn } from 'node:child_process';", /src\/ui\/f\.ts:1 .*src\/system/],
  ['installer/plan/g.ts', 'const z = require("#installer/wizard/state.ts");', /installer\/plan\/g\.ts:1 .*not installer\/wizard/],
  ['src/stray.ts', "import { A } from '#model/a.ts';", /src\/stray\.ts:1 .*stands in no room/],
];

describe('import directions', () => {
  it('names every forbidden import, by file and line', () => {
    const root = tree(Object.fromEntries(BROKEN.map(([file, text]) => [file, text])));
    const result = lint(root);
    fs.rmSync(root, { recursive: true });
    expect(result.status).toBe(1);
    for (const [, , expected] of BROKEN) expect(result.stderr).toMatch(expected);
    expect(result.stderr).toContain(`${BROKEN.length} forbidden import(s)`);
  });

  it('reads no import in a comment or a string', () => {
    const root = tree({ 'src/model/a.ts': "/* import x from '#rules/x.ts' */\n// import '#rules/y.ts'\nexport const a = 1;\n" });
    const result = lint(root);
    fs.rmSync(root, { recursive: true });
    expect(result.status).toBe(0);
  });

  it('finds the house itself in order', () => {
    expect(lint(repo).stderr).toBe('');
  });
});

describe('exports', () => {
  it('names a value that no other file mentions, and neither types nor what a comment alone mentions elsewhere', () => {
    const root = tree({
      'src/model/a.ts': [
        'export const used = 1;',
        'export async function alone() {}',
        'export class Told {}',
        'export type Shape = string;',
      ].join('\n'),
      'console/b.ts': "// alone\n/** Told */\nimport { used } from '#model/a.ts';\nused;\n",
    });
    const result = check('lint-exports.mjs', root);
    fs.rmSync(root, { recursive: true });
    expect(result.status).toBe(1);
    expect(result.stderr.trimEnd().split('\n')).toEqual(
      ['alone', 'Told'].map((name) => `src/model/a.ts: ${name} is exported, and no other file uses it`),
    );
  });

  it('finds the house itself in order', () => {
    expect(check('lint-exports.mjs', repo).stderr).toBe('');
  });
});
