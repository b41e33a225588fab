/**
 * Descriptions of JSON documents as values. One description gives the TypeScript type (`Static`), the JSON Schema
 * (`toJsonSchema`) and the run-time reader (`readShape`), so that the three cannot drift apart.
 */

import { isRecord } from './json.ts';

export type Shape =
  | { readonly kind: 'string' }
  | { readonly kind: 'time' }
  | { readonly kind: 'number' }
  | { readonly kind: 'int' }
  | { readonly kind: 'bool' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  | { readonly kind: 'nullable'; readonly of: Shape }
  | { readonly kind: 'list'; readonly of: Shape }
  | { readonly kind: 'map'; readonly of: Shape }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, Shape>> };

export type Static<S> = S extends { kind: 'string' | 'time' }
  ? string
  : S extends { kind: 'number' | 'int' }
    ? number
    : S extends { kind: 'bool' }
      ? boolean
      : S extends { kind: 'enum'; values: readonly (infer V)[] }
        ? V
        : S extends { kind: 'nullable'; of: infer O }
          ? Static<O> | null
          : S extends { kind: 'list'; of: infer O }
            ? readonly Static<O>[]
            : S extends { kind: 'map'; of: infer O }
              ? Readonly<Record<string, Static<O>>>
              : S extends { kind: 'object'; fields: infer F }
                ? { readonly [K in keyof F]: Static<F[K]> }
                : never;

export const text = { kind: 'string' } as const;
/** RFC 3339, UTC. */
export const time = { kind: 'time' } as const;
export const num = { kind: 'number' } as const;
export const int = { kind: 'int' } as const;
export const bool = { kind: 'bool' } as const;
/** One of a few words. */
export const oneOf = <const V extends readonly string[]>(...values: V) => ({ kind: 'enum', values }) as const;
/** The same, or null for what is not known. */
export const opt = <const S extends Shape>(of: S) => ({ kind: 'nullable', of }) as const;
/** Any number of the same. */
export const list = <const S extends Shape>(of: S) => ({ kind: 'list', of }) as const;
/** Names to values of one shape. */
export const map = <const S extends Shape>(of: S) => ({ kind: 'map', of }) as const;
export const obj = <const F extends Readonly<Record<string, Shape>>>(fields: F) => ({ kind: 'object', fields }) as const;

export type ShapeResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly path: string; readonly wanted: string };

const bad = (path: string, wanted: string) => ({ ok: false, path, wanted }) as const;

function readMany(entries: readonly (readonly [string, Shape, unknown])[], path: string): ShapeResult<[string, unknown][]> {
  const out: [string, unknown][] = [];
  for (const [key, shape, value] of entries) {
    const r = read(shape, value, path === '' ? key : `${path}.${key}`);
    if (!r.ok) return r;
    out.push([key, r.value]);
  }
  return { ok: true, value: out };
}

function readContainer(shape: Shape & { kind: 'list' | 'map' | 'object' }, value: unknown, path: string): ShapeResult<unknown> {
  if (shape.kind === 'list') {
    if (!Array.isArray(value)) return bad(path, 'a list');
    const r = readMany(
      value.map((v, i) => [String(i), shape.of, v] as const),
      path,
    );
    return r.ok ? { ok: true, value: r.value.map(([, v]) => v) } : r;
  }
  if (!isRecord(value)) return bad(path, 'an object');
  const entries =
    shape.kind === 'map'
      ? Object.entries(value).map(([k, v]) => [k, shape.of, v] as const)
      : Object.entries(shape.fields).map(([k, s]) => [k, s, value[k]] as const);
  const r = readMany(entries, path);
  return r.ok ? { ok: true, value: Object.fromEntries(r.value) } : r;
}

function read(shape: Shape, value: unknown, path: string): ShapeResult<unknown> {
  switch (shape.kind) {
    case 'string':
    case 'time':
    case 'enum':
      return typeof value === 'string' ? { ok: true, value } : bad(path, 'text');
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? { ok: true, value } : bad(path, 'a number');
    case 'int':
      // Others count bytes and seconds in fractions too, or beyond what is exact; neither says anything.
      return typeof value === 'number' && Number.isFinite(value)
        ? { ok: true, value: Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.round(value))) }
        : bad(path, 'a whole number');
    case 'bool':
      return typeof value === 'boolean' ? { ok: true, value } : bad(path, 'true or false');
    case 'nullable':
      return value === null || value === undefined ? { ok: true, value: null } : read(shape.of, value, path);
    case 'list':
    case 'map':
    case 'object':
      return readContainer(shape, value, path);
  }
}

/**
 * Reads a document that another program sent. Lenient where the protocol grows: unknown fields are dropped, an absent
 * nullable field is null, an unknown word of an enumeration is kept as it is. Everything else must fit.
 */
export function readShape<S extends Shape>(shape: S, value: unknown): ShapeResult<Static<S>> {
  return read(shape, value, '') as ShapeResult<Static<S>>;
}

/** The same description as JSON Schema (draft 2020-12 and draft-07 agree on every word used). Strict: for what we send. */
export function toJsonSchema(shape: Shape): Record<string, unknown> {
  switch (shape.kind) {
    case 'string':
      return { type: 'string' };
    case 'time':
      return { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' };
    case 'number':
      return { type: 'number' };
    case 'int':
      return { type: 'integer' };
    case 'bool':
      return { type: 'boolean' };
    case 'enum':
      return { type: 'string', enum: [...shape.values] };
    case 'nullable':
      return { anyOf: [toJsonSchema(shape.of), { type: 'null' }] };
    case 'list':
      return { type: 'array', items: toJsonSchema(shape.of) };
    case 'map':
      return { type: 'object', additionalProperties: toJsonSchema(shape.of) };
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(Object.entries(shape.fields).map(([k, s]) => [k, toJsonSchema(s)])),
        required: Object.keys(shape.fields),
      };
  }
}
