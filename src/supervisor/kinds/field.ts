/**
 * Parts of a configuration as values that give the reader, the type and the JSON Schema at once. Strict: a key that we do not know
 * is an error, since to ignore it would be to claim that it was applied.
 */
import { isRecord } from '#model/json.ts';

export type Json = Readonly<Record<string, unknown>>;

/** `path` is where in the document, as in `listeners[2].port`. */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly path: string; readonly wanted: string };

export interface Field<T> {
  readonly schema: Json;
  readonly isOptional?: boolean;
  readonly read: (value: unknown, path: string) => Read<T>;
}

export type ValueOf<F> = F extends Field<infer T> ? T : never;

const no = (path: string, wanted: string): Read<never> => ({ ok: false, path, wanted });
const yes = <T>(value: T): Read<T> => ({ ok: true, value });

/** Says in `what` what the pattern means. JSON Schema counts characters as we do: by code point. */
export function words(what: string, pattern: RegExp, maxLength: number): Field<string> {
  return {
    schema: { type: 'string', pattern: pattern.source, maxLength, description: what },
    read: (value, path) =>
      typeof value === 'string' && [...value].length <= maxLength && pattern.test(value) ? yes(value) : no(path, what),
  };
}

export function whole(minimum: number, maximum: number): Field<number> {
  return {
    schema: { type: 'integer', minimum, maximum },
    read: (value, path) =>
      Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum
        ? yes(value as number)
        : no(path, `a whole number from ${minimum} to ${maximum}`),
  };
}

export const flag: Field<boolean> = {
  schema: { type: 'boolean' },
  read: (value, path) => (typeof value === 'boolean' ? yes(value) : no(path, 'true or false')),
};

export function choice<const V extends readonly string[]>(...values: V): Field<V[number]> {
  return {
    schema: { type: 'string', enum: values },
    read: (value, path) => (values.includes(value as string) ? yes(value as V[number]) : no(path, `one of ${values.join(', ')}`)),
  };
}

export function listOf<T>(item: Field<T>, maxItems: number, minItems = 0): Field<readonly T[]> {
  return {
    schema: { type: 'array', items: item.schema, maxItems, ...(minItems > 0 ? { minItems } : {}) },
    read: (value, path) => {
      const size = `a list of ${minItems} to ${maxItems} entries`;
      if (!Array.isArray(value) || value.length < minItems || value.length > maxItems) return no(path, size);
      const out: T[] = [];
      for (const [i, entry] of value.entries()) {
        const read = item.read(entry, `${path}[${i}]`);
        if (!read.ok) return read;
        out.push(read.value);
      }
      return yes(out);
    },
  };
}

/** With a default for an absent key. */
export const optional = <T>(field: Field<T>, fallback: NoInfer<T>): Field<T> => ({
  schema: { ...field.schema, default: fallback },
  isOptional: true,
  read: (value, path) => (value === undefined ? yes(fallback) : field.read(value, path)),
});

/** Null for an absent key; the document itself never holds null. */
export const maybe = <T>(field: Field<T>): Field<T | null> => ({
  schema: field.schema,
  isOptional: true,
  read: (value, path) => (value === undefined ? yes(null) : field.read(value, path)),
});

export function record<F extends Readonly<Record<string, Field<unknown>>>>(fields: F): Field<{ readonly [K in keyof F]: ValueOf<F[K]> }> {
  const names = Object.keys(fields);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, fields[name]?.schema])),
      required: names.filter((name) => !fields[name]?.isOptional),
      additionalProperties: false,
    },
    read: (value, path) => {
      if (!isRecord(value)) return no(path === '' ? 'config' : path, 'an object');
      const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
      const unknown = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
      if (unknown !== undefined) return no(at(unknown.slice(0, 60)), `a key that this agent knows: ${names.join(', ')}`);
      const out: Record<string, unknown> = {};
      for (const name of names) {
        const read = (fields[name] as Field<unknown>).read(value[name], at(name));
        if (!read.ok) return read;
        out[name] = read.value;
      }
      return yes(out as { readonly [K in keyof F]: ValueOf<F[K]> });
    },
  };
}
