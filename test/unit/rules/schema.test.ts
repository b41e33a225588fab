/** The published schema is what the registry says, and editors refuse no file that the linter takes. */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { KEYS } from '#rules/keys.ts';
import { answersSchema } from '#rules/schema.ts';

const repo = path.resolve(import.meta.dirname, '../../..');
const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(answersSchema());
const accepts = (text: string): boolean => validate(parse(text, { merge: true }));

test('schemas/answers.schema.json is made from the registry', () => {
  const published = JSON.parse(fs.readFileSync(path.join(repo, 'schemas/answers.schema.json'), 'utf8'));
  expect(published).toEqual(JSON.parse(JSON.stringify(answersSchema())));
});

test('every key is in it, with its description', () => {
  const text = JSON.stringify(answersSchema());
  for (const key of KEYS) expect(text).toContain(JSON.stringify(key.description).slice(1, -1));
});

test.each(['control-plane', 'appliance-partial'])('the valid example %s is accepted', (name) => {
  expect(accepts(fs.readFileSync(path.join(repo, `test/golden/preseed/${name}.yaml`), 'utf8'))).toBe(true);
});

test.each([
  ['an unknown key', 'spatium_preseed: {role: appliance, hostnme: a}'],
  ['an unknown key of a block', 'network: {mode: dhcp, vlan: 5}'],
  ['a list for a text', 'role: [appliance]'],
  ['another role', 'role: worker'],
  ['a prefix of 33', 'network: {mode: static, prefix: 33}'],
  ['a number for a boolean', 'confirm_wipe: 1'],
  ['an empty block', 'spatium_preseed: {}'],
])('%s is refused', (_name, text) => expect(accepts(text)).toBe(false));

test.each([
  'role: CONTROL-PLANE',
  'hostname: 123',
  'x-note: [1, 2]',
  'network: {mode: dhcp, x-why: y}',
  'ntp_servers: []',
  'timezone: null',
  'k3s: {}',
])('%s is accepted', (text) => expect(accepts(text)).toBe(true));
