/** The linter as a process: words, exit codes, streams. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const launcher = path.resolve(import.meta.dirname, '../../../scripts/dev-lint.mjs');
let dir = '';
const at = (name: string): string => path.join(dir, name);

beforeAll(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'lint-cli-'));
  fs.writeFileSync(at('good.yaml'), 'role: appliance\nhostname: edge-1\n');
  fs.writeFileSync(at('warned.yaml'), 'role: appliance\nhostname: Edge-1\n');
  fs.writeFileSync(at('elsewhere.yaml'), 'role: appliance\nconfirm_wipe: true\ntarget_disk: /dev/disk/by-id/ata-NOT_HERE\n');
  fs.writeFileSync(at('bad.yaml'), 'role: worker\n');
  fs.writeFileSync(at('user-data'), '#cloud-config\nhostname: web\n');
});
afterAll(() => fs.rmSync(dir, { recursive: true }));

function lint(words: readonly string[], input = '') {
  const result = spawnSync(process.execPath, [launcher, ...words], {
    encoding: 'utf8',
    input,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  return { code: result.status, out: result.stdout, err: result.stderr };
}

test('a valid file: one OK line, nothing on standard error', () => {
  const { code, out, err } = lint(['--check-preseed', at('good.yaml')]);
  expect(code).toBe(0);
  expect(out).toMatch(
    /^OK: .*good\.yaml is a valid spatium preseed \(role=appliance, fully-unattended=no\)\.\n {4}will be asked on the console: target_disk/,
  );
  expect(err).toBe('');
});

test('warnings go to standard output, and --strict makes them count', () => {
  expect(lint(['--check-preseed', at('warned.yaml')])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^WARN: .*warned\.yaml:2:11: /),
    err: '',
  });
  expect(lint(['--strict', '--check-preseed', at('warned.yaml')]).code).toBe(1);
});

test('what this machine could not check does not count', () => {
  const { code, out } = lint(['--check-preseed', at('elsewhere.yaml'), '--strict']);
  expect(out).toMatch(/WARN: .*does not exist on this machine/);
  expect(code).toBe(0);
});

test('errors go to standard error', () => {
  expect(lint(['--check-preseed', at('bad.yaml')])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/^ERROR: .*bad\.yaml:1:7: /),
  });
});

test('--fix says that it has nothing to mend, and leaves the file alone', () => {
  const text = 'role: appliance\nhostname: edge-1.example.org\n';
  fs.writeFileSync(at('dotted.yaml'), text);
  for (const words of [['--fix'], ['--fix', '--dry-run']]) {
    const { code, err } = lint(['--check-preseed', at('dotted.yaml'), ...words]);
    expect(code).toBe(1);
    expect(err).toMatch(/^NOT FIXED: .*dotted\.yaml: [^\n]*\nERROR: /);
  }
  expect(fs.readFileSync(at('dotted.yaml'), 'utf8')).toBe(text);
  fs.rmSync(at('dotted.yaml'));
  expect(lint(['--check-preseed', at('good.yaml'), '--fix']).err).toBe('');
});

test('user-data counts by its wrapper only', () => {
  expect(lint(['--check-preseed', at('user-data')])).toMatchObject({ code: 1, err: expect.stringMatching(/no spatium preseed content/) });
});

test.each([
  ['no file', ['--check-preseed']],
  ['an unknown option', ['--check-preseed', '/dev/null', '--nonsense']],
  ['an unknown format', ['--check-preseed', '/dev/null', '--format', 'xml']],
  ['a format without a value', ['--check-preseed', '/dev/null', '--format']],
  ['--dry-run alone', ['--check-preseed', '/dev/null', '--dry-run']],
])('%s is a wrong call', (_name, words) => expect(lint(words)).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/^usage: /) }));

test.each([
  ['none', launcher, /^ERROR: --machine: .*: not JSON/m],
  ['not there', at('no-such-capture.json'), /^ERROR: --machine: .*no such file/m],
])('a capture that is %s: the reason, and no lesson about the call', (_name, capture, why) => {
  const { code, err } = lint(['--check-preseed', '/dev/null', '--machine', capture]);
  expect(code).toBe(2);
  expect(err).toMatch(why);
  expect(err).not.toMatch(/usage/);
});

test('with --strict a file with warnings is not called good', () => {
  const { code, out, err } = lint(['--strict', '--check-preseed', at('warned.yaml')]);
  expect(code).toBe(1);
  expect(out).not.toMatch(/^OK: /m);
  expect(err).toMatch(/^.*warned\.yaml: [0-9]+ warnings?; refused, since --strict takes none\.$/m);
});

test('explain: help is no error, an unknown word is one', () => {
  expect(lint(['explain', '--help'])).toMatchObject({ code: 0, out: expect.stringMatching(/^usage: /) });
  expect(lint(['explain', 'nosuch'])).toMatchObject({ code: 2, err: expect.stringMatching(/^usage: /m) });
});

test.each([
  ['that does not exist', 'none.yaml', /no such file/],
  ['that is a device', '/dev/null', /it is a device/],
])('a file %s: the reason and the call', (_name, name, why) => {
  const { code, out, err } = lint(['--check-preseed', path.resolve(dir, name)]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(why);
  expect(err).toMatch(/^usage: /m);
});

test('the parser of old: one value is judged, a whole file is not', () => {
  expect(lint(['preseed-parse', '--check-field', 'admin_user', 'root'])).toMatchObject({
    code: 2,
    out: expect.stringMatching(/reserved/),
    err: '',
  });
  expect(lint(['preseed-parse', 'a', 'b', 'c'])).toMatchObject({ code: 3, out: '', err: expect.stringMatching(/^usage: /) });
});

test('a missing file is told, and the others are linted all the same', () => {
  const { code, out, err } = lint(['--check-preseed', at('none.yaml'), at('good.yaml')]);
  expect(code).toBe(2);
  expect(err).toMatch(/none\.yaml: no such file/);
  expect(out).toMatch(/^OK: /);
});

test('standard input, several files and directories in JSON', () => {
  const stdin = JSON.parse(lint(['--check-preseed', '-', '--format', 'json'], 'role: appliance\n').out);
  expect(stdin.files).toMatchObject([{ file: '-', valid: true, role: 'appliance' }]);
  const all = lint(['--check-preseed', dir, '--format=json']);
  expect(all.code).toBe(1);
  expect(JSON.parse(all.out).files.map((f: { file: string }) => path.basename(f.file))).toEqual([
    'bad.yaml',
    'elsewhere.yaml',
    'good.yaml',
    'warned.yaml',
  ]);
});

test('SARIF and GitHub forms', () => {
  const sarif = JSON.parse(lint(['--check-preseed', at('bad.yaml'), '--format', 'sarif']).out);
  expect(sarif).toMatchObject({ version: '2.1.0', $schema: expect.stringMatching(/^https:.*sarif.*2\.1\.0/) });
  const [run] = sarif.runs;
  const [first] = run.results;
  expect(first).toMatchObject({ ruleId: 'role.unknown', level: 'error', message: { text: expect.any(String) } });
  expect(run.tool.driver).toMatchObject({
    name: expect.any(String),
    informationUri: expect.stringMatching(/^https:/),
    version: expect.any(String),
  });
  expect(run.tool.driver.rules[first.ruleIndex]).toMatchObject({
    id: 'role.unknown',
    name: 'RoleUnknown',
    shortDescription: { text: expect.any(String) },
    fullDescription: { text: expect.any(String) },
    help: { text: expect.any(String) },
    defaultConfiguration: { level: 'error' },
  });
  const { artifactLocation, region } = first.locations[0].physicalLocation;
  expect(artifactLocation.uri).toMatch(/^file:\/\/\/.*bad\.yaml$/);
  expect(region).toMatchObject({ startLine: expect.any(Number), startColumn: expect.any(Number) });
  expect(lint(['--check-preseed', at('bad.yaml'), '--format', 'github']).out).toMatch(
    /^::error file=.*bad\.yaml,line=1,col=7,endColumn=13,title=role\.unknown::role is not a role/,
  );
});

test('a password is checked from standard input', () => {
  expect(lint(['--check-field', 'admin_password', '-', 'ops', 'ddi'], 'short\n')).toMatchObject({
    code: 2,
    out: expect.stringMatching(/too short/),
  });
  expect(lint(['--check-field', 'nonsense', 'x']).code).toBe(3);
});

test('explain and the starter', () => {
  expect(lint(['explain', 'timezone'])).toMatchObject({ code: 0, out: expect.stringMatching(/IANA/) });
  expect(lint(['explain', 'timezon'])).toMatchObject({ code: 2, err: expect.stringMatching(/did you mean timezone/) });
  expect(lint(['preseed', 'init', 'appliance'])).toMatchObject({ code: 0, out: expect.stringMatching(/role: appliance/) });
});
