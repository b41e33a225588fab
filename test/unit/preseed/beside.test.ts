/** Keys beside the answer block, and what a file says about its own encoding and version. */
import { describe, expect, it, test } from 'vitest';
import { lintFile } from '#preseed/lint.ts';
import { humanReport } from '#preseed/report.ts';

const lintBytes = (bytes: Uint8Array) => lintFile(bytes, { file: 'x.yaml', explicit: true }, null);
const lint = (text: string) => lintBytes(new TextEncoder().encode(text));
const BLOCK = 'spatium_preseed:\n  role: appliance\n  hostname: ddi-1\n';

describe('a key at the left edge beside the block', () => {
  it.each([
    ['keepvar: true', 'keep_var'],
    ['keep_vars: true', 'keep_var'],
    ['mirrordisk: /dev/sdb', 'mirror_disk'],
  ])('%s is taken for %s', (line, name) => {
    const text = `spatium_preseed:\n  hostname: a1\n${line}\n`;
    const { findings } = lintFile(new TextEncoder().encode(text), { file: 'a.yaml', explicit: true }, null);
    expect(findings.filter((f) => f.rule === 'key.beside-block')).toMatchObject([{ severity: 'warning', line: 3, path: name }]);
  });

  it.each(['keep_var: true', 'target_disk: /dev/sda', 'mirror_disk: /dev/sdb', 'confirm_wipe: true', 'unattended: true', 'keep-var: true'])(
    "%s is a warning at its place: beside a block, keys may be somebody else's",
    (line) => {
      const result = lint(`${BLOCK}${line}\n`);
      const name = line.split(':')[0]?.replace('-', '_');
      expect(result.isValid).toBe(true);
      expect(result.findings.filter((f) => f.rule === 'key.beside-block')).toMatchObject([
        { path: name, severity: 'warning', line: 4, column: 1, fix: 'indent it like the keys below spatium_preseed:' },
      ]);
    },
  );

  it.each(['role: appliance', 'admin_user: ddi', 'k3s: {pod_cidr: 10.0.0.0/16}', 'network:\n  mode: dhcp', 'pairing_code: 12345678'])(
    '%s is a warning',
    (line) => {
      const result = lint(`${line}\n${BLOCK}`);
      expect(result.isValid).toBe(true);
      expect(result.findings.filter((f) => f.rule === 'key.beside-block')).toMatchObject([{ severity: 'warning', line: 1, column: 1 }]);
    },
  );

  it('keeps its value to itself', () => {
    const result = lint(`${BLOCK}admin_password: Zephyr-98_Saffron\n`);
    expect(result.findings.map((f) => f.rule)).toContain('key.beside-block');
    const { stdout, stderr } = humanReport([{ file: 'x.yaml', result }], false);
    expect(stdout).toContain('admin_password');
    expect(stdout + stderr).not.toMatch(/Zephyr|Saffron/);
  });

  it.each([
    'hostname: web',
    'timezone: UTC',
    'locale: C.UTF-8',
    'ssh_authorized_keys: []',
    'keyboard: {layout: de}',
    'users: []',
    'ntp: {servers: [a]}',
    'network: {version: 2}',
    'x-keep_var: true',
  ])('%s belongs to cloud-init, or to the operator', (line) => {
    expect(lint(`#cloud-config\n${line}\n${BLOCK}`).findings.filter((f) => f.rule.startsWith('key.'))).toEqual([]);
  });
});

test.each<[string, number[]]>([
  ['a marked UTF-32LE', [0xff, 0xfe, 0, 0, 0x61, 0, 0, 0]],
  ['a marked UTF-32BE', [0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]],
  ['an unmarked UTF-32LE', [0x61, 0, 0, 0, 0x3a, 0, 0, 0]],
  ['an unmarked UTF-32BE', [0, 0, 0, 0x61, 0, 0, 0, 0x3a]],
])('%s file is called UTF-32', (_, bytes) => {
  expect(lintBytes(Uint8Array.from(bytes)).findings).toMatchObject([{ rule: 'file.utf16', message: expect.stringContaining('UTF-32') }]);
});

test.each<[string, string]>([
  ['a marked UTF-16LE', '\ufeffrole: appliance'],
  ['an unmarked UTF-16LE', 'role: appliance'],
])('%s file is called UTF-16', (_, text) => {
  expect(lintBytes(Buffer.from(text, 'utf16le')).findings).toMatchObject([{ message: expect.stringContaining('UTF-16') }]);
});

test.each<[string, string[], boolean]>([
  ['%YAML 9.9', ['yaml.version'], false],
  ['%YAML 2.0', ['yaml.version'], false],
  ['%YAML 1.1', ['yaml.minor-version'], true],
  ['%YAML 1.2', [], true],
])('the directive %s', (line, rules, isValid) => {
  const result = lint(`${line}\n---\n${BLOCK}`);
  expect(result.findings.filter((f) => f.rule.startsWith('yaml.')).map((f) => [f.rule, f.line])).toEqual(rules.map((rule) => [rule, 1]));
  expect(result.isValid).toBe(isValid);
});
