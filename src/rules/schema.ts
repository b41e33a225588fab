/** The JSON Schema of answer files, for editors: made from the registry, so that it cannot say anything else. */
import { MTU_MAX, MTU_MIN } from '#model/limits.ts';
import { KEYS, type KeySpec, namesIn, WRAPPERS } from './keys.ts';

export type JsonSchema = { readonly [name: string]: unknown };

const NUMBER_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  'network.prefix': [1, 32],
  'network.prefix6': [1, 128],
  'network.mtu': [MTU_MIN, MTU_MAX],
};

const NOTES = { '^x-': { description: 'A note of the operator; it is skipped.' } };

/** Every letter case is accepted, so an enum would refuse too much: it is offered beside a pattern that takes the rest. */
function choices(values: Readonly<Record<string, unknown>>): JsonSchema {
  const words = Object.keys(values);
  const anyCase = words.map((word) => word.replace(/[a-z]/g, (ch) => `[${ch}${ch.toUpperCase()}]`)).join('|');
  return { anyOf: [{ enum: words }, { type: 'string', pattern: `^(${anyCase})$` }] };
}

function typeOf(spec: KeySpec): JsonSchema {
  // YAML readers of editors make numbers and booleans of plain scalars; the text is what counts here.
  const scalar = { type: ['string', 'number', 'boolean'] };
  switch (spec.type) {
    case 'text':
      return spec.values ? choices(spec.values) : scalar;
    case 'secret':
      return { type: ['string', 'number'] };
    case 'boolean':
      return { anyOf: [{ type: 'boolean' }, { enum: ['true', 'false', 'yes', 'no', 'on', 'off'] }] };
    case 'number': {
      const [minimum, maximum] = NUMBER_RANGES[spec.path] ?? [0, Number.MAX_SAFE_INTEGER];
      return {
        anyOf: [
          { type: 'integer', minimum, maximum },
          { type: 'string', pattern: '^ *(0|[1-9][0-9]*) *$' },
        ],
      };
    }
    case 'list':
    case 'lines':
      return { anyOf: [scalar, { type: 'array', items: scalar }] };
    case 'block':
      return { type: 'object', properties: propertiesOf(spec.path), patternProperties: NOTES, additionalProperties: false };
  }
}

function propertiesOf(block: string): JsonSchema {
  const find = (name: string): KeySpec => KEYS.find((key) => key.path === (block === '' ? name : `${block}.${name}`)) as KeySpec;
  return Object.fromEntries(
    namesIn(block).map((name) => {
      const spec = find(name);
      const help = `${spec.description} Without it: ${spec.absent}.${spec.role === null ? '' : ` Used by the role ${spec.role} only.`}`;
      const scalarDefault = spec.default === null || spec.type === 'list' ? {} : { default: defaultOf(spec) };
      // null counts as absent for every key but a password.
      const { anyOf, ...rest } = typeOf(spec) as { anyOf?: readonly JsonSchema[] };
      const type = anyOf ? { anyOf: [...anyOf, { type: 'null' }] } : { anyOf: [rest, { type: 'null' }] };
      return [name, { description: help, ...scalarDefault, ...type }];
    }),
  );
}

const defaultOf = (spec: KeySpec): unknown =>
  spec.type === 'boolean' ? spec.default === 'true' : spec.type === 'number' ? Number(spec.default) : spec.default;

/** Draft 2020-12. Either the wrapped form or the bare one; what an editor cannot know is left to the linter. */
export function answersSchema(): JsonSchema {
  const block = { type: 'object', minProperties: 1, properties: propertiesOf(''), patternProperties: NOTES, additionalProperties: false };
  const wrapped = WRAPPERS.map((name) => ({ type: 'object', required: [name], properties: { [name]: { $ref: '#/$defs/answers' } } }));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'SpatiumDDI answer file',
    description: 'Answers for an unattended or half-attended installation. `spatium check FILE` judges everything that a schema cannot.',
    $defs: { answers: block },
    anyOf: [...wrapped, { $ref: '#/$defs/answers' }],
  };
}
