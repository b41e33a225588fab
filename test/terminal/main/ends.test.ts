/** How the program ends when its output or its input is not what it hoped for. Runs it from the sources. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MAIN = path.resolve('src/main.ts');
const GOOD = 'spatium_preseed:\n  role: appliance\n';

let dir: string;
beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'ends-'));
  fs.writeFileSync(path.join(dir, 'good.yaml'), GOOD);
  fs.writeFileSync(path.join(dir, 'bad.yaml'), 'spatium_preseed:\n  role: none\n');
  // Name and content alike: a complaint may quote either.
  fs.writeFileSync(path.join(dir, '\x1b[31mevil.json'), '\x1b[31m\x1b]0;pwn\x07\x9b2J{');
  spawnSync('mkfifo', [path.join(dir, 'pipe.yaml')]);
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

function bash(script: string): { code: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, SPATIUM: `${process.execPath} ${MAIN}` };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: dir, env, timeout: 30_000, encoding: 'utf8' });
  return { code: status, stdout, stderr };
}

describe('text of a file in a complaint', () => {
  it.each([
    ["install --plan --preseed good.yaml --machine $'\\x1b[31mevil.json'"],
    ["install --rehearse --machine $'\\x1b[31mevil.json'"],
    ["check --machine $'\\x1b[31mevil.json' good.yaml"],
    ["machine disks --machine $'\\x1b[31mevil.json'"],
    ["machine import --lsblk $'\\x1b[31mevil.json'"],
    ["install --plan --preseed $'\\x1b[31mnone'"],
    ["status --format $'\\x1b[31m'"],
  ])('spatium %s sends no control character', (words) => {
    const { code, stdout, stderr } = bash(`$SPATIUM ${words}`);
    expect(code).toBeGreaterThan(0);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/\\x1b|\\u001b/);
    expect(stderr).not.toMatch(/[\0-\x08\x0b-\x1f\x7f-\x9f]/);
  });
});

describe('standard output that takes no more', () => {
  it.each([['--version'], ['check good.yaml'], ['machine --help'], ['explain hostname']])(
    'spatium %s into a full disk: one line and 74',
    (words) => {
      const { code, stderr } = bash(`$SPATIUM ${words} >/dev/full`);
      expect(stderr).toMatch(/^spatium: cannot write to standard output: ENOSPC[^\n]*\n$/);
      expect(code).toBe(74);
    },
  );

  it.each([
    ['check good.yaml', 0],
    ['check bad.yaml', 1],
    ['explain hostname', 0],
  ])('spatium %s into a closed pipe keeps its verdict %i and says nothing of the pipe', (words, verdict) => {
    const { stdout, stderr } = bash(`{ sleep 0.1; $SPATIUM ${words}; echo "code $?" >&2; } | true`);
    expect(stdout).toBe('');
    expect(stderr).toContain(`code ${verdict}\n`);
    expect(stderr).not.toMatch(/EPIPE|at .*node:/);
  });
});

describe('a large capture', () => {
  const capture = JSON.parse(fs.readFileSync(path.resolve('test/fixtures/machines/two-disks-uefi.json'), 'utf8'));
  const write = (name: string, mib: number): void =>
    fs.writeFileSync(path.join(dir, name), JSON.stringify({ ...capture, raw: { lsblk: 'x'.repeat(mib * 1024 ** 2) } }));
  const FACES = ['install --plan --preseed good.yaml', 'check good.yaml', 'machine disks'];

  it.each(FACES)('is read, or refused for its size, by spatium %s as by every other', (words) => {
    write('large.json', 2);
    write('huge.json', 33);
    expect(bash(`$SPATIUM ${words} --machine large.json`).stderr).not.toMatch(/large\.json/);
    expect(bash(`$SPATIUM ${words} --machine huge.json`).stderr).toContain('huge.json: it is larger than 32 MiB');
  });
});

describe('a pipe instead of a file', () => {
  it('is never taken from a directory', () => {
    const { code, stdout, stderr } = bash('$SPATIUM check .');
    expect(code).toBe(1);
    expect(stdout).toContain('good.yaml');
    expect(stdout + stderr).not.toContain('pipe.yaml');
  });

  it('is read when a command writes into it', () => {
    expect(bash('$SPATIUM check <(cat good.yaml)').code).toBe(0);
    expect(bash('$SPATIUM check <(true)').stderr).toContain('the file is empty');
  });

  it('is given up after ten seconds without data', () => {
    const { code, stderr } = bash(
      '$SPATIUM check pipe.yaml & a=$!; $SPATIUM machine disks --machine pipe.yaml & b=$!; $SPATIUM install --plan --preseed pipe.yaml; c=$?; wait $a; a=$?; wait $b; echo $a $? $c >&2',
    );
    expect(code).toBe(0);
    expect(stderr.match(/pipe\.yaml: no data came within 10 s/g)).toHaveLength(3);
    expect(stderr).toContain('2 2 2');
  }, 30_000);
});
