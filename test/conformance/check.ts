/** What a check is, and the published schema as a judge. */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

export interface Check {
  /** Short and stable: a word to choose it by. */
  readonly id: string;
  readonly title: string;
  /** Throws Fault with what is wrong and what was expected. */
  run(socket: string): Promise<void>;
}

export class Fault extends Error {}

export function expect(isTrue: boolean, message: string): asserts isTrue {
  if (!isTrue) throw new Fault(message);
}

const SCHEMA = path.resolve(import.meta.dirname, '../../schemas/status.schema.json');
const ajv = new Ajv2020({ allErrors: true, strict: false });
ajv.addSchema(JSON.parse(fs.readFileSync(SCHEMA, 'utf8')), 'status');

export type Json = Readonly<Record<string, unknown>>;

/** A JSON object, or a fault that names where it came from. */
export function parse(text: string, where: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Fault(`${where} is not JSON: ${text.slice(0, 60)}`);
  }
  expect(typeof value === 'object' && value !== null && !Array.isArray(value), `${where} is not a JSON object`);
  return value as Json;
}

const MAX_FAULTS = 5;

/** `definition` is a name of `$defs`, or null for the document of `GET /v1/status`. */
export function fits(definition: string | null, value: unknown, where: string): void {
  const validate = ajv.getSchema(definition === null ? 'status' : `status#/$defs/${definition}`);
  if (!validate) throw new Error(`the schema has no ${definition}`);
  if (validate(value)) return;
  const faults = (validate.errors ?? []).slice(0, MAX_FAULTS).map((e) => `${e.instancePath || '/'} ${e.message ?? ''}`);
  throw new Fault(`${where} does not fit the schema: ${faults.join('; ')}`);
}

export type Sections = Readonly<Record<string, Json>>;

/** An answer that refuses must say why, for people and for programs. */
export function isRefusal(body: string, where: string): void {
  const error = parse(body, where)['error'] as Json | undefined;
  const isGood = typeof error?.['code'] === 'string' && typeof error['msg'] === 'string' && error['msg'] !== '';
  expect(isGood, `${where}: the body has no {"error":{"code","msg"}}`);
}
