/** explain, init, --check-field, and the page made from the same tables. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkField } from '#preseed/check-field.ts';
import { explain, referencePage } from '#preseed/explain.ts';
import { starterFile } from '#preseed/init.ts';
import { lintFile } from '#preseed/lint.ts';
import { RULES } from '#rules/catalogue.ts';
import { KEYS } from '#rules/keys.ts';

const lint = (text: string) => lintFile(new TextEncoder().encode(text), { file: 'x.yaml', explicit: true }, null);
const page = path.resolve(import.meta.dirname, '../../../docs/answer-file.md');

test.each<readonly [readonly string[], string, number, RegExp]>([
  [['admin_user', 'ops'], '', 0, /^$/],
  [['admin_user', ' ops '], '', 0, /^$/],
  [['admin_user', 'root'], '', 2, /reserved/],
  [['admin_user', '-'], '', 2, /lower-case/],
  [['timezone', 'Europe/Kiev'], '', 0, /Europe\/Kyiv/],
  [['timezone', 'Mars'], '', 2, /IANA/],
  [['timezone', ''], '', 0, /^$/],
  [['admin_password', '-', 'ops', 'ddi'], 'Zephyr-98_Saffron\n', 0, /^$/],
  [['admin_password', '-', 'ops', 'ddi'], '  spaced 42 \n', 0, /^$/],
  [['admin_password', '-', 'netopsteam', 'x'], 'NetOpsTeam', 2, /same as the user name/],
  [['admin_password', '-'], '\n', 2, /empty/],
  [['admin_password', '-'], 'password1', 0, /common/],
  [['mtu', '1400', 'auto', '', 'static', 'eno1'], '', 0, /^$/],
  [['mtu', '1279', 'static', '2001:db8::1', 'static', 'eno1'], '', 2, /1280/],
  [['mtu', '1400', '', '', 'dhcp', ''], '', 2, /pinned port/],
  [['mtu', ''], '', 0, /^$/],
  [['mtu'], '', 3, /^usage/],
  [['nonsense', 'x'], '', 3, /^usage/],
  [['constructor', 'x'], '', 3, /^usage/],
  [['admin_user', 'a', 'b'], '', 3, /^usage/],
])('--check-field %j', (words, stdin, code, text) => {
  const verdict = checkField(words, stdin);
  expect(verdict.code).toBe(code);
  expect(verdict.text).toMatch(text);
});

test('a refused password is not repeated', () => expect(checkField(['admin_password', 'Short-1'], '').text).not.toContain('Short-1'));

test('explain knows keys, parts of keys, rules, and what was meant', () => {
  expect(explain('timezone')).toMatchObject({ text: expect.stringContaining('IANA') });
  expect(explain('mtu')).toMatchObject({ text: expect.stringContaining('network.mtu') });
  expect(explain('k3s')).toMatchObject({ text: expect.stringContaining('k3s.service_cidr') });
  expect(explain('hostname.dot')).toMatchObject({ text: expect.stringContaining('error') });
  expect(explain('hostnam.dot')).toEqual({ meant: 'hostname.dot' });
});

test('every rule is explained with a reason in words', () => {
  for (const rule of Object.keys(RULES)) {
    const told = explain(rule);
    const lines = 'text' in told ? told.text.trimEnd().split('\n').slice(-3) : [];
    expect(lines[0]).toMatch(`${rule} (`);
    expect(lines[2]).toMatch(/^ {2}\S.{20}/);
    expect(JSON.stringify(told)).not.toMatch(/ruling|\bR[0-9]/);
  }
});

test.each(['control-plane', 'appliance'] as const)('the starter for %s is valid, and so is every line that a # holds back', (role) => {
  const text = starterFile(role);
  expect(lint(text).findings).toEqual([]);
  expect(lint(text).role).toBe(role);
  const all = text.replace(/^( +)# ([a-z_0-9]+:)/gm, '$1$2');
  expect(lint(all).findings.filter((f) => f.rule === 'key.unknown' || f.rule.startsWith('yaml.') || f.rule === 'value.type')).toEqual([]);
});

test('docs/answer-file.md is what the registry says', () => {
  expect(fs.readFileSync(page, 'utf8')).toBe(referencePage());
  for (const key of KEYS) expect(referencePage()).toContain(`| \`${key.path}\` |`);
});

test('the examples of the page lint clean', () => {
  const examples = [...referencePage().matchAll(/```yaml\n([\s\S]*?)```/g)].map((found) => found[1] ?? '');
  expect(examples.length).toBe(2);
  for (const example of examples) {
    expect(lint(example).findings).toEqual([]);
    expect(lint(example).isFullyUnattended).toBe(true);
  }
});
